package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/nbd-wtf/go-nostr"

	"parley/server/agent/brain"
	"parley/wasm/room"
	"parley/wasm/run"
)

var _ brain.Out = (*duty)(nil)

// longLine is how long a line of the assistant gets, in bytes, before the rest of
// it is left out: only its beginning is ever shown.
const longLine = 4 << 10

// Say notes words of the assistant: the newest line is what progress shows.
func (d *duty) Say(words string) error {
	return d.tell(func() {
		for line := range strings.Lines(words) {
			if len(d.line) < longLine {
				d.line += line
			}
			d.writer.Say(d.line)
			if strings.HasSuffix(line, "\n") {
				d.line = ""
			}
		}
	})
}

func (d *duty) Think(string) error { return context.Cause(d.ctx) }

func (d *duty) Status(state string, _ *int, info string) error {
	return d.tell(func() {
		if state == run.StatusToolUse {
			d.writer.Tool(info)
		} else {
			d.writer.Say(info)
		}
	})
}

func (d *duty) tell(what func()) error {
	if err := context.Cause(d.ctx); err != nil {
		return err
	}
	d.mu.Lock()
	what()
	d.mu.Unlock()
	d.poke()
	return nil
}

func (d *duty) Tool(ctx context.Context, name string, arguments json.RawMessage) (brain.Outcome, error) {
	if err := d.tell(func() { d.writer.Tool(name + " " + oneLine(string(arguments))) }); err != nil {
		return brain.Outcome{}, err
	}
	got := d.a.runTool(ctx, name, arguments)
	words := string(got.Output)
	if got.Error != "" {
		words = got.Error
	}
	return got, d.tell(func() { d.writer.Tool(name + ": " + oneLine(words)) })
}

func (d *duty) Post(_ context.Context, text string) error {
	return d.posting(func(s spot) (*nostr.Event, error) { return d.a.say(d.ctx, s, room.Words{Text: text}) },
		func(ev *nostr.Event) { d.writer.Replied(ev.ID, text) })
}

func (d *duty) File(ctx context.Context, f brain.File) error {
	return d.posting(func(s spot) (*nostr.Event, error) { return d.a.postFile(d.ctx, s, f) },
		func(ev *nostr.Event) { d.writer.PostedFile(ev.ID, f.Name) })
}

// posting posts something in the task's thread and notes it, or that it failed.
func (d *duty) posting(post func(s spot) (*nostr.Event, error), note func(ev *nostr.Event)) error {
	if err := context.Cause(d.ctx); err != nil {
		return err
	}
	ev, err := post(d.spot())
	d.mu.Lock()
	defer d.mu.Unlock()
	switch {
	case err == nil:
		note(ev)
	case !errors.Is(err, brain.ErrNoFiles):
		d.unsent = true
	}
	return err
}

// taskQuestion is how long a question of a task is open, in seconds, unless it
// says so itself: the task waits for it, and nobody answers one that is over.
const taskQuestion = 60 * 60

// Ask puts a question to the requester and waits for the answer.
func (d *duty) Ask(ctx context.Context, q brain.Question) (brain.Reply, error) {
	if err := context.Cause(d.ctx); err != nil {
		return brain.Reply{}, err
	}
	if q.Expires == 0 {
		q.Expires = taskQuestion
	}
	reply := make(chan settled, 1)
	asked, err := d.a.ask(d.ctx, d.ref, d.request.Event, d.request.Event.PubKey, q, reply)
	if err != nil {
		return brain.Reply{}, err
	}
	defer d.a.forget(asked)
	select {
	case s := <-reply:
		if s.answer != nil {
			d.a.pickUp(d.ref, s.answer)
		}
		return s.reply, nil
	case <-ctx.Done():
		return brain.Reply{}, context.Cause(ctx)
	case <-d.ctx.Done():
		return brain.Reply{}, context.Cause(d.ctx)
	}
}

// Handoff opens a thread in the home room.
func (d *duty) Handoff(_ context.Context, name string) (func(context.Context, string) error, error) {
	if err := context.Cause(d.ctx); err != nil {
		return nil, err
	}
	home := d.a.homeRoom(d.ref)
	root := room.BuildThread(home, room.Words{Text: name, Subject: name}, d.a.now())
	if err := d.a.sign(&root); err != nil {
		return nil, err
	}
	d.a.journal.note(entry{Op: opThread, At: d.a.now(), ID: root.ID, Relay: home.Relay, Room: home.ID})
	if err := d.a.post(d.ctx, home, &root); err != nil {
		return nil, fmt.Errorf("handing over %q: %w", name, err)
	}
	return func(_ context.Context, text string) error {
		_, err := d.a.say(d.ctx, spot{ref: home, root: &root}, room.Words{Text: text})
		return err
	}, nil
}

// homeRoom is the room where handed-over sessions go on: the first that the
// agent was told to watch on that relay, else the task's own.
func (a *Agent) homeRoom(ref room.Ref) room.Ref {
	for _, own := range a.configuredRooms() {
		if own.Relay == ref.Relay {
			return own
		}
	}
	return ref
}
