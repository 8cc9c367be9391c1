package app

import (
	"testing"
	"time"
)

// draftBox is a place for drafts, with a clock that a test moves.
type draftBox struct {
	drafts
	saved []string
	due   func()
}

func newDraftBox() *draftBox {
	b := &draftBox{}
	b.save = func(key, text string) { b.saved = append(b.saved, key+"="+text) }
	b.after = func(_ time.Duration, f func()) func() {
		b.due = f
		return func() { b.due = nil }
	}
	return b
}

func (b *draftBox) pass() {
	if f := b.due; f != nil {
		b.due = nil
		f()
	}
}

func TestADraftIsSavedAMomentAfterTheLastLetter(t *testing.T) {
	b := newDraftBox()
	b.typed("a", "h")
	b.typed("a", "hi")
	if len(b.saved) != 0 {
		t.Fatalf("saved at once: %v", b.saved)
	}
	b.pass()
	b.pass()
	if !equal(b.saved, []string{"a=hi"}) {
		t.Errorf("saved %v", b.saved)
	}
}

func TestADraftIsSavedAtOnceOnTheWayElsewhere(t *testing.T) {
	b := newDraftBox()
	b.typed("a", "hi")
	b.flush()
	b.pass()
	b.typed("b", "x")
	b.typed("c", "y")
	if !equal(b.saved, []string{"a=hi", "b=x"}) {
		t.Errorf("saved %v", b.saved)
	}
}

func TestAnEmptiedDraftIsSavedAsEmpty(t *testing.T) {
	b := newDraftBox()
	b.typed("a", "")
	b.flush()
	if !equal(b.saved, []string{"a="}) {
		t.Errorf("saved %v", b.saved)
	}
}

func TestWhatWasSentIsNoDraft(t *testing.T) {
	b := newDraftBox()
	b.typed("a", "hi")
	b.sent("a")
	b.pass()
	b.flush()
	if len(b.saved) != 0 {
		t.Errorf("saved %v", b.saved)
	}
}
