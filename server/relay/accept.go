package relay

import (
	"crypto/rand"
	"errors"
	"math"
	"strings"
	"unicode/utf8"

	"github.com/nbd-wtf/go-nostr"

	"parley/server/relay/store"
	"parley/wasm/verify"
)

// pending is an event between its arrival and its commit. Those of one
// connection are taken and finished in the order they came in.
type pending struct {
	ev    *nostr.Event
	keys  keyring // those the client held when it sent the event
	own   bool    // the program's own, which has no limits
	bytes int

	good bool         // it was found good: without this nobody gets it
	err  error        // why it is refused
	kept <-chan error // the store's result; nil when there is none to wait for
	done bool         // it was broadcast with what follows from it
}

// accept checks events and hands them to the store, without waiting for the
// commit: finish does. Their signatures are checked together, which takes a
// fraction of the time.
func (r *Relay) accept(batch []pending) {
	var events []*nostr.Event
	var whose []*pending
	for i := range batch {
		p := &batch[i]
		if p.err == nil {
			p.err = r.check(p.ev, p.keys)
		}
		if p.err == nil {
			events, whose = append(events, p.ev), append(whose, p)
		}
	}
	for i, err := range verify.Batch(events, rand.Reader) {
		if p := whose[i]; err != nil {
			p.err = refuse(invalid, "%s", verifyWords(err))
		} else {
			r.admit(p)
		}
	}
}

// admit takes an event that is its author's.
func (r *Relay) admit(p *pending) {
	ev := p.ev
	p.good = true
	if !p.own {
		if wait, ok := r.gates.author(ev.PubKey); !ok {
			p.err = slowDown("events of this key", wait)
			return
		}
	}
	if moderation(ev.Kind) {
		p.err = r.moderate(ev)
		p.done = true
		return
	}
	if p.err = r.rooms.mayWrite(ev); p.err != nil {
		return
	}
	if !stored(ev.Kind) {
		p.err = r.checkPassing(ev)
		return
	}
	p.kept = r.store.Submit(func(tx *store.Tx) error {
		if err := checkPrevious(tx, ev); err != nil {
			return err
		}
		if err := r.ask(tx, ev); err != nil {
			return err
		}
		return tx.Save(ev, r.now())
	})
}

// finish waits for the commit and passes the event on. It returns what an OK
// message says: a nil error is acceptance, with words that may be empty.
func (r *Relay) finish(p pending) (words string, err error) {
	err = p.err
	if err == nil && p.kept != nil {
		err = <-p.kept
	}
	switch {
	case err == nil && !p.good:
		return "", refuse(failed, "the relay could not check this event")
	case errors.Is(err, store.ErrDuplicate):
		return r.refusalOf(err), nil // nobody gets it a second time
	case err != nil:
		return "", refusal(r.refusalOf(err))
	}
	if !p.done {
		r.broadcast(p.ev)
	}
	return "", nil
}

// checkPassing is for what is passed on and not kept. A copy is no error, but
// it goes to nobody.
func (r *Relay) checkPassing(ev *nostr.Event) error {
	if at := store.Expires(ev); at != 0 && at <= r.now() {
		return store.ErrExpired
	}
	if !r.seen.add(ev.ID) {
		return store.ErrDuplicate
	}
	return nil
}

// check is all that can be said of an event before its signature is checked.
func (r *Relay) check(ev *nostr.Event, keys keyring) error {
	if err := checkForm(ev, r.now()); err != nil {
		return err
	}
	if roomMeta(ev.Kind) && ev.PubKey != r.key.public {
		return refuse(blocked, "only the relay itself says what a room is")
	}
	return checkProtected(ev, keys)
}

func verifyWords(err error) string {
	for _, known := range []error{verify.ErrID, verify.ErrSignature, verify.ErrForm} {
		if errors.Is(err, known) {
			return known.Error()
		}
	}
	return "this is not an event"
}

// checkForm is what NIP-01 and our limits ask of an event.
func checkForm(ev *nostr.Event, now int64) error {
	switch {
	case !isHex(ev.ID, 64) || !isHex(ev.PubKey, 64) || !isHex(ev.Sig, 128):
		return refuse(invalid, "id, pubkey and sig must be lowercase hex of 64, 64 and 128 digits")
	case ev.Kind < 0 || ev.Kind > math.MaxUint16:
		return refuse(invalid, "the kind must be a number from 0 to 65535")
	case ev.CreatedAt < 0:
		return refuse(invalid, "the date is before 1970")
	case int64(ev.CreatedAt) > now+int64(MaxAhead.Seconds()):
		return refuse(invalid, "the date is more than %d minutes ahead; check the clock of your device", int(MaxAhead.Minutes()))
	case len(ev.Content) > MaxContent && utf8.RuneCountInString(ev.Content) > MaxContent:
		return refuse(invalid, "the content is longer than %d characters", MaxContent)
	case len(ev.Tags) > MaxTags:
		return refuse(invalid, "there are more than %d tags", MaxTags)
	case ev.Kind == kindAuth:
		return refuse(invalid, "send this kind in an AUTH message")
	}
	rooms := 0
	for _, tag := range ev.Tags {
		switch {
		case len(tag) == 0:
			return refuse(invalid, "one of the tags is empty")
		case tag[0] == "h":
			if rooms++; len(tag) < 2 || tag[1] == "" {
				return refuse(invalid, "the h tag names no room")
			}
		}
	}
	switch {
	case rooms > 1:
		return refuse(invalid, "an event belongs to one room: there must be one h tag, not %d", rooms)
	case rooms == 0 && needsRoom(ev.Kind):
		return refuse(invalid, "this kind of event belongs to a room: the h tag is missing")
	}
	return nil
}

// checkProtected is NIP-70: an event with a "-" tag comes from its author, and
// is not carried inside a repost.
func checkProtected(ev *nostr.Event, keys keyring) error {
	switch {
	case protected(ev) && len(keys) == 0:
		return refuse(authRequired, "only its author may send this event")
	case protected(ev) && !keys.has(ev.PubKey):
		return refuse(restricted, "only its author may send this event")
	}
	if ev.Kind != kindRepost && ev.Kind != kindGroupRepost || !strings.Contains(ev.Content, `"-"`) {
		return nil
	}
	if inner, err := verify.ParseEvent([]byte(ev.Content)); err == nil && protected(inner) {
		return refuse(blocked, "the event inside this repost is protected by its author")
	}
	return nil
}

// checkPrevious is "Timeline references" of NIP-29: a message that was written
// for another relay's version of the room names events we do not have. Those of
// other rooms count: they are "events seen by the user in the relay".
func checkPrevious(tx *store.Tx, ev *nostr.Event) error {
	if store.Room(ev) == "" {
		return nil
	}
	count := 0
	for tag := range ev.Tags.FindAll("previous") {
		for _, prefix := range tag[1:] {
			if count++; count > MaxPrevious {
				return refuse(invalid, "it refers to more than %d earlier messages", MaxPrevious)
			}
			known, err := tx.Knows(prefix)
			if err != nil {
				return err
			}
			if !known {
				return refuse(blocked, "it refers to a message that this relay does not have")
			}
		}
	}
	return nil
}

func protected(ev *nostr.Event) bool {
	for _, tag := range ev.Tags {
		if len(tag) > 0 && tag[0] == "-" {
			return true
		}
	}
	return false
}

func isHex(s string, digits int) bool {
	if len(s) != digits {
		return false
	}
	for i := range len(s) {
		if c := s[i]; (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}
