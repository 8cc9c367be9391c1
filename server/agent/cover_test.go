package agent

import (
	"bytes"
	"errors"
	"testing"
)

func covered(t testing.TB, secret byte) cover {
	t.Helper()
	c, err := newCover([32]byte{31: secret})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestALineIsOpenedByItsKeyOnly(t *testing.T) {
	mine, other := covered(t, 1), covered(t, 2)
	e := entry{Op: opTurn, At: 7, ID: "id", Ask: "why?", Answer: "because\n"}
	line, err := mine.line(e)
	if err != nil || bytes.Count(line, []byte("\n")) != 1 {
		t.Fatalf("%q %v", line, err)
	}
	line = bytes.TrimSpace(line)
	if got, err := mine.entry(line); err != nil || got.Ask != e.Ask || got.Answer != e.Answer || got.At != e.At {
		t.Errorf("%+v %v", got, err)
	}
	if _, err := other.entry(line); !errors.Is(err, errCovered) {
		t.Errorf("another key: %v", err)
	}
	again, err := mine.line(e)
	if err != nil || bytes.Equal(bytes.TrimSpace(again), line) {
		t.Error("two lines are alike")
	}
	line[len(line)/2] ^= 1
	if _, err := mine.entry(line); err == nil {
		t.Error("a changed line was opened")
	}
}

// FuzzLine: no line makes the reading fall, and only our own are opened.
func FuzzLine(f *testing.F) {
	c := covered(f, 1)
	line, err := c.line(entry{Op: opBegin, ID: "x"})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(bytes.TrimSpace(line))
	f.Add([]byte(`{"op":"begin","id":"x"}`))
	f.Add([]byte("AAAA"))
	f.Fuzz(func(t *testing.T, line []byte) {
		if len(line) == 0 {
			return // there are no empty ones
		}
		e, err := c.entry(line)
		if err == nil && line[0] != '{' && e.Op != opBegin {
			t.Fatalf("a line of nobody's was opened: %+v", e)
		}
		s := newState()
		s.apply(e)
	})
}
