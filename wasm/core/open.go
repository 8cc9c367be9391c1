package core

import (
	"context"
	"errors"
	"slices"

	"github.com/nbd-wtf/go-nostr"

	"parley/wasm/run"
	"parley/wasm/signer"
)

const plainBucket = "plain" // decrypted texts of outside signers, sealed, by event id

// openings is what is being decrypted. A key that is kept here decrypts at
// once; a signer outside is asked in the order that matters most, and never
// twice for one event.
type openings struct {
	queue  run.DecryptQueue
	inputs map[string]run.Input // what waits in the queue, by event id
	// refused holds what the signer did not want to open; then nothing more is
	// asked, paused, until the person wants it.
	refused map[string]run.Input
	paused  bool
	later   map[string]run.Input // what could not be opened since the signer was away, by event id
}

func newOpenings() openings {
	return openings{inputs: map[string]run.Input{}, later: map[string]run.Input{}, refused: map[string]run.Input{}}
}

// peerOf is with whom the content of a message is shared.
func (c *Core) peerOf(e *nostr.Event) string {
	if e.PubKey != c.identity.me {
		return e.PubKey
	}
	if p := e.Tags.Find("p"); len(p) > 1 {
		return p[1]
	}
	return ""
}

// openMessage decrypts a message of an AI session and folds it; one that
// cannot be decrypted now is folded sealed and comes again. mu is held.
func (c *Core) openMessage(in run.Input) {
	client, _ := c.sides(in.Event)
	if client != c.identity.me || client == "" {
		return
	}
	if c.dropsHere(in.Event) {
		return
	}
	s := c.identity.signers[c.identity.me]
	if s == nil || !s.Local() {
		c.foldMessage(in)
		if s != nil && in.Opening == run.Sealed {
			c.queueOpening(in)
		}
		return
	}
	text, err := s.Decrypt(c.ctx, in.Event.Content, c.peerOf(in.Event))
	c.foldOpened(in, text, err)
}

// foldOpened folds what a decryption came to.
func (c *Core) foldOpened(in run.Input, text string, err error) {
	switch {
	case err == nil:
		in.Opening, in.Plain = run.Opened, text
	case in.Wrapped && run.IsPlain(in.Event.Content):
		in.Opening, in.Plain, in.PlainIn = run.Opened, in.Event.Content, true
	default:
		in.Opening = run.Unreadable
	}
	c.foldMessage(in)
}

// dropsHere tells whether an event belongs to a run that was deleted here.
func (c *Core) dropsHere(e *nostr.Event) bool {
	return c.sessions.hidden[e.ID] || c.sessions.hidden[run.RunOf(e)]
}

// openWrap opens a gift wrap and folds the message in it. mu is held.
func (c *Core) openWrap(e *nostr.Event, seen int64) {
	s := c.identity.signers[c.identity.me]
	if p := e.Tags.Find("p"); s == nil || len(p) < 2 || p[1] != c.identity.me {
		return
	}
	if s.Local() {
		if rumour, err := unwrap(c.ctx, s, e); err == nil {
			c.openRumour(rumour, e.ID, seen)
		}
		return
	}
	c.queueOpening(run.Input{Event: e, Seen: seen})
}

// unwrap opens both layers of a gift wrap (NIP-59) and checks them.
func unwrap(ctx context.Context, s signer.Signer, wrap *nostr.Event) (*nostr.Event, error) {
	return run.Unwrap(wrap, s.PublicKey(), func(peer, payload string) (string, error) { return s.Decrypt(ctx, payload, peer) })
}

// openRumour folds the message that a gift wrap hides. The wraps of a run that was
// deleted here go, too. mu is held.
func (c *Core) openRumour(rumour *nostr.Event, wrap string, seen int64) {
	if c.dropsHere(rumour) {
		c.spawn(func() {
			if err := c.Store.Delete(c.ctx, []string{wrap}); err != nil && c.ctx.Err() == nil {
				c.notice("storage", "What was deleted cannot be forgotten: "+err.Error())
			}
		})
		return
	}
	if !slices.Contains(c.sessions.wrapsOf[rumour.ID], wrap) {
		c.sessions.wrapsOf[rumour.ID] = append(c.sessions.wrapsOf[rumour.ID], wrap)
	}
	c.openMessage(run.Input{Event: rumour, Seen: seen, Wrapped: true})
}

