package e2e

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nbd-wtf/go-nostr"
	"github.com/nbd-wtf/go-nostr/nip19"

	"parley/wasm/run"
)

const (
	benchDeltas = 2000
	deltaEvery  = 5 * time.Millisecond // 200 a second
)

// BenchmarkDeltas has an agent stream an answer of 2,000 deltas, 200 a second.
// longtask-ms is the longest main-thread task meanwhile (0: none took more than
// 50 ms) and long-tasks how many there were; shown-ms is the longest time from
// sending a delta to the end of the first frame that shows it, and median-ms
// the median.
func BenchmarkDeltas(b *testing.B) {
	for b.Loop() {
		s := serve(b, "-no-agent")
		a := newStreamer(b, s)
		ana := visit(b, s, "ana", "/", func(p *person) { p.script = watchTasks + watchDeltas })
		ana.signUp()
		ana.open("/agents/" + a.npub + "/fast")
		ana.fill("Message", "as fast as you can")
		ana.press("button", "Send")
		deltas, end := a.answer(a.prompt())
		since := ana.now()
		sent := a.stream(deltas)
		a.publish(end)
		ana.wait("the answer", `document.querySelector("[data-run][data-state=done]")`)
		ana.wait("the last frame", fmt.Sprintf("shownAt.length == %d", len(sent)))
		shown := eval[[]float64](ana, "window.shownAt")
		if len(shown) != len(sent) {
			b.Fatalf("%d of %d deltas were shown", len(shown), len(sent))
		}
		delays := make([]float64, len(sent))
		for i, at := range shown {
			delays[i] = at - float64(sent[i].UnixMicro())/1000
		}
		slices.Sort(delays)
		longest, many := ana.longTasks(since)
		b.ReportMetric(longest, "longtask-ms")
		b.ReportMetric(many, "long-tasks")
		b.ReportMetric(delays[len(delays)-1], "shown-ms")
		b.ReportMetric(delays[len(delays)/2], "median-ms")
	}
}

// watchDeltas keeps, for the n-th piece of an answer, which says #n, the time
// at which a frame that shows it was drawn, in milliseconds since 1970. What
// stands in the document in a callback of requestAnimationFrame is drawn before
// the message that is sent there arrives.
const watchDeltas = `
window.shownAt = [];
addEventListener("DOMContentLoaded", () => {
  const drawn = new MessageChannel();
  let known = 0, asked = false;
  drawn.port1.onmessage = ({ data }) => {
    while (shownAt.length < data) shownAt.push(performance.timeOrigin + performance.now());
  };
  const look = () => {
    asked = false;
    const text = document.querySelector("[data-run-text]")?.textContent || "";
    const n = Number(text.slice(text.lastIndexOf("#") + 1).match(/^\d+(?=;)/)?.[0] ?? -1) + 1;
    if (n > known) drawn.port2.postMessage(known = n);
  };
  new MutationObserver(() => {
    if (!asked) requestAnimationFrame(look);
    asked = true;
  }).observe(document.body, { childList: true, characterData: true, subtree: true });
});
`

// piece is the text of the n-th delta: prose, with lists and code between.
func piece(n int) string {
	words := fmt.Sprintf("#%d; some words ", n)
	switch n % 100 {
	case 20, 40:
		return words + "end here.\n\n"
	case 50, 52, 54:
		return "\n- " + words + "of a **list**"
	case 60:
		return "\n\n```go\n// " + words
	case 62, 64, 66, 68:
		return "\nfmt.Println() // " + words
	case 70:
		return "\n```\n\n" + words
	case 99:
		return words + "\n\n## A title\n\n"
	}
	return words
}

// streamer is an agent that only streams, over another library's client.
type streamer struct {
	t       testing.TB
	key     key
	npub    string
	relay   *nostr.Relay
	prompts *nostr.Subscription
}

func newStreamer(t testing.TB, s *server) *streamer {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	a := &streamer{t: t, key: newKey(t)}
	var err error
	if a.npub, err = nip19.EncodePublicKey(a.key.public); err != nil {
		t.Fatal(err)
	}
	if a.relay, err = nostr.RelayConnect(ctx, s.relay); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { a.relay.Close() })
	sign := func(e *nostr.Event) error {
		*e = *a.key.event(t, e.Kind, int64(e.CreatedAt), e.Content, e.Tags...)
		return nil
	}
	// The challenge comes with the connection, but behind it.
	for deadline := time.Now().Add(patience); ; {
		if err = a.relay.Auth(ctx, sign); err == nil {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("sign in as an agent: %v", err)
		}
	}
	info, err := run.NewInfo(run.DefaultInfo(a.key.public), a.key.public, time.Now().Unix())
	if err != nil {
		t.Fatal(err)
	}
	a.publish(a.key.event(t, info.Kind, int64(info.CreatedAt), info.Content, info.Tags...))
	if a.prompts, err = a.relay.Subscribe(ctx, nostr.Filters{run.FilterPrompts(a.key.public)}); err != nil {
		t.Fatal(err)
	}
	return a
}

func (a *streamer) publish(e *nostr.Event) {
	a.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := a.relay.Publish(ctx, *e); err != nil {
		a.t.Fatal(err)
	}
}

// prompt waits for the first one.
func (a *streamer) prompt() *nostr.Event {
	a.t.Helper()
	select {
	case e := <-a.prompts.Events:
		return e
	case <-time.After(patience):
		a.t.Fatal("no prompt came")
		return nil
	}
}

// answer makes the deltas and the response to a prompt beforehand: what is
// measured is Parley.
func (a *streamer) answer(prompt *nostr.Event) (deltas []*nostr.Event, end *nostr.Event) {
	a.t.Helper()
	keys, err := run.LocalKeys(a.key.secret, rand.Reader)
	if err != nil {
		a.t.Fatal(err)
	}
	now := time.Now().Unix()
	message := func(kind int, payload map[string]any) *nostr.Event {
		payload["ver"] = run.Version
		plain, err := json.Marshal(payload)
		if err != nil {
			a.t.Fatal(err)
		}
		content, err := keys.Encrypt(prompt.PubKey, string(plain))
		if err != nil {
			a.t.Fatal(err)
		}
		return a.key.event(a.t, kind, now, content, nostr.Tag{"p", prompt.PubKey}, nostr.Tag{"e", prompt.ID, "", "root"},
			nostr.Tag{"s", "fast"}, nostr.Tag{"encryption", run.Encryption})
	}
	var whole strings.Builder
	for i := range benchDeltas {
		deltas = append(deltas, message(run.KindDelta, map[string]any{"text": piece(i), "seq": i}))
		whole.WriteString(piece(i))
	}
	return deltas, message(run.KindResponse, map[string]any{"text": whole.String()})
}

// stream sends deltas, one every deltaEvery, and tells when it sent each.
func (a *streamer) stream(deltas []*nostr.Event) []time.Time {
	a.t.Helper()
	sent := make([]time.Time, len(deltas))
	beat := time.NewTicker(deltaEvery)
	defer beat.Stop()
	for i, e := range deltas {
		frame, err := json.Marshal(nostr.EventEnvelope{Event: *e})
		if err != nil {
			a.t.Fatal(err)
		}
		<-beat.C
		sent[i] = time.Now()
		if err := <-a.relay.Write(frame); err != nil {
			a.t.Fatal(err)
		}
	}
	return sent
}
