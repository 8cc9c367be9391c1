package agent

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"github.com/nbd-wtf/go-nostr"

	"parley/server/agent/brain"
	"parley/wasm/room"
	"parley/wasm/run"
	"parley/wasm/task"
)

// ending is the one terminal of a task, nil when there is none to publish.
func (d *duty) ending(answer brain.Answer, err error) *nostr.Event {
	var by *cancelledBy
	var failure *brain.Failure
	now := d.a.now
	switch {
	case err == nil:
		return d.done(answer)
	case errors.Is(err, errWithdrawn):
		d.mu.Lock()
		defer d.mu.Unlock()
		d.writer.Cancelled()
		d.a.journal.note(entry{Op: opTold, At: now(), ID: d.request.Event.ID})
		return nil
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	switch {
	case errors.As(err, &by):
		return d.writer.Stopped(by.pubkey, now())
	case errors.Is(err, errStopped):
		return d.writer.Fail(textStopped, false, now())
	case errors.Is(err, errTaskSlow):
		return d.writer.Fail(errTaskSlow.Error(), false, now())
	case errors.As(err, &failure) && failure.Code == run.Cancelled:
		return d.writer.Stopped("", now())
	case errors.As(err, &failure):
		return d.writer.Fail(failure.Message, !d.unsent, now())
	}
	d.a.log.Error("a task's turn broke", "id", d.request.Event.ID, "err", err)
	return d.writer.Fail("", false, now())
}

// done posts the final reply and gives the result that names it.
func (d *duty) done(answer brain.Answer) *nostr.Event {
	text := strings.TrimSpace(answer.Text)
	if text != "" {
		if err := d.Post(d.ctx, text); err != nil {
			d.a.log.Warn("posting a task's reply", "id", d.request.Event.ID, "err", err)
		}
	}
	if cause := context.Cause(d.ctx); cause != nil && !errors.Is(cause, errStopped) {
		return d.ending(brain.Answer{}, cause) // cancelled at the last moment
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.writer.Done(text, d.a.now())
}

// conclude publishes a terminal, nil for none. The journal holds it first. One
// that the relay refuses is published again, twice.
func (d *duty) conclude(ev *nostr.Event) {
	if ev == nil {
		return
	}
	if err := d.a.sign(ev); err != nil {
		d.a.log.Error("ending a task", "id", d.request.Event.ID, "err", err)
		return
	}
	d.a.tellTask(d.request.Event.ID, d.ref, ev)
}

func (a *Agent) tellTask(id string, ref room.Ref, ev *nostr.Event) {
	a.journal.note(entry{Op: opTold, At: a.now(), ID: id, Raw: rawEvent(ev)})
	if a.publishEnd(id, ref, ev) {
		a.journal.note(entry{Op: opClosed, At: a.now(), ID: id})
	}
}

// publishEnd publishes the end of a task until the relay has it or has refused
// it for the third time; false: the agent ends, and the next life tells it.
func (a *Agent) publishEnd(id string, ref room.Ref, ev *nostr.Event) bool {
	for refused, lost := 0, 0; ; {
		ctx, cancel := context.WithTimeout(a.talk, TerminalWait)
		v := a.publish(ctx, []string{ref.Relay}, ev)
		cancel()
		if v.stored {
			return true
		}
		wait := waits[min(lost, len(waits)-1)]
		if v.refused {
			refused++
			after, again := task.Retry(refused)
			if !again {
				a.log.Error("a relay refuses the end of a task", "id", id, "kind", ev.Kind, "because", v.words)
				return true
			}
			wait = time.Duration(after) * time.Second
		} else {
			lost++
		}
		a.log.Warn("publishing the end of a task again", "id", id, "kind", ev.Kind, "because", v.words)
		if !a.sleep(a.talk, wait) {
			return false
		}
	}
}

// resumeTasks takes up what an earlier life left behind: tasks that waited wait
// again, those that were at work are ended, and ends that no relay has are told.
func (a *Agent) resumeTasks() {
	for _, t := range a.leftTasks {
		ev := new(nostr.Event)
		if err := json.Unmarshal(t.task.Raw, ev); err != nil || a.home(t.task.Relay) == nil {
			a.log.Warn("a task of an earlier life is left alone", "id", t.task.ID, "relay", t.task.Relay, "err", err)
			continue
		}
		r, err := task.Parse(ev)
		if err != nil {
			continue // it was taken on, so it can be read
		}
		a.resumeTask(t, a.newDuty(r, room.Ref{Relay: t.task.Relay, ID: t.task.Room}, true))
	}
}

func (a *Agent) resumeTask(t taskRecord, d *duty) {
	switch {
	case t.end != nil:
		ev := new(nostr.Event)
		if err := json.Unmarshal(t.end.Raw, ev); err != nil {
			a.log.Error("the end of a task cannot be told", "id", t.task.ID, "err", err)
			return
		}
		a.wg.Go(func() { a.tellTask(t.task.ID, d.ref, ev) })
	case t.taken:
		a.wg.Go(d.endLeft)
	default:
		d.kept = true
		a.mu.Lock()
		defer a.mu.Unlock()
		a.enqueue(d)
	}
}

// endLeft ends a task that an earlier life was at.
func (d *duty) endLeft() {
	about := d.about()
	switch {
	case task.Finished(d.request, about):
		d.a.journal.note(entry{Op: opTold, At: d.a.now(), ID: d.request.Event.ID})
	case d.ctx.Err() == nil:
		d.conclude(d.writer.Fail(textRestarted, false, d.a.now()))
	}
}