// decryptAgain asks a signer that had refused once more, because the person
// wants it.
func (c *Core) decryptAgain(context.Context, nothing) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	o := &c.sessions.secrets
	o.paused = false
	for id, in := range o.refused {
		o.later[id] = in
	}
	clear(o.refused)
	c.dirtySealed()
	c.openAgain()
	c.startOpening()
	c.touch()
	return nil
}

// otherTab tells whether there is a tab to ask a browser extension in. mu is held.
func (c *Core) otherTab() bool {
	strange, known := c.strange[c.identity.lastTab]
	return known && !strange && c.identity.accounts[c.identity.me].Kind == signer.KindExtension
}

// dirtySealed has the runs looked at that hold what is not decrypted yet.
// mu is held.
func (c *Core) dirtySealed() {
	for id := range c.sessions.runs {
		c.dirtyEvent(id)
	}
}

// queueOpening puts a message in line for a signer outside. mu is held.
func (c *Core) queueOpening(in run.Input) {
	id := in.Event.ID
	if _, waits := c.sessions.secrets.inputs[id]; waits {
		return
	}
	c.sessions.secrets.inputs[id] = in
	c.sessions.secrets.queue.Push(run.DecryptJob{ID: id, Kind: in.Event.Kind, Run: run.RunOf(in.Event)})
	c.startOpening()
}

// openAgain puts in line again what could not be opened while the signer was
// away. mu is held.
func (c *Core) openAgain() {
	later := c.sessions.secrets.later
	c.sessions.secrets.later = map[string]run.Input{}
	for _, in := range later {
		c.queueOpening(in)
	}
}

// startOpening keeps up to run.MaxInFlight decryptions in flight. mu is held.
func (c *Core) startOpening() {
	o := &c.sessions.secrets
	for !o.paused {
		job, ok := o.queue.Next()
		if !ok {
			return
		}
		in, me := o.inputs[job.ID], c.identity.me
		s := c.identity.signers[me]
		if s == nil {
			o.queue.Done(job.ID, false)
			continue
		}
		c.spawn(func() { c.openOutside(s, me, in) })
	}
}

// openOutside opens one message with a signer outside: from the cache of what
// it has opened before, else by asking it.
func (c *Core) openOutside(s signer.Signer, me string, in run.Input) {
	e := in.Event
	var rumour *nostr.Event
	var text string
	var err error
	if e.Kind == run.KindWrap || e.Kind == run.KindWrapLive {
		rumour, err = run.Unwrap(e, me, func(peer, payload string) (string, error) { return c.openCached(s, payload, peer) })
	} else {
		c.mu.Lock()
		peer := c.peerOf(e)
		c.mu.Unlock()
		text, err = c.openCached(s, e.Content, peer)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.identity.me != me {
		return
	}
	c.sessions.secrets.queue.Done(e.ID, err == nil)
	delete(c.sessions.secrets.inputs, e.ID)
	switch {
	case rumour != nil:
		c.openRumour(rumour, e.ID, in.Seen)
	case err == nil || !isRefusal(err):
		c.foldOpened(in, text, err)
	case errors.Is(err, signer.ErrAway):
		c.sessions.secrets.later[e.ID] = in
		if !s.Local() && c.otherTab() {
			c.openAgain()
		}
	default: // somebody said no: nothing more is asked until the person wants it
		c.sessions.secrets.refused[e.ID] = in
		if !c.sessions.secrets.paused {
			c.sessions.secrets.paused = true
			c.dirtySealed()
		}
	}
	c.startOpening()
	c.touch()
}
