package run

import (
	"fmt"
	"math/rand"
	"reflect"
	"testing"
	"unicode/utf8"

	"github.com/nbd-wtf/go-nostr"
)

// randomInputs makes a run in which everything that can happen may: gaps,
// conflicts, several terminals, broken payloads, sealed and unreadable copies,
// equal seconds, arrivals in another order than the clocks say.
func randomInputs(rng *rand.Rand) []Input {
	inputs := []Input{prompt()}
	for i := range 1 + rng.Intn(30) {
		at := t0 + int64(rng.Intn(5))
		in := input(randomKind(rng), fmt.Sprint("event", i), at, "")
		in.Seen = at + int64(rng.Intn(3)-1)
		in.Plain = randomPlain(rng, in.Event.Kind)
		in.Wrapped = rng.Intn(4) == 0
		switch rng.Intn(12) {
		case 0:
			in.Opening, in.Plain = Sealed, ""
		case 1:
			in.Opening, in.Plain = Unreadable, ""
		case 2:
			inputs = append(inputs, withOpening(in, Sealed), withOpening(in, Unreadable))
		case 3:
			in.Event.Tags = append(in.Event.Tags, nostr.Tag{"phase", "result"})
		case 4:
			in.Event.Tags = in.Event.Tags[:2]
		}
		inputs = append(inputs, in)
	}
	return inputs
}

func withOpening(in Input, o Opening) Input {
	in.Opening, in.Plain = o, ""
	return in
}

func randomKind(rng *rand.Rand) int {
	kinds := []int{KindDelta, KindDelta, KindDelta, KindDelta, KindTool, KindTool, KindTool, KindStatus, KindStatus, KindCancel, KindResponse, KindError}
	if rng.Intn(2) == 0 {
		kinds = kinds[:9]
	}
	return kinds[rng.Intn(len(kinds))]
}

func randomPlain(rng *rand.Rand, kind int) string {
	pick := func(s ...string) string { return s[rng.Intn(len(s))] }
	switch kind {
	case KindDelta:
		seq := pick(``, `,"seq":%d`, `,"seq":%d`, `,"seq":%d`)
		if seq != "" {
			seq = fmt.Sprintf(seq, rng.Intn(9)-rng.Intn(2))
		}
		return `{"ver":1,"text":"` + pick("a", "b", "", "c ") + `"` + seq + pick(``, ``, `,"event":"thinking"`, `,"event":"block"`) + `}`
	case KindTool:
		id := pick(``, ``, `,"call_id":"1"`, `,"call_id":"2"`)
		return `{"ver":1,"name":"` + pick("x", "y") + `","phase":"` + pick("start", "result") + `"` + id + pick(``, `,"success":true`, `,"output":{"text":"o"}`, `,"arguments":{"q":1}`) + `}`
	case KindStatus:
		return `{"ver":1,"state":"` + pick("thinking", "tool_use", "done", "odd") + `"` + pick(``, `,"progress":7`, `,"info":"w"`) + `}`
	case KindCancel:
		return `{"ver":1,"reason":"` + pick("user_cancel", "timeout", "policy", "odd") + `"}`
	case KindResponse:
		return pick(`{"ver":1,"text":"whole"}`, `{"ver":1,"text":"other"}`, `no`, `{"ver":1}`)
	}
	return pick(`{"ver":1,"code":"CANCELLED","message":"m"}`, `{"ver":1,"code":"RATE_LIMIT","message":"m","retry_after":3}`, `{"ver":1,"code":"ODD","message":"m"}`)
}

// TestAnyOrderAnyRepeatsSameView is the law of folds.
func TestAnyOrderAnyRepeatsSameView(t *testing.T) {
	at := At{Now: t0 + 60, Timeout: 120}
	for seed := range int64(400) {
		rng := rand.New(rand.NewSource(seed))
		inputs := randomInputs(rng)
		want := fold(inputs...).View(at)
		for range 3 {
			r := New(question, me, bot)
			for _, in := range shuffled(rng, inputs) {
				r.Add(in)
				if rng.Intn(3) == 0 {
					r.View(at)
				}
			}
			if got := r.View(at); !reflect.DeepEqual(got, want) {
				t.Fatalf("seed %d:\n got %+v\nwant %+v", seed, got, want)
			}
		}
	}
}

