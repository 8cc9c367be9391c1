package relay

import (
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nbd-wtf/go-nostr"
)

// subPhase is where a subscription stands.
type subPhase int

const (
	subInLine  subPhase = iota // to be asked as soon as there is room
	subAsked                   // on the wire, before EOSE
	subLive                    // on the wire, after EOSE
	subResting                 // closed by the relay, to be asked again at retryAt
	subParked                  // needs AUTH, which is under way or was refused
)

// sub is a subscription, or one Fetch.
type sub struct {
	name    string
	filters func(since int64) []nostr.Filter
	one     *oneShot // set for a Fetch

	phase subPhase
	id    string // on the wire
	asked []nostr.Filter
	since int64
	// authed is whether it was asked after AUTH, told whether the caller knows
	// that it is parked.
	authed, told bool
	// stored and oldest describe what came before EOSE.
	stored int
	oldest int64

	// complete is whether EOSE ever came. Only then confirmed means anything:
	// relays send the newest first, so what came before an EOSE may have a gap
	// below it. newest is what confirmed becomes at EOSE.
	complete          bool
	confirmed, newest int64
	seen              seen

	eoseBy, eoseLimit time.Time
	eoseTries         int
	retryAt           time.Time
	refusals          int
}

// deadline gives when something must happen to the subscription.
func (s *sub) deadline() time.Time {
	switch s.phase {
	case subAsked:
		if s.eoseLimit.Before(s.eoseBy) {
			return s.eoseLimit
		}
		return s.eoseBy
	case subResting:
		return s.retryAt
	}
	return time.Time{}
}

// onWire tells whether the subscription takes up a place at the relay.
func (s *sub) onWire() bool { return s.phase == subAsked || s.phase == subLive }

// disconnected puts the subscription back in line for the next connection.
func (s *sub) disconnected() {
	s.phase, s.id, s.told = subInLine, "", false
	s.eoseTries, s.refusals = 0, 0
}

func (r *relay) subscribe(spec Subscription) {
	r.unsubscribe(spec.Name)
	r.subs = append(r.subs, &sub{name: spec.Name, filters: spec.Filters})
	r.kick()
}

func (r *relay) unsubscribe(name string) {
	for _, s := range r.subs {
		if s.name == name {
			r.endSub(s, fetched{err: ErrClosed})
			return
		}
	}
}

// endSub forgets a subscription and tells a Fetch what came of it.
func (r *relay) endSub(s *sub, outcome fetched) {
	r.subs = slices.DeleteFunc(r.subs, func(o *sub) bool { return o == s })
	r.takeOff(s)
	if s.one != nil {
		s.one.finish(outcome)
	}
}

// takeOff closes a subscription at the relay.
func (r *relay) takeOff(s *sub) {
	if s.id == "" {
		return
	}
	id := s.id
	delete(r.byID, id)
	s.id = ""
	r.send(closeFrame(id))
}

// openSubs asks for what is in line while there is room.
func (r *relay) openSubs(now time.Time) {
	live, once := 0, 0
	for _, s := range r.subs {
		switch {
		case !s.onWire():
		case s.one != nil:
			once++
		default:
			live++
		}
	}
	for _, s := range slices.Clone(r.subs) {
		if s.phase != subInLine || r.link.conn == nil {
			continue
		}
		if s.one != nil && once < MaxOneShot {
			once++
			r.ask(s, now)
		} else if s.one == nil && live < MaxLive {
			live++
			r.ask(s, now)
		}
	}
}

// ask sends a subscription under a fresh id, so that what still arrives for
// the one before cannot be mistaken.
func (r *relay) ask(s *sub, now time.Time) {
	s.since = 0
	if s.complete {
		s.since = max(s.confirmed-Overlap, 0)
	}
	s.asked = s.filters(s.since)
	id := r.pool.freshID()
	frame, err := reqFrame(id, s.asked)
	if err != nil || len(s.asked) == 0 {
		r.endSub(s, fetched{err: err})
		if s.one == nil {
			r.push(Incoming{Kind: GotClosed, Sub: s.name, Reason: "invalid: there are no filters to ask for"})
		}
		return
	}
	s.id, r.byID[id] = id, s
	s.phase, s.authed = subAsked, r.auth.phase == authDone
	s.stored, s.oldest, s.newest = 0, 0, s.confirmed
	s.eoseTries++
	s.eoseBy, s.eoseLimit = now.Add(EOSEWait), now.Add(EOSELimit)
	r.send(frame)
}

