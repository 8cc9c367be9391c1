package app

import (
	"strings"

	"parley/components"
	"parley/wasm/port"
	"parley/wasm/room"
)

// Limits of what is read out.
const (
	// quietFor is how long, in seconds, the page says nothing after it has
	// spoken, so that a flood becomes one sentence.
	quietFor = 3
	// maxSaid is the longest text of a message that is read out, in code points.
	maxSaid = 200
)

// announcer decides what a screen reader is told about new messages: the words
// of a single one, the number of many, and never more than one sentence every
// few seconds.
type announcer struct {
	text    string // what stands in the live region now
	waiting []*port.Item
	spoke   int64 // unix seconds
}

// hear takes new messages of others.
func (a *announcer) hear(items []*port.Item) {
	for _, item := range items {
		if !item.Own {
			a.waiting = append(a.waiting, item)
		}
	}
}

// speak puts into text what is due at a time. It reports whether the text
// changed.
func (a *announcer) speak(at int64) bool {
	if len(a.waiting) == 0 || at-a.spoke < quietFor {
		return false
	}
	next := a.words()
	if next == a.text {
		next += "\u00a0" // the same words again are news too
	}
	a.text, a.waiting, a.spoke = next, nil, at
	return true
}

func (a *announcer) words() string {
	if len(a.waiting) > 1 {
		return components.Number(len(a.waiting)) + " new messages"
	}
	m := a.waiting[0].Message
	text := strings.Join(strings.Fields(m.Subject+" "+room.Plain(m.Text, m.Refs)), " ")
	if runes := []rune(text); len(runes) > maxSaid {
		text = string(runes[:maxSaid]) + "…"
	}
	return m.Author.Name + ": " + text
}
