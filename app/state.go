package app

import (
	"parley/components"
	"parley/wasm/port"
)

// state is all that the page shows and remembers. It is changed on the page's
// goroutine only, and drawn from there.
type state struct {
	route   Route
	build   string
	now     int64 // unix seconds, moved on once a minute
	link    LinkState
	why     string // of a link that is dead
	known   bool   // the core has said something about the app
	app     port.AppView
	main    *timeline // of a room or thread
	asks    *port.AsksView
	ask     *port.AskRecord
	tasks   *port.TasksView
	agent   *port.AgentView
	session *sessionState
	asked   asked
	prompts prompting
	reads   reader // of answers that grow
	files   attachments
	trouble string // why what the route names cannot be shown

	details  bool // shown where there is no room for them all the time
	dialog   components.DialogCall
	forms    map[string]components.FormState // by action
	answered string                          // the dialog about a relay that was answered last
	backup   string                          // the text of the backup, once it was asked for
	invite   string                          // path of an invitation that was just made
	toasts   []components.Toast
	toast    int // the newest one's number
	said     announcer

	write writing
}

// writing is what the composer is for at the moment.
type writing struct {
	replyTo string // a message's id
	edit    string // a message's id
	over    string // both in words
	fill    string
	replace bool
	filled  int
	named   map[string]string // NIP-19 codes by the names that stand in the field
}

// form is how the form of an action stands.
func (s *state) form(action string) components.FormState { return s.forms[action] }

func (s *state) setForm(action string, form components.FormState) {
	if s.forms == nil {
		s.forms = map[string]components.FormState{}
	}
	s.forms[action] = form
}

// online counts the relays that are connected.
func (s *state) online() int {
	n := 0
	for _, r := range s.app.Relays {
		if r.State == port.Online {
			n++
		}
	}
	return n
}

// connection is the state of the connection as a whole: without a core there
// is none.
func (s *state) connection() string {
	switch {
	case s.link == LinkDead || s.link == LinkOutdated:
		return port.Offline
	case s.link != LinkReady || !s.known:
		return port.Connecting
	case s.app.Connection == "":
		return port.Connecting
	}
	return s.app.Connection
}

// unread counts the unread messages of all rooms.
func (s *state) unread() int {
	n := 0
	for _, r := range s.app.Rooms {
		n += r.Unread
	}
	return n
}
