package core

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"parley/wasm/port"
	"parley/wasm/relay"
)

const relayBucket = "relays"

// MaxOwnRelays is the most relays a person can add; every one costs a socket.
const MaxOwnRelays = 20

// How AUTH is answered at a relay (NIP-42).
const (
	authAlways = "always"
	authAsk    = "ask"
	authNever  = "never"
)

// relayList is every relay the core knows, and what the person said of it.
type relayList struct {
	mine     map[string]relaySetting // the person's own, and those of the site
	order    []string                // of mine
	states   map[string]relay.State
	mute     map[string]bool      // the last question it was asked live had no answer in time
	opened   map[string]bool      // "Open wss://...?" was answered with Open, for this session
	declined map[string]bool      // ... with Not now
	asking   map[string]chan bool // AUTH dialogs that stand, by URL
	dialogs  []port.Dialog
}

// relaySetting is what is kept of a relay under its URL.
type relaySetting struct {
	Auth    string `json:"auth"`
	Removed bool   `json:"removed,omitempty"` // one of the site's that the person does not want
	Order   int64  `json:"order"`
}

// restoreRelays reads the list of relays; those of the site stand in it unless
// the person has removed them.
func (c *Core) restoreRelays(ctx context.Context) error {
	list := relayList{
		mine: map[string]relaySetting{}, states: map[string]relay.State{}, mute: map[string]bool{},
		opened: map[string]bool{}, declined: map[string]bool{}, asking: map[string]chan bool{},
	}
	kept, err := c.Store.List(ctx, relayBucket)
	if err != nil {
		return fmt.Errorf("read the list of relays: %w", err)
	}
	for url, value := range kept {
		var s relaySetting
		if json.Unmarshal(value, &s) == nil {
			list.mine[url] = s
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for i, raw := range c.Site.Relays {
		url, err := relay.Normalize(raw)
		if err != nil {
			c.setNotice("site", "This site names a relay that is none: "+err.Error())
			continue
		}
		c.Site.Relays[i] = url
		if _, ok := list.mine[url]; !ok {
			list.mine[url] = relaySetting{Auth: authAlways, Order: int64(i)}
		}
	}
	list.sort()
	c.relays = list
	return nil
}

func (l *relayList) sort() {
	l.order = l.order[:0]
	for url, s := range l.mine {
		if !s.Removed {
			l.order = append(l.order, url)
		}
	}
	slices.SortFunc(l.order, func(a, b string) int {
		if d := l.mine[a].Order - l.mine[b].Order; d != 0 {
			return int(d)
		}
		return strings.Compare(a, b)
	})
}

// isMine tells whether a relay is in the person's own list.
func (l *relayList) isMine(url string) bool {
	s, ok := l.mine[url]
	return ok && !s.Removed
}

// mayOpen tells whether the core may connect there: a link never connects by
// itself to a relay outside the person's lists.
func (l *relayList) mayOpen(url string) bool { return l.isMine(url) || l.opened[url] }

// askOpen puts up the dialog "Open wss://...?" once.
func (l *relayList) askOpen(url string) {
	if l.declined[url] {
		return
	}
	l.addDialog(port.Dialog{Kind: "open", URL: url})
}

func (l *relayList) addDialog(d port.Dialog) {
	if !slices.Contains(l.dialogs, d) {
		l.dialogs = append(l.dialogs, d)
	}
}

func (l *relayList) dropDialog(d port.Dialog) {
	l.dialogs = slices.DeleteFunc(l.dialogs, func(have port.Dialog) bool { return have == d })
}

// default is the relay that a room without one is on.
func (c *Core) defaultRelay() (string, bool) {
	if len(c.Site.Relays) > 0 {
		return c.Site.Relays[0], true
	}
	if len(c.relays.order) > 0 {
		return c.relays.order[0], true
	}
	return "", false
}

func (c *Core) addRelay(ctx context.Context, p port.RelayParams) error {
	url, err := relay.Normalize(p.URL)
	if err != nil {
		return invalid("%v", err)
	}
	switch p.Auth {
	case "":
		p.Auth = authAlways
	case authAlways, authAsk, authNever:
	default:
		return invalid("%q is no way to answer AUTH; choose always, ask or never.", p.Auth)
	}
	c.mu.Lock()
	old, had := c.relays.mine[url]
	if (!had || old.Removed) && len(c.relays.order) >= MaxOwnRelays {
		c.mu.Unlock()
		return invalid("You have %d relays, the most there can be; remove one first.", MaxOwnRelays)
	}
	setting := relaySetting{Auth: p.Auth, Order: old.Order}
	if !had {
		setting.Order = c.now()
	}
	c.relays.mine[url] = setting
	c.relays.sort()
	delete(c.relays.declined, url)
	c.relays.dropDialog(port.Dialog{Kind: "open", URL: url})
	c.mu.Unlock()
	c.touch()
	if err := c.keep(ctx, relayBucket, url, setting); err != nil {
		return err
	}
	if old.Auth != setting.Auth {
		c.pool.ForgetConsent(url)
		c.mu.Lock()
		for ref, r := range c.rooms {
			if ref.Relay == url { // what needed a sign-in is asked for again
				r.refused, r.again = false, false
			}
		}
		c.mu.Unlock()
	}
	c.connectAll()
	return nil
}

func (c *Core) removeRelay(ctx context.Context, p port.RelayParams) error {
	url, err := relay.Normalize(p.URL)
	if err != nil {
		return invalid("%v", err)
	}
	c.mu.Lock()
	setting, ok := c.relays.mine[url]
	if !ok || setting.Removed {
		c.mu.Unlock()
		return &port.Error{Code: port.CodeNotFound, Message: "This relay is not in your list."}
	}
	setting.Removed = true
	c.relays.mine[url] = setting
	c.relays.sort()
	c.mu.Unlock()
	c.retargetAll(ctx)
	c.mu.Lock()
	busy := c.relayInUse(url)
	if busy {
		c.relays.opened[url] = true // its rooms stay open for this session
	} else {
		c.connectionEnded(url)
		delete(c.relays.states, url)
		delete(c.live, url)
	}
	c.replan(url)
	c.mu.Unlock()
	if !busy {
		c.pool.Drop(url)
	}
	c.touch()
	return c.keep(ctx, relayBucket, url, setting)
}

// relayInUse tells whether a listed room or a waiting event needs the relay.
func (c *Core) relayInUse(url string) bool {
	for ref, r := range c.rooms {
		if ref.Relay == url && r.listed {
			return true
		}
	}
	for _, e := range c.outbox {
		for _, t := range e.Targets {
			if t.Relay == url {
				return true
			}
		}
	}
	return false
}

// openRelay answers the dialog "Open wss://...?".
func (c *Core) openRelay(_ context.Context, p port.RelayParams) error {
	url, err := relay.Normalize(p.URL)
	if err != nil {
		return invalid("%v", err)
	}
	c.mu.Lock()
	c.relays.dropDialog(port.Dialog{Kind: "open", URL: url})
	if p.Allow {
		c.relays.opened[url] = true
		delete(c.relays.declined, url)
	} else {
		c.relays.declined[url] = true
	}
	c.mu.Unlock()
	c.touch()
	if p.Allow {
		c.connectAll()
	}
	return nil
}

// relayViews is the state of every relay of mine and every other one in use.
func (c *Core) relayViews() []port.RelayView {
	urls := slices.Clone(c.relays.order)
	for url := range c.relays.states {
		if !slices.Contains(urls, url) && c.relays.opened[url] {
			urls = append(urls, url)
		}
	}
	slices.Sort(urls[len(c.relays.order):])
	views := make([]port.RelayView, 0, len(urls))
	for _, url := range urls {
		state := c.relays.states[url]
		view := port.RelayView{URL: url, State: string(state.Phase), Why: state.Reason, Since: state.Since, Mine: c.relays.isMine(url), Auth: authAsk}
		if view.Mine {
			view.Auth = c.relays.mine[url].Auth
		}
		if view.State == "" {
			view.State = port.Connecting
		}
		if view.State == port.Online && c.relays.mute[url] {
			view.Why = "it does not answer"
		}
		views = append(views, view)
	}
	return views
}

// connection sums the relays up: one good relay is enough.
func (c *Core) connection() string {
	state := port.Offline
	for _, v := range c.relayViews() {
		switch v.State {
		case port.Online:
			return port.Online
		case port.Connecting:
			state = port.Connecting
		}
	}
	return state
}

// normalURL is relay.Normalize with the page's kind of error.
func normalURL(raw string) (string, error) {
	url, err := relay.Normalize(raw)
	if err != nil {
		return "", invalid("%v", errors.Unwrap(err))
	}
	return url, nil
}
