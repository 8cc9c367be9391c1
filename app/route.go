package app

import (
	"net/url"
	"strings"

	"parley/wasm/room"
)

// Page names one of the app's pages.
type Page string

// The pages. The set is closed: a path that is none of them is Missing.
const (
	Start    Page = "start"
	Room     Page = "room"
	Thread   Page = "thread"
	Agents   Page = "agents"
	Agent    Page = "agent"
	Session  Page = "session"
	Asks     Page = "asks"
	Ask      Page = "ask"
	Tasks    Page = "tasks"
	Settings Page = "settings"
	Code     Page = "code"
	Missing  Page = "missing"
)

// Route is a place in the app, as a URL names it.
type Route struct {
	Page    Page
	Room    room.Ref // Room, Thread; an empty Relay is the default relay
	Invite  string   // Room
	ID      string   // Thread: the root's id; Ask: the question's
	NPub    string   // Agent, Session
	Session string   // Session
	Filter  string   // Asks, Tasks
	Code    string   // Code: npub, note, nevent, naddr or nprofile
}

// codePrefixes are the NIP-19 names that stand alone in a path.
var codePrefixes = []string{"npub1", "note1", "nevent1", "naddr1", "nprofile1"}

// ParseRoute reads a path of the app, still escaped and without the base it
// lives under, and the URL's query.
func ParseRoute(path, query string) Route {
	values, err := url.ParseQuery(query)
	if err != nil {
		values = url.Values{}
	}
	parts, ok := segments(path)
	if !ok {
		return Route{Page: Missing}
	}
	switch {
	case len(parts) == 0:
		return Route{Page: Start}
	case parts[0] == "rooms":
		return roomRoute(parts[1:], values)
	case parts[0] == "agents":
		return agentRoute(parts[1:])
	case parts[0] == "asks" && len(parts) == 1:
		return Route{Page: Asks, Filter: values.Get("filter")}
	case parts[0] == "asks" && len(parts) == 2:
		return Route{Page: Ask, ID: parts[1]}
	case parts[0] == "tasks" && len(parts) == 1:
		return Route{Page: Tasks, Filter: values.Get("filter")}
	case parts[0] == "settings" && len(parts) == 1:
		return Route{Page: Settings}
	case len(parts) == 1 && isCode(parts[0]):
		return Route{Page: Code, Code: parts[0]}
	}
	return Route{Page: Missing}
}

func roomRoute(parts []string, values url.Values) Route {
	route := Route{Page: Room, Invite: values.Get("invite")}
	route.Room.Relay = values.Get("relay")
	switch {
	case len(parts) == 1:
		route.Room.ID = parts[0]
		return route
	case len(parts) == 3 && parts[1] == "threads":
		route.Room.ID = parts[0]
		route.Page, route.ID = Thread, parts[2]
		return route
	}
	return Route{Page: Missing}
}

func agentRoute(parts []string) Route {
	switch len(parts) {
	case 0:
		return Route{Page: Agents}
	case 1:
		return Route{Page: Agent, NPub: parts[0]}
	case 2:
		return Route{Page: Session, NPub: parts[0], Session: parts[1]}
	}
	return Route{Page: Missing}
}

// segments splits a path and takes the escapes off each part. It reports false
// for a path with an empty part inside or with an escape that is none.
func segments(path string) ([]string, bool) {
	path = strings.Trim(path, "/")
	if path == "" {
		return nil, true
	}
	parts := strings.Split(path, "/")
	for i, part := range parts {
		plain, err := url.PathUnescape(part)
		if err != nil || plain == "" {
			return nil, false
		}
		parts[i] = plain
	}
	return parts, true
}

func isCode(part string) bool {
	for _, prefix := range codePrefixes {
		if strings.HasPrefix(part, prefix) {
			return true
		}
	}
	return false
}

// Path returns the route as a path of the app, without the base. ParseRoute
// reads it back.
func (r Route) Path() string {
	values := url.Values{}
	set := func(key, value string) {
		if value != "" {
			values.Set(key, value)
		}
	}
	var path string
	switch r.Page {
	case Room, Thread:
		path = "/rooms/" + url.PathEscape(r.Room.ID)
		if r.Page == Thread {
			path += "/threads/" + url.PathEscape(r.ID)
		}
		set("relay", r.Room.Relay)
		set("invite", r.Invite)
	case Agents:
		path = "/agents"
	case Agent:
		path = "/agents/" + url.PathEscape(r.NPub)
	case Session:
		path = "/agents/" + url.PathEscape(r.NPub) + "/" + url.PathEscape(r.Session)
	case Asks:
		path = "/asks"
		set("filter", r.Filter)
	case Ask:
		path = "/asks/" + url.PathEscape(r.ID)
	case Tasks:
		path = "/tasks"
		set("filter", r.Filter)
	case Settings:
		path = "/settings"
	case Code:
		path = "/" + url.PathEscape(r.Code)
	default:
		path = "/"
	}
	if len(values) > 0 {
		path += "?" + values.Encode()
	}
	return path
}
