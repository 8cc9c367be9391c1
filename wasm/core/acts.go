package core

import (
	"context"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/nbd-wtf/go-nostr"

	"parley/wasm/port"
	"parley/wasm/room"
	"parley/wasm/verify"
)

// MaxText is the longest text of a message, in bytes; the page stops a giant
// paste long before.
const MaxText = 512 << 10

// checkText refuses what no relay would take, or what says nothing.
func checkText(text string, files []room.File) error {
	switch {
	case strings.TrimSpace(text) == "" && len(files) == 0:
		return invalid("There is nothing to send yet.")
	case len(text) > MaxText:
		return invalid("This is %d kB long; a message can have %d kB at most. Send it in parts, or as a file.", len(text)>>10, MaxText>>10)
	case !utf8.ValidString(text):
		return invalid("This text is not valid UTF-8.")
	}
	return nil
}

// in gives a room's state for an act in it.
func (c *Core) in(ref room.Ref) (*roomState, error) {
	ref, err := c.normalRef(ref)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.relays.mayOpen(ref.Relay) {
		return nil, invalid("Open %s first; it is not among your relays.", ref.Relay)
	}
	return c.room(ref), nil
}

// event gives an event of a room for an act that names it.
func (c *Core) event(r *roomState, id string) (*nostr.Event, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e := r.fold.Event(id); e != nil {
		return e, nil
	}
	return nil, &port.Error{Code: port.CodeNotFound, Message: "This message is not loaded."}
}

func (c *Core) send(ctx context.Context, p port.SendParams) (port.EventID, error) {
	if err := checkAll(checkText(p.Text, p.Files), checkRunes("The subject", p.Subject, room.MaxSubject), checkFiles(p.Files)); err != nil {
		return port.EventID{}, err
	}
	r, err := c.in(p.Room)
	if err != nil {
		return port.EventID{}, err
	}
	e, err := c.compose(r, p)
	if err != nil {
		return port.EventID{}, err
	}
	id, err := c.submit(ctx, act{event: e, room: r.ref, relays: []string{r.ref.Relay}})
	if err != nil {
		return port.EventID{}, err
	}
	if p.Draft != "" {
		if err := c.setDraft(ctx, port.Draft{Key: p.Draft}); err != nil {
			c.notice("storage", err.Error())
		}
	}
	return port.EventID{ID: id}, nil
}

// compose builds the event for what was written: a message, a reply, a thread
// or a reply in one.
func (c *Core) compose(r *roomState, p port.SendParams) (nostr.Event, error) {
	words := room.Words{Text: c.linkNames(r, p.Text), Files: p.Files, Subject: p.Subject}
	var parent, root *nostr.Event
	var err error
	if p.ReplyTo != "" {
		if parent, err = c.event(r, p.ReplyTo); err != nil {
			return nostr.Event{}, err
		}
	}
	now := c.now()
	switch {
	case p.Thread != "":
		if root, err = c.event(r, p.Thread); err != nil {
			return nostr.Event{}, err
		}
		c.mu.Lock()
		kind := r.fold.ThreadReplyKind(p.Thread)
		c.mu.Unlock()
		if parent != nil && parent.Tags.Find("tinyagent") != nil {
			kind = room.KindThreadReply // a comment on a form would be read as an answer
		}
		return room.BuildThreadReply(r.ref, kind, root, parent, words, now), nil
	case p.Subject != "":
		return room.BuildThread(r.ref, words, now), nil
	case parent != nil:
		return room.BuildReply(r.ref, parent, words, now), nil
	}
	return room.BuildMessage(r.ref, words, now), nil
}