func (r *relay) gotEvent(m message, now time.Time) {
	s := r.byID[m.id]
	switch {
	case s != nil:
	case m.id == r.probe.id && m.id != "":
		r.probeAnswered(msgEvent)
		return
	default:
		r.unasked()
		return
	}
	if !slices.ContainsFunc(s.asked, func(f nostr.Filter) bool { return f.MatchesIgnoringTimestampConstraints(m.event) }) {
		r.front.note(func(d *Diagnostics) { d.Unmatched++ })
		return
	}
	// A clock that is ahead must not move the place to ask again from.
	at := min(int64(m.event.CreatedAt), now.Unix())
	if s.phase == subAsked {
		s.eoseBy = now.Add(EOSEWait)
		s.newest = max(s.newest, at)
		if s.stored == 0 || int64(m.event.CreatedAt) < s.oldest {
			s.oldest = int64(m.event.CreatedAt)
		}
		s.stored++
	} else if s.complete {
		s.confirmed = max(s.confirmed, at)
	}
	if !s.seen.add(m.event.ID) {
		r.front.note(func(d *Diagnostics) { d.Duplicates++ })
		return
	}
	if s.one != nil {
		if s.one.events = append(s.one.events, m.event); len(s.one.events) == MaxFetch {
			r.endSub(s, fetched{})
		}
		return
	}
	r.push(Incoming{Kind: GotEvent, Sub: s.name, Event: m.event, Raw: m.raw})
	r.checkBacklog()
}

func (r *relay) gotEOSE(id string) {
	s := r.byID[id]
	switch {
	case id == r.probe.id && id != "":
		r.probeAnswered(msgEOSE)
		return
	case s == nil || s.phase != subAsked:
		r.unasked()
		return
	}
	s.phase, s.complete, s.confirmed = subLive, true, s.newest
	s.eoseTries, s.refusals = 0, 0
	if s.one != nil {
		r.endSub(s, fetched{complete: true})
		return
	}
	r.push(Incoming{Kind: GotEOSE, Sub: s.name, Stored: s.stored, Oldest: s.oldest, Since: s.since})
}

// gotClosed handles a relay that ended a subscription.
func (r *relay) gotClosed(id, reason string, now time.Time) {
	s := r.byID[id]
	switch {
	case id == r.probe.id && id != "":
		r.probeAnswered(msgClosed)
		return
	case s == nil:
		r.unasked()
		return
	}
	delete(r.byID, id)
	s.id = ""
	prefix, _, _ := strings.Cut(reason, ":")
	switch {
	case prefix == prefixAuth && !s.authed:
		s.phase, s.told = subParked, false
		if r.auth.phase == authDone {
			s.phase = subInLine // it was refused before AUTH was through
		}
		r.wantAuth(now)
	case prefix == prefixAuth:
		// AUTH did not help. A new connection may.
		r.park(s, reason)
	case s.one != nil:
		r.endSub(s, fetched{err: fmt.Errorf("%w: %s", ErrRefused, reason)})
	case prefix == prefixRate || prefix == prefixError:
		s.refusals++
		s.phase = subResting
		s.retryAt = now.Add(backoff(s.refusals, FirstAskAgain, LastAskAgain))
		s.eoseTries = 0
		r.push(Incoming{Kind: GotClosed, Sub: s.name, Reason: reason, Retry: true})
	default:
		r.endSub(s, fetched{})
		r.push(Incoming{Kind: GotClosed, Sub: s.name, Reason: reason})
	}
}

// park reports that a subscription does not get the AUTH it needs. It stays,
// for the next connection or a change of mind.
func (r *relay) park(s *sub, reason string) {
	if s.one != nil {
		r.endSub(s, fetched{err: fmt.Errorf("%w: %s", ErrRefused, reason)})
		return
	}
	s.phase, s.told = subParked, true
	r.push(Incoming{Kind: GotClosed, Sub: s.name, Reason: reason, Retry: true})
}

// The prefixes of NIP-01 and NIP-42 that are not final.
const (
	prefixAuth  = "auth-required"
	prefixRate  = "rate-limited"
	prefixError = "error"
)

// expireSubs asks again where EOSE did not come or a rest is over.
func (r *relay) expireSubs(now time.Time) {
	for _, s := range slices.Clone(r.subs) {
		at := s.deadline()
		if at.IsZero() || now.Before(at) || r.link.conn == nil {
			continue
		}
		if s.phase == subResting {
			s.phase = subInLine
			continue
		}
		r.missedEOSE(s, now)
	}
}

// missedEOSE reports a subscription whose EOSE did not come, and asks again.
func (r *relay) missedEOSE(s *sub, now time.Time) {
	if now.Sub(r.link.lastFrame) >= EOSEWait {
		r.startProbe() // perhaps the whole connection is dead
	}
	if s.one != nil {
		r.endSub(s, fetched{})
		return
	}
	again := s.eoseTries < EOSETries
	r.push(Incoming{Kind: EOSETimeout, Sub: s.name, Reason: "the relay did not say when it had sent everything", Retry: again})
	if again {
		r.takeOff(s)
		s.phase = subInLine
	} else {
		s.phase = subLive // what comes is still welcome; complete stays as it was
	}
}

// seen remembers the last MaxSeen event ids.
type seen struct {
	known map[[32]byte]bool
	order [][32]byte
	next  int
}

// add gives false for an id that is remembered.
func (s *seen) add(id string) bool {
	var key [32]byte
	if _, err := hex.Decode(key[:], []byte(id)); err != nil || s.known[key] {
		return false
	}
	if s.known == nil {
		s.known = map[[32]byte]bool{}
	}
	if len(s.order) < MaxSeen {
		s.order = append(s.order, key)
	} else {
		delete(s.known, s.order[s.next])
		s.order[s.next] = key
		s.next = (s.next + 1) % MaxSeen
	}
	s.known[key] = true
	return true
}
