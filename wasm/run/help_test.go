package run

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"math/rand"
	"testing"

	"github.com/nbd-wtf/go-nostr"
)

// The people of the tests: keys and ids are 64 hex digits, nothing is signed.
var (
	me       = hexOf("me")
	bot      = hexOf("bot")
	stranger = hexOf("stranger")
	question = hexOf("prompt")
)

// t0 is when the prompts of the tests were made.
const t0 = int64(1_700_000_000)

func hexOf(s string) string {
	h := sha256.Sum256([]byte(s))
	return hex.EncodeToString(h[:])
}

// event builds a message of the right side with all tags. Its id hangs on name.
func event(kind int, name string, at int64) *nostr.Event {
	author, to := bot, me
	if !FromAgent(kind) {
		author, to = me, bot
	}
	tags := nostr.Tags{{"p", to}}
	id := hexOf(name)
	if kind == KindPrompt {
		id = question
	} else {
		tags = append(tags, nostr.Tag{"e", question, "", "root"})
	}
	tags = append(tags, nostr.Tag{"encryption", "nip44"})
	return &nostr.Event{ID: id, PubKey: author, CreatedAt: nostr.Timestamp(at), Kind: kind, Tags: tags}
}

// input is such a message with its plaintext, seen the moment it was made.
func input(kind int, name string, at int64, plain string) Input {
	return Input{Event: event(kind, name, at), Opening: Opened, Plain: plain, Seen: at}
}

func prompt() Input {
	return input(KindPrompt, "prompt", t0, `{"ver":1,"message":"What is 12 * 7?"}`)
}

func delta(seq int, at int64, text string) Input {
	return input(KindDelta, fmt.Sprint("delta", seq, text), at, fmt.Sprintf(`{"ver":1,"text":%q,"seq":%d}`, text, seq))
}

func loose(name string, at int64, text string) Input {
	return input(KindDelta, "delta"+name, at, fmt.Sprintf(`{"ver":1,"text":%q}`, text))
}

func response(name string, at int64, text string) Input {
	return input(KindResponse, "response"+name, at, fmt.Sprintf(`{"ver":1,"text":%q}`, text))
}

func failure(name string, at int64, code Code) Input {
	return input(KindError, "error"+name, at, fmt.Sprintf(`{"ver":1,"code":%q,"message":"it went wrong"}`, code))
}

func status(name string, at int64, state string) Input {
	return input(KindStatus, "status"+name, at, fmt.Sprintf(`{"ver":1,"state":%q}`, state))
}

func tool(name string, at int64, phase string) Input {
	return input(KindTool, fmt.Sprint("tool", name, phase, at), at, fmt.Sprintf(`{"ver":1,"name":%q,"phase":%q}`, name, phase))
}

func cancel(at int64) Input {
	return input(KindCancel, fmt.Sprint("cancel", at), at, `{"ver":1,"reason":"user_cancel"}`)
}

// later gives the same input with another arrival.
func later(in Input, seen int64) Input {
	in.Seen = seen
	return in
}

// retag gives the same input with other tags.
func retag(in Input, tags nostr.Tags) Input {
	ev := *in.Event
	ev.Tags = tags
	in.Event = &ev
	return in
}

// fold adds the inputs to a new run.
func fold(inputs ...Input) *Run {
	r := New(question, me, bot)
	for _, in := range inputs {
		r.Add(in)
	}
	return r
}

func viewOf(inputs ...Input) View { return fold(inputs...).View(At{}) }

// shuffled gives the inputs in random order, some of them twice.
func shuffled(rng *rand.Rand, inputs []Input) []Input {
	out := append([]Input(nil), inputs...)
	for range rng.Intn(len(inputs) + 1) {
		out = append(out, inputs[rng.Intn(len(inputs))])
	}
	rng.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out
}

func codeOf(t testing.TB, err error) Code {
	t.Helper()
	if err == nil {
		return ""
	}
	var f *Fault
	if !errors.As(err, &f) {
		t.Fatalf("error %v is no *Fault", err)
	}
	if f.Text == "" {
		t.Errorf("the fault %v says nothing", f)
	}
	return f.Code
}

func equal[T comparable](t testing.TB, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s = %v, want %v", what, got, want)
	}
}
