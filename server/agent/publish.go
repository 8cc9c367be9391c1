package agent

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"github.com/nbd-wtf/go-nostr"

	"parley/wasm/relay"
)

// verdict is what relays made of an event.
type verdict struct {
	stored  bool   // one has it
	refused bool   // one said no
	final   bool   // all refused it for good
	size    bool   // all refused it, one of them for its size
	lost    bool   // one dropped the connection instead of answering
	words   string // of a relay that refused, or what went wrong
}

// answer is what one relay made of an event.
type answer struct {
	relay.Answer
	url string
	err error
}

// publish sends a signed event to relays and waits until one has taken it, all
// have answered, or ctx ends; what is under way then goes on behind.
func (a *Agent) publish(ctx context.Context, urls []string, ev *nostr.Event) verdict {
	answers := make(chan answer, len(urls))
	for _, url := range urls {
		a.wg.Go(func() { // ends within relay.OKWait, or with talk
			got, err := a.pool.Publish(a.talk, url, ev)
			answers <- answer{got, url, err}
		})
	}
	v := verdict{final: true}
	for range urls {
		select {
		case got := <-answers:
			if v.note(got, ev) {
				return v
			}
		case <-ctx.Done():
			v.final = false
			if v.words == "" {
				v.words = "the relays did not answer in time"
			}
			return v
		}
	}
	return v
}

// note takes one relay's answer; it is true when nothing else matters any more.
func (v *verdict) note(got answer, ev *nostr.Event) (settled bool) {
	prefix, _, _ := strings.Cut(got.Message, ":")
	switch {
	case got.err == nil && (got.OK || prefix == "duplicate"):
		*v = verdict{stored: true}
		return true
	case got.err != nil:
		v.words, v.final = got.err.Error(), false
		v.lost = v.lost || errors.Is(got.err, relay.ErrLost)
		return false
	}
	v.refused = true
	switch {
	case prefix == "rate-limited" || prefix == "error" || prefix == "auth-required":
		v.final = false
	case tooLong(got.Message):
		v.size = true
	}
	v.words = fmt.Sprintf("%s: %s", got.url, got.Message)
	return false
}

// tooLong says whether a relay's words refuse an event for its size. There is
// no prefix for that.
func tooLong(words string) bool {
	words = strings.ToLower(words)
	for _, hint := range []string{"too large", "too long", "too big", "larger than", "longer than", "bigger than", "size", "max_", "exceed"} {
		if strings.Contains(words, hint) {
			return true
		}
	}
	return false
}

// waits are the pauses between attempts to publish what has to arrive; the last
// one again and again.
var waits = []time.Duration{time.Second, 3 * time.Second, 10 * time.Second, 30 * time.Second, time.Minute}

// suspectBytes is the size, in bytes, from which an event is taken to be too
// large for relays that drop the connection at it, so many times in a row.
const (
	suspectBytes = 128 << 10
	suspectTries = 2
)

// extraTries is how often a relay is tried that does not answer, once another
// one has the event.
const extraTries = 5

// insist publishes until a relay has the event, all refuse it for good, or the
// agent ends. The other relays are tried on for a while behind.
func (a *Agent) insist(urls []string, ev *nostr.Event) verdict {
	verdicts := make(chan verdict, len(urls))
	var elsewhere atomic.Bool
	for _, url := range urls {
		a.wg.Go(func() { verdicts <- a.insistAt(url, ev, &elsewhere) }) // ends with talk
	}
	all := verdict{final: true}
	for range urls {
		v := <-verdicts
		if v.stored {
			return v
		}
		all.final, all.size = all.final && v.final, all.size || v.size
		all.refused, all.words = all.refused || v.refused, v.words
	}
	return all
}

// insistAt is insist for one relay.
func (a *Agent) insistAt(url string, ev *nostr.Event, elsewhere *atomic.Bool) verdict {
	for try, lost := 0, 0; ; try++ {
		ctx, cancel := context.WithTimeout(a.talk, TerminalWait)
		v := a.publish(ctx, []string{url}, ev)
		cancel()
		if v.lost {
			lost++
		}
		if lost == suspectTries && len(ev.Content) > suspectBytes {
			v.final, v.size = true, true
		}
		if v.stored {
			elsewhere.Store(true)
		}
		if v.stored || v.final || a.talk.Err() != nil || elsewhere.Load() && try >= extraTries {
			return v
		}
		a.log.Warn("publishing again", "kind", ev.Kind, "id", ev.ID, "because", v.words)
		if !a.sleep(a.talk, waits[min(try, len(waits)-1)]) || a.work.Err() != nil {
			return v
		}
	}
}

// sign makes an unsigned event the agent's own.
func (a *Agent) sign(ev *nostr.Event) error {
	if err := a.keys.Sign(ev); err != nil {
		return fmt.Errorf("signing an event of kind %d: %w", ev.Kind, err)
	}
	return nil
}

// fetch asks one relay for stored events, verified.
func (a *Agent) fetch(ctx context.Context, url string, filters ...nostr.Filter) ([]*nostr.Event, error) {
	ctx, cancel := context.WithTimeout(ctx, FetchWait)
	defer cancel()
	events, _, err := a.pool.Fetch(ctx, url, filters...)
	return verified(events), err
}
