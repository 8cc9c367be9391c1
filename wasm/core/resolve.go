package core

import (
	"context"
	"net/url"
	"strings"
	"time"

	"github.com/nbd-wtf/go-nostr"

	"parley/wasm/port"
	"parley/wasm/relay"
	"parley/wasm/room"
	"parley/wasm/run"
	"parley/wasm/store"
)

// ResolveTimeout is how long relays are asked for what a code names.
const ResolveTimeout = 8 * time.Second

// resolve finds the page of the app for a code.
func (c *Core) resolve(ctx context.Context, p port.Search) (port.Place, error) {
	code, err := room.DecodeCode(strings.TrimPrefix(strings.TrimSpace(p.Text), "nostr:"))
	switch {
	case err != nil:
		return port.Place{}, invalid("This is no code that Nostr knows: %v", err)
	case code.ID != "":
		return c.eventPlace(ctx, code)
	case code.Kind == run.KindInfo || code.D == "":
		return port.Place{Path: "/agents/" + room.NPub(code.PubKey)}, nil
	case code.Kind < 39000 || code.Kind > 39009:
		return port.Place{}, invalid("Parley opens rooms, threads and agents; an event of kind %d is none of these.", code.Kind)
	}
	ref := room.Ref{ID: code.D}
	if len(code.Relays) > 0 {
		ref.Relay = code.Relays[0]
	}
	if ref, err = c.normalRef(ref); err != nil {
		return port.Place{}, err
	}
	return port.Place{Path: roomPath(ref, "")}, nil
}

// eventPlace finds an event here, on my relays, or where the code says, if
// that relay may be opened.
func (c *Core) eventPlace(ctx context.Context, p room.Code) (port.Place, error) {
	ctx, cancel := context.WithTimeout(ctx, ResolveTimeout)
	defer cancel()
	records, err := c.Store.Query(ctx, store.Query{IDs: []string{p.ID}})
	if err == nil && len(records) > 0 && len(records[0].Relays) > 0 {
		return c.placeOf(records[0].Event, records[0].Relays[0])
	}
	passTurn(ctx)
	urls := c.hinted(p.Relays)
	for _, url := range urls {
		events, _, err := c.pool.Fetch(ctx, url, room.IDFilters([]string{p.ID})...)
		if err != nil {
			continue
		}
		for _, e := range events {
			if e.ID == p.ID {
				c.takeFetched(ctx, url, events)
				return c.placeOf(e, url)
			}
		}
	}
	return port.Place{}, &port.Error{Code: port.CodeNotFound, Message: "None of your relays has this. It may be deleted, or not for you."}
}

// hinted gives the relays to ask: mine, and those of a code that may be
// opened. For others the person is asked first.
func (c *Core) hinted(hints []string) []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	urls := append([]string(nil), c.relays.order...)
	for _, hint := range hints {
		url, err := relay.Normalize(hint)
		switch {
		case err != nil:
		case !c.relays.mayOpen(url):
			c.relays.askOpen(url)
			c.touch()
		case !c.relays.isMine(url):
			urls = append(urls, url)
		}
	}
	return urls
}

func (c *Core) placeOf(e *nostr.Event, relayURL string) (port.Place, error) {
	h := e.Tags.Find("h")
	if len(h) < 2 {
		if isRunKind(e.Kind) || e.Kind == nostr.KindProfileMetadata {
			return port.Place{Path: "/agents/" + room.NPub(e.PubKey)}, nil
		}
		return port.Place{}, invalid("This event is in no room.")
	}
	ref := room.Ref{Relay: relayURL, ID: h[1]}
	if e.Kind == 12 || e.Kind == 1111 || e.Kind == 11 {
		if root := rootOf(e); root != "" {
			return port.Place{Path: roomPath(ref, root)}, nil
		}
	}
	return port.Place{Path: roomPath(ref, "") + "#" + e.ID}, nil
}

// rootOf is the root of the thread that an event stands in.
func rootOf(e *nostr.Event) string {
	if e.Kind == 11 {
		return e.ID
	}
	if t := e.Tags.Find("E"); len(t) > 1 {
		return t[1]
	}
	for t := range e.Tags.FindAll("e") {
		if len(t) > 3 && t[3] == "root" {
			return t[1]
		}
	}
	if t := e.Tags.Find("e"); len(t) > 1 {
		return t[1]
	}
	return ""
}

func roomPath(ref room.Ref, thread string) string {
	path := "/rooms/" + url.PathEscape(ref.ID)
	if thread != "" {
		path += "/threads/" + thread
	}
	return path + "?" + url.Values{"relay": {ref.Relay}}.Encode()
}
