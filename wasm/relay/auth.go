package relay

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/nbd-wtf/go-nostr"
)

// authPhase is where NIP-42 stands on one connection.
type authPhase int

const (
	authIdle      authPhase = iota // nothing has needed it yet
	authAsking                     // the person is being asked
	authChallenge                  // waiting for the relay's challenge
	authSigning                    // the event is being signed
	authSent                       // waiting for the relay's OK
	authDone                       // accepted
	authRefused                    // by the person, the signer or the relay
)

// auth is NIP-42 on one connection. What needs it waits until the relay's OK
// was seen: relays handle messages side by side.
type auth struct {
	phase     authPhase
	challenge string
	// used is the challenge that was signed, eventID the event's id.
	used, eventID string
	// deadline is when the relay must have sent its challenge or its OK.
	deadline time.Time
	reason   string
}

// kindAuth is the event of NIP-42.
const kindAuth = 22242

func (r *relay) gotChallenge(challenge string) {
	r.auth.challenge = challenge
	if r.auth.phase == authChallenge {
		r.sign()
	}
}

// wantAuth begins AUTH, unless it has begun on this connection already.
func (r *relay) wantAuth(now time.Time) {
	switch r.auth.phase {
	case authRefused:
		r.refuseAuth(r.auth.reason)
	case authIdle:
		r.beginAuth(now)
	}
}

func (r *relay) beginAuth(now time.Time) {
	policy := AuthAsk
	if r.pool.options.Policy != nil {
		policy = r.pool.options.Policy(r.url)
	}
	given, known := r.pool.consentOf(r.url)
	switch {
	case policy == AuthNever:
		r.refuseAuth("signing in to this relay is turned off")
	case policy == AuthAlways || (known && given):
		r.challenged(now)
	case known:
		r.refuseAuth("you chose not to sign in to this relay")
	default:
		r.auth.phase = authAsking
		r.askPerson()
	}
}

// askPerson asks once, however often the connection comes and goes meanwhile.
func (r *relay) askPerson() {
	if r.asking {
		return
	}
	ask := r.pool.options.Ask
	if ask == nil {
		ask = func(context.Context, string) (bool, error) { return false, nil }
	}
	r.asking = true
	r.pool.wg.Go(func() {
		yes, err := ask(r.ctx, r.url)
		if err == nil {
			r.pool.setConsent(r.url, yes)
		}
		r.mail.post(func() {
			r.asking = false
			if r.auth.phase != authAsking {
				return
			}
			if err != nil {
				r.refuseAuth(err.Error())
				return
			}
			r.auth.phase = authIdle
			r.beginAuth(r.now())
		})
	})
}

// challenged signs as soon as there is a challenge.
func (r *relay) challenged(now time.Time) {
	if r.auth.challenge == "" {
		r.auth.phase, r.auth.deadline = authChallenge, now.Add(ChallengeWait)
		return
	}
	r.sign()
}

// sign has the event made, for as long as that takes.
func (r *relay) sign() {
	r.auth.phase, r.auth.used, r.auth.deadline = authSigning, r.auth.challenge, time.Time{}
	auth := r.pool.options.Auth
	if auth == nil {
		r.refuseAuth(ErrNoAuth.Error())
		return
	}
	conn, ctx, challenge := r.link.conn, r.link.ctx, r.auth.used
	r.pool.wg.Go(func() {
		ev, err := auth(ctx, r.url, challenge)
		if err == nil {
			err = checkAuth(ev, r.url, challenge)
		}
		r.mail.post(func() {
			if r.link.conn == conn {
				r.signed(ev, err)
			}
		})
	})
}

// checkAuth makes sure that what goes out as AUTH is one, for this relay.
func checkAuth(ev *nostr.Event, url, challenge string) error {
	has := func(name, value string) bool {
		return slices.ContainsFunc(ev.Tags, func(tag nostr.Tag) bool {
			return len(tag) >= 2 && tag[0] == name && tag[1] == value
		})
	}
	if ev == nil || ev.Kind != kindAuth || !has("relay", url) || !has("challenge", challenge) {
		return errors.New("the signer did not sign what was asked")
	}
	return nil
}

func (r *relay) signed(ev *nostr.Event, err error) {
	frame := ""
	if err == nil {
		frame, err = eventFrame(msgAuth, ev)
	}
	if err != nil {
		r.refuseAuth(err.Error())
		return
	}
	r.auth.phase, r.auth.eventID = authSent, ev.ID
	r.auth.deadline = r.now().Add(OKWait)
	r.send(frame)
}

// authAnswered takes the relay's OK to our AUTH.
func (r *relay) authAnswered(ok bool, message string, now time.Time) {
	r.auth.deadline = time.Time{}
	switch {
	case ok:
		r.auth.phase = authDone
		r.unpark()
	case r.auth.challenge != r.auth.used:
		// The relay sent another challenge while we signed the first.
		r.challenged(now)
	default:
		r.refuseAuth(fmt.Sprintf("the relay did not accept the sign-in: %s", message))
	}
}

// unpark asks and sends again what waited for AUTH.
func (r *relay) unpark() {
	for _, s := range r.subs {
		if s.phase == subParked {
			s.phase, s.told, s.eoseTries = subInLine, false, 0
		}
	}
	for _, p := range r.pubs {
		p.parked = false
	}
}

// refuseAuth remembers that there is no AUTH on this connection, and tells
// everything that waits for it.
func (r *relay) refuseAuth(reason string) {
	r.auth.phase, r.auth.reason, r.auth.deadline = authRefused, words(reason), time.Time{}
	for _, s := range slices.Clone(r.subs) {
		if s.phase == subParked && !s.told {
			r.park(s, prefixAuth+": "+r.auth.reason)
		}
	}
	for _, p := range r.pubs {
		if p.parked {
			r.finishPub(p, published{answer: Answer{Message: p.refusal}})
		}
	}
}

// reconsider lets a refused AUTH begin anew.
func (r *relay) reconsider() {
	if r.auth.phase == authRefused {
		r.auth.phase = authIdle
		r.unpark()
	}
}

// expireAuth gives up on a relay that demands AUTH and does not go on.
func (r *relay) expireAuth(now time.Time) {
	if r.auth.deadline.IsZero() || now.Before(r.auth.deadline) {
		return
	}
	if r.auth.phase == authChallenge {
		r.refuseAuth("the relay demands a sign-in but sends no challenge")
	} else {
		r.refuseAuth("the relay did not answer the sign-in")
	}
}