// linkNames writes those whom a text calls by "@name" by their keys: a message
// in a room reaches the person or agent that it names, and so does a !cancel.
// A name that two bear stays as it is, but nobody takes away an agent's name by
// calling themselves the same.
func (c *Core) linkNames(r *roomState, text string) string {
	if !strings.Contains(text, "@") {
		return text
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	codes, shared := map[string]string{}, map[string]bool{}
	add := func(keys []string, taken map[string]string) {
		for _, key := range keys {
			name := c.profiles.Person(key).Name
			fold := strings.ToLower(name)
			if !c.profiles.Known(key) || taken[fold] != "" {
				continue
			}
			shared[fold] = shared[fold] || codes[fold] != "" && codes[fold] != room.NPub(key)
			codes[fold] = room.NPub(key)
		}
	}
	keys := slices.Concat(c.agentKeys(), r.fold.Members(), r.fold.People(r.fold.Window("", FirstPage, 0).IDs))
	agents, others := []string{}, []string{}
	for _, key := range keys {
		if c.isAgent(key) {
			agents = append(agents, key)
		} else if key != c.identity.me {
			others = append(others, key)
		}
	}
	add(agents, nil)
	add(others, maps.Clone(codes))
	maps.DeleteFunc(codes, func(name, _ string) bool { return shared[name] })
	return room.LinkNames(text, codes)
}

// MaxReaction is the longest reaction in code points: an emoji is a few.
const MaxReaction = 16

func (c *Core) react(ctx context.Context, p port.EventParams) error {
	if n := utf8.RuneCountInString(p.Text); n == 0 || n > MaxReaction {
		return invalid("A reaction is one emoji.")
	}
	r, err := c.in(p.Room)
	if err != nil {
		return err
	}
	target, err := c.event(r, p.ID)
	if err != nil {
		return err
	}
	if target.Tags.Find("request") != nil && (p.Text == "+" || p.Text == "-") {
		return invalid("+ and - answer a question here; press Approve or Deny, or choose another emoji.")
	}
	_, err = c.submit(ctx, act{event: room.BuildReaction(r.ref, target, p.Text, c.now()), room: r.ref, relays: []string{r.ref.Relay}})
	return err
}

func (c *Core) unreact(ctx context.Context, p port.EventParams) error {
	r, err := c.in(p.Room)
	if err != nil {
		return err
	}
	c.mu.Lock()
	ids := r.fold.SameReactions(p.ID)
	var targets []*nostr.Event
	for _, id := range ids {
		if e := r.fold.Event(id); e != nil && e.PubKey == c.identity.me {
			targets = append(targets, e)
		}
	}
	c.mu.Unlock()
	if len(targets) == 0 {
		return &port.Error{Code: port.CodeNotFound, Message: "This reaction is not yours, or is gone."}
	}
	return c.takeBack(ctx, r, targets)
}

// takeBack deletes own events; one that no relay has yet just never leaves.
func (c *Core) takeBack(ctx context.Context, r *roomState, targets []*nostr.Event) error {
	var sent []*nostr.Event
	for _, e := range targets {
		c.mu.Lock()
		entry := c.outbox[e.ID]
		unsent := entry != nil && canDiscard(entry)
		c.mu.Unlock()
		if unsent {
			c.withdraw(ctx, e.ID)
		} else {
			sent = append(sent, e)
		}
	}
	if len(sent) == 0 {
		return nil
	}
	_, err := c.submit(ctx, act{event: room.BuildDelete(r.ref, sent, "", c.now()), room: r.ref, relays: []string{r.ref.Relay}})
	return err
}

func (c *Core) edit(ctx context.Context, p port.EventParams) error {
	if err := checkText(p.Text, nil); err != nil {
		return err
	}
	r, err := c.in(p.Room)
	if err != nil {
		return err
	}
	target, err := c.event(r, p.ID)
	if err != nil {
		return err
	}
	if target.PubKey != c.me() {
		return invalid("Only its author can edit a message.")
	}
	_, err = c.submit(ctx, act{event: room.BuildEdit(r.ref, target, c.linkNames(r, p.Text), c.now()), room: r.ref, relays: []string{r.ref.Relay}})
	return err
}

func (c *Core) deleteEvent(ctx context.Context, p port.EventParams) error {
	r, err := c.in(p.Room)
	if err != nil {
		return err
	}
	target, err := c.event(r, p.ID)
	if err != nil {
		return err
	}
	me := c.me()
	if target.PubKey == me {
		return c.takeBack(ctx, r, []*nostr.Event{target})
	}
	c.mu.Lock()
	admin := r.fold.IsAdmin(me)
	c.mu.Unlock()
	if !admin {
		return invalid("Only its author or an admin of the room can delete a message.")
	}
	_, err = c.submit(ctx, act{event: room.BuildModDelete(r.ref, p.ID, "", c.now()), room: r.ref, relays: []string{r.ref.Relay}})
	return err
}

func (c *Core) report(ctx context.Context, p port.EventParams) error {
	if err := checkRunes("A report", p.Text, MaxReport); err != nil {
		return err
	}
	r, err := c.in(p.Room)
	if err != nil {
		return err
	}
	target, err := c.event(r, p.ID)
	if err != nil {
		return err
	}
	_, err = c.submit(ctx, act{event: room.BuildReport(r.ref, target, p.Text, "", c.now()), room: r.ref, relays: []string{r.ref.Relay}})
	return err
}

// publicKey reads a hex key, npub or nprofile.
func publicKey(text string) (string, error) {
	text = strings.TrimPrefix(strings.TrimSpace(text), "nostr:")
	if verify.IsPublicKey(text) {
		return text, nil
	}
	if code, err := room.DecodeCode(text); err == nil && code.PubKey != "" {
		return code.PubKey, nil
	}
	if strings.HasPrefix(text, "nsec1") {
		return "", invalid("This is a secret key. Show it to nobody; what is needed here is a public key, npub1...")
	}
	return "", invalid("This is no public key: it looks like npub1..., nprofile1... or 64 hex digits.")
}
