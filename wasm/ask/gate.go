package ask

import (
	"errors"
	"fmt"

	"github.com/nbd-wtf/go-nostr"
)

// MaxClockOff is how far, in seconds, an answer's created_at may lie from the
// clock of the relay that takes it, so that nobody can date a late answer back
// to before the deadline.
const MaxClockOff = 300

// CheckRequest is what a relay asks of an event before it takes it as a
// question: nil for a valid native form and for anything that is none, else
// what is wrong, in words. The relay puts the NIP-01 prefix before it.
func CheckRequest(ev *nostr.Event) error {
	if Classify(ev) != Native {
		return nil
	}
	if _, err := Parse(ev); err != nil {
		return fmt.Errorf("%s: %w", NoteInvalid, err)
	}
	return nil
}

// CheckAnswer is what a relay asks of an event that names a request it holds:
// nil for an answer that counts and for an event that is no answer (the
// asker's own comments, replies to comments, ordinary reactions, anything on an
// event that is no request), else why it would not count, in words. Now is the
// relay's clock in unix seconds.
//
// Older requests are open to everybody's replies; of theirs only those of
// asked people are held to the time.
func CheckAnswer(req, answer *nostr.Event, now int64) error {
	r, _ := Parse(req) // an invalid request says so itself, in Invalid
	if r == nil {
		return nil
	}
	act := r.act(answer)
	if act == "" || r.Form == Older && !r.asks(answer.PubKey) {
		return nil
	}
	if _, fault := r.judge(answer, act); fault != nil {
		return fault
	}
	if r.Expires != 0 && now >= r.Expires {
		return errors.New("the time to answer has passed")
	}
	if off := int64(answer.CreatedAt) - now; off > MaxClockOff || off < -MaxClockOff {
		return fmt.Errorf("its date is more than %d s away from the time it is: check the clock", MaxClockOff)
	}
	return nil
}