// TestSeenIsTheFirstArrival: a copy with a later seen changes nothing, one with
// an earlier seen counts.
func TestSeenIsTheFirstArrival(t *testing.T) {
	for seed := range int64(150) {
		rng := rand.New(rand.NewSource(seed))
		inputs := randomInputs(rng)
		want := fold(inputs...).View(At{})
		var copies []Input
		for _, in := range inputs {
			copies = append(copies, in, later(in, in.Seen+int64(rng.Intn(9))))
		}
		rng.Shuffle(len(copies), func(i, j int) { copies[i], copies[j] = copies[j], copies[i] })
		r := New(question, me, bot)
		for _, in := range copies {
			r.Add(in)
			if rng.Intn(4) == 0 {
				r.View(At{})
			}
		}
		if got := r.View(At{}); !reflect.DeepEqual(got, want) {
			t.Fatalf("seed %d:\n got %+v\nwant %+v", seed, got, want)
		}
	}
}

// TestViewsStayAsTheyWere: later events never write into a view given out.
func TestViewsStayAsTheyWere(t *testing.T) {
	for seed := range int64(150) {
		rng := rand.New(rand.NewSource(seed))
		r := New(question, me, bot)
		var views []View
		var copies []string
		for _, in := range shuffled(rng, randomInputs(rng)) {
			r.Add(in)
			v := r.View(At{})
			views = append(views, v)
			copies = append(copies, fmt.Sprintf("%+v %+v %+v %+v", v, v.Text, v.Gaps, v.Tools))
		}
		for i, v := range views {
			if now := fmt.Sprintf("%+v %+v %+v %+v", v, v.Text, v.Gaps, v.Tools); now != copies[i] {
				t.Fatalf("seed %d: view %d changed:\n was %s\n now %s", seed, i, copies[i], now)
			}
		}
	}
}

// TestPatchesGiveTheWholeText: readers who only take patches, however seldom,
// have the texts.
func TestPatchesGiveTheWholeText(t *testing.T) {
	type reader struct {
		tail           Tail
		text, thinking string
	}
	for seed := range int64(300) {
		rng := rand.New(rand.NewSource(seed))
		r := New(question, me, bot)
		readers := make([]reader, 4)
		for _, in := range shuffled(rng, randomInputs(rng)) {
			r.Add(in)
			for i := range readers {
				if rng.Intn(i+2) != 0 {
					continue
				}
				x := &readers[i]
				p := r.Since(x.tail)
				x.text, x.thinking = x.text[:p.Keep]+p.Text, x.thinking[:p.KeepThinking]+p.Thinking
				x.tail = r.Tail()
				if v := r.View(At{}); x.text != v.Text || x.thinking != v.Thinking || r.TextLen() != len(x.text) {
					t.Fatalf("seed %d: reader has %q and %q, view has %q and %q", seed, x.text, x.thinking, v.Text, v.Thinking)
				}
			}
		}
	}
}

// TestCutPatchesGiveTheWholeText: so do readers who take little at a time, and
// say how much they took.
func TestCutPatchesGiveTheWholeText(t *testing.T) {
	for seed := range int64(100) {
		rng := rand.New(rand.NewSource(seed))
		r := New(question, me, bot)
		var had Tail
		var text, thinking string
		take := func(limit int) (more bool) {
			p := r.Since(had)
			more = p.Cut(limit)
			if len(p.Text)+len(p.Thinking) > limit {
				t.Fatalf("seed %d: %d bytes came, %d were wanted", seed, len(p.Text)+len(p.Thinking), limit)
			}
			if !utf8.ValidString(p.Text) || !utf8.ValidString(p.Thinking) {
				t.Fatalf("seed %d: a character was cut", seed)
			}
			text, thinking = text[:p.Keep]+p.Text, thinking[:p.KeepThinking]+p.Thinking
			had = Tail{Revision: r.Tail().Revision, Text: len(text), Thinking: len(thinking)}
			return more
		}
		for _, in := range shuffled(rng, randomInputs(rng)) {
			r.Add(in)
			take(4 + rng.Intn(8))
		}
		for take(4) {
		}
		if v := r.View(At{}); text != v.Text || thinking != v.Thinking {
			t.Fatalf("seed %d: reader has %q and %q, view has %q and %q", seed, text, thinking, v.Text, v.Thinking)
		}
	}
}

