// Package scripted is a brain that needs no model and no network: it answers
// the same each time and can show everything the protocol has, so that people
// can look around and tests have a counterpart.
package scripted

import (
	"context"
	"strings"
	"time"

	"parley/server/agent/brain"
	"parley/wasm/run"
)

// Options are what a place may want otherwise. Zero means the default.
type Options struct {
	// Pace is the pause between two pieces of streamed text.
	Pace time.Duration
	// Long is how long the long task takes.
	Long time.Duration
	// Sleep waits; it is false when ctx ended first.
	Sleep func(ctx context.Context, d time.Duration) bool
}

// The defaults of Options.
const (
	Pace = 30 * time.Millisecond
	Long = time.Minute
)

// Model names what this brain says it is.
const (
	Model     = "scripted"
	SlowModel = "scripted-slow" // the same, ten times as slow
)

// Brain is the scripted brain.
type Brain struct{ options Options }

var _ brain.Brain = (*Brain)(nil)

// New makes a scripted brain.
func New(o Options) *Brain {
	if o.Pace == 0 {
		o.Pace = Pace
	}
	if o.Long == 0 {
		o.Long = Long
	}
	if o.Sleep == nil {
		o.Sleep = sleep
	}
	return &Brain{o}
}

func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// About says what it is.
func (b *Brain) About() brain.About {
	return brain.About{
		Words:            "Shows what agents can do here. It follows a script, needs no model, and sends nothing anywhere. Say help.",
		Models:           []string{Model, SlowModel},
		DefaultModel:     Model,
		MaxContextTokens: 8000,
	}
}

// Answer takes one turn.
func (b *Brain) Answer(ctx context.Context, turn brain.Turn, out brain.Out) (brain.Answer, error) {
	s := &script{b: b, ctx: ctx, turn: turn, out: out, pace: b.options.Pace}
	if len(turn.Models) > 0 && turn.Models[0] == SlowModel {
		s.pace *= 10
	}
	var err error
	switch turn.Place {
	case brain.Room:
		err = s.room()
	case brain.Task:
		err = s.task()
	default:
		err = s.session()
	}
	if cause := context.Cause(ctx); err == nil && cause != nil {
		err = cause
	}
	answer := brain.Answer{Text: s.text.String(), Ask: s.ask}
	if turn.Place == brain.Session {
		answer.Usage = &run.Usage{InputTokens: tokens(turn.Message), OutputTokens: tokens(answer.Text)}
	}
	return answer, err
}

// tokens counts words; it has no other notion of them.
func tokens(text string) int64 { return int64(len(strings.Fields(text))) }

// script is one turn under way.
type script struct {
	b    *Brain
	ctx  context.Context
	turn brain.Turn
	out  brain.Out
	pace time.Duration
	text strings.Builder // said so far
	ask  *brain.Question
}

// say adds to the answer at once.
func (s *script) say(text string) error {
	s.text.WriteString(text)
	return s.out.Say(text)
}

// stream adds to the answer piece by piece, a few words each.
func (s *script) stream(text string) error {
	for len(text) > 0 {
		n := piece(text)
		if err := s.say(text[:n]); err != nil {
			return err
		}
		text = text[n:]
		if err := s.wait(s.pace); err != nil {
			return err
		}
	}
	return nil
}

// wait pauses; the error is why the turn is over.
func (s *script) wait(d time.Duration) error {
	if !s.b.options.Sleep(s.ctx, d) {
		return context.Cause(s.ctx)
	}
	return nil
}

// pieceBytes is about how much one piece of streamed text has.
const pieceBytes = 24

// piece is where the next piece of a text ends: at a space or line end.
func piece(text string) int {
	if len(text) <= pieceBytes {
		return len(text)
	}
	if i := strings.IndexAny(text[pieceBytes:], " \n"); i >= 0 {
		return pieceBytes + i + 1
	}
	return len(text)
}

// words splits what was written into the first word, in lower case, and the
// rest.
func words(message string) (first, rest string) {
	message = strings.TrimSpace(message)
	first, rest, _ = strings.Cut(message, " ")
	if head, tail, found := strings.Cut(first, "\n"); found {
		first, rest = head, strings.TrimSpace(tail+" "+rest)
	}
	return strings.ToLower(strings.TrimRight(first, ".,!?:;")), strings.TrimSpace(rest)
}
