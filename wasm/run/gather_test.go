package run

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestGatherRate(t *testing.T) {
	var g Gather
	if _, ok := g.Next(); ok {
		t.Error("nothing waits")
	}
	g.Push("", false)
	equal(t, "empty words", g.Waiting(), false)
	g.Push("a", false)
	p, ok := g.Take(5000)
	equal(t, "the first goes at once", p, Piece{Text: "a"})
	g.Push("b", false)
	g.Push("c", false)
	_, ok = g.Take(5000 + DeltaInterval - 1)
	equal(t, "too early", ok, false)
	at, _ := g.Next()
	equal(t, "next", at, int64(5000+DeltaInterval))
	p, _ = g.Take(at)
	equal(t, "gathered", p, Piece{Text: "bc"})
	sent := 0
	for now := int64(10_000); now < 11_000; now++ {
		g.Push("word ", false)
		if _, ok := g.Take(now); ok {
			sent++
		}
	}
	equal(t, "deltas in a second", sent, 10)
}

func TestGatherSize(t *testing.T) {
	for _, n := range []int{MaxDeltaBytes, MaxDeltaBytes + 1} {
		var g Gather
		g.Push(strings.Repeat("a", n), false)
		p, _ := g.Take(0)
		equal(t, "first", len(p.Text), MaxDeltaBytes)
		equal(t, "more", g.Waiting(), n > MaxDeltaBytes)
	}
	var g Gather
	g.Push(strings.Repeat("a", MaxDeltaBytes-1)+"äb", false)
	p, _ := g.Take(0)
	equal(t, "not within a character", len(p.Text), MaxDeltaBytes-1)
}

func TestGatherKeepsCharactersWhole(t *testing.T) {
	var g Gather
	g.Push("a\xe4\xb8", false)
	p, ok := g.Take(0)
	equal(t, "up to the half character", p, Piece{Text: "a"})
	if p, ok = g.Take(1000); ok {
		t.Errorf("half a character: %q", p.Text)
	}
	g.Push("\xad!", false)
	p, _ = g.Take(2000)
	equal(t, "the whole", p.Text, "中!")
	g.Push("x\xe4", false)
	g.Push("hm", true)
	equal(t, "pieces at the end", len(g.Rest()), 2)
	equal(t, "nothing is left", g.Waiting(), false)
}

func TestGatherKeepsThinkingApart(t *testing.T) {
	var g Gather
	g.Push("a", false)
	g.Push("hm", true)
	g.Push("b", false)
	var got []Piece
	for now := int64(0); g.Waiting(); now += DeltaInterval {
		if p, ok := g.Take(now); ok {
			got = append(got, p)
		}
	}
	want := []Piece{{"a", false}, {"hm", true}, {"b", false}}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func FuzzGather(f *testing.F) {
	f.Add("one", "zwö\xe4", uint16(3))
	f.Fuzz(func(t *testing.T, a, b string, step uint16) {
		var g Gather
		got := ""
		g.Push(a, false)
		for now := int64(0); now < 3; now++ {
			if p, ok := g.Take(now * int64(step)); ok {
				got += p.Text
			}
		}
		g.Push(b, false)
		for _, p := range g.Rest() {
			got += p.Text
			if len(p.Text) > MaxDeltaBytes || utf8.ValidString(a+b) && !utf8.ValidString(p.Text) {
				t.Fatalf("piece %q", p.Text)
			}
		}
		if got != a+b {
			t.Fatalf("pushed %q, got %q", a+b, got)
		}
	})
}