func TestACutPatchEndsWithAWholeCharacter(t *testing.T) {
	for _, c := range []struct {
		limit int
		want  Patch
		cut   bool
	}{
		{2, Patch{Thinking: "n", Text: "a"}, true},
		{9, Patch{Thinking: "né", Text: "añb"}, true},
		{10, Patch{Thinking: "né", Text: "añb€"}, false},
	} {
		p := Patch{Thinking: "né", Text: "añb€"}
		if got := p.Cut(c.limit); got != c.cut || p != c.want {
			t.Errorf("cut to %d bytes: %v, %+v", c.limit, got, p)
		}
	}
}

func TestPatches(t *testing.T) {
	r := fold(prompt(), delta(0, t0+1, "ab"))
	tail := r.Tail()
	r.Add(delta(1, t0+1, "cd"))
	equal(t, "an append", r.Since(tail), Patch{Keep: 2, Text: "cd"})
	tail = r.Tail()
	r.Add(delta(3, t0+1, "gh"))
	r.View(At{})
	r.Add(delta(2, t0+1, "ef"))
	equal(t, "a piece that came late", r.Since(tail), Patch{Keep: 4, Text: "efgh"})
	r.Add(response("x", t0+2, "abcdefghij"))
	equal(t, "a response that goes on where the stream was", r.Since(tail), Patch{Keep: 4, Text: "efghij"})
	tail = r.Tail()
	r.Add(response("y", t0+3, "abcX"))
	equal(t, "another response", r.Since(tail), Patch{Keep: 3, Text: "X"})
	equal(t, "no news", r.Since(r.Tail()), Patch{Keep: 4})
	equal(t, "never within a character", commonPrefix("a\u00e4", "a\u00f6"), 1)
	equal(t, "one is the beginning of the other", commonPrefix("a\u00e4", "a\u00e4b"), 3)
	equal(t, "nothing is there yet", r.Since(Tail{}), Patch{Text: "abcX"})
	for _, odd := range []Tail{{Text: -1}, {Revision: 99, Text: 2}, {Revision: -1}, {Thinking: -1}} {
		equal(t, "a tail of nowhere", r.Since(odd), Patch{Text: "abcX"})
	}
	equal(t, "a tail too long", r.Since(Tail{Revision: r.Tail().Revision, Text: 999}), Patch{Keep: 4})
}

// FuzzFold feeds hostile payloads and tags: no panic, same view in both orders.
func FuzzFold(f *testing.F) {
	f.Add(byte(1), `{"ver":1,"text":"a","seq":9007199254740991}`, `{"ver":1,"text":"b","seq":0}`, int64(5), int64(-5))
	f.Add(byte(4), `{"ver":1,"name":"x","phase":"start"}`, `{"ver":1,"text":"event=tool|phase=result|name=x|ts=1"}`, int64(0), int64(0))
	f.Add(byte(3), `{"ver":1,"text":"event=final|phase=end|text=%41|ts=1"}`, `[`, int64(1), int64(1))
	f.Fuzz(func(t *testing.T, kind byte, a, b string, atA, atB int64) {
		k := KindStatus + int(kind%7)
		if k == KindPrompt {
			k = KindDelta
		}
		x, y := input(k, "x", atA, a), input(k, "y", atB, b)
		one, two := viewOf(prompt(), x, y), viewOf(y, x, prompt())
		if !reflect.DeepEqual(one, two) {
			t.Fatalf("order matters:\n%+v\n%+v", one, two)
		}
	})
}

// FuzzParse feeds hostile payloads to every reader.
func FuzzParse(f *testing.F) {
	for kind := range 7 {
		f.Add(byte(kind), `{"ver":1,"text":"a","message":"b","state":"done","reason":"timeout","code":"RATE_LIMIT","name":"n","phase":"start"}`)
	}
	f.Add(byte(3), `{"ver":1e0,"text":"\ud800","usage":{"inputTokens":1e400,"output_tokens":-0}}`)
	f.Fuzz(func(t *testing.T, kind byte, plain string) {
		h := Head{Kind: KindStatus + int(kind%7), Root: question}
		m, err := Parse(h, plain)
		set := 0
		for _, p := range []bool{m.Prompt != nil, m.Cancel != nil, m.Response != nil, m.Delta != nil, m.Status != nil, m.Tool != nil, m.Failure != nil} {
			if p {
				set++
			}
		}
		if err == nil && set != 1 {
			t.Fatalf("%d payloads", set)
		}
		if err != nil && codeOf(t, err) == "" {
			t.Fatal("a fault without code")
		}
	})
}
