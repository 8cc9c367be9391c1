package agent

import (
	"context"
	"errors"
	"time"

	"github.com/nbd-wtf/go-nostr"

	"parley/server/agent/brain"
	"parley/wasm/task"
)

// work gives a task its turn.
func (d *duty) work() {
	d.mu.Lock()
	begun := d.started
	d.started = true
	d.mu.Unlock()
	if begun || d.a.work.Err() != nil {
		return // cancelled meanwhile, or left for the next life
	}
	defer d.stop(nil)
	if d.overAlready() {
		return
	}
	if cause := context.Cause(d.ctx); cause != nil {
		d.endEarly(cause)
		return
	}
	if err := d.a.journal.add(entry{Op: opTaken, At: d.a.now(), ID: d.request.Event.ID}); err != nil {
		d.conclude(d.writer.Fail("The agent cannot keep its journal.", false, d.a.now()))
		return
	}
	defer d.a.clock.AfterFunc(d.a.limits.TaskTime, func() { d.stop(errTaskSlow) })()
	accepted := d.writer.Accept(d.a.now())
	if err := d.a.post(d.a.talk, d.ref, accepted); err != nil {
		d.a.log.Warn("accepting a task", "id", d.request.Event.ID, "err", err)
	}
	d.mu.Lock()
	d.fold.Add(accepted, d.a.now())
	d.mu.Unlock()
	answer, err := d.think()
	d.conclude(d.ending(answer, err))
}

// endEarly ends a task that was stopped before it was accepted. When it is the
// agent that ends, the task waits for its next life.
func (d *duty) endEarly(cause error) {
	if !errors.Is(cause, errStopped) {
		d.conclude(d.ending(brain.Answer{}, cause))
	}
}

// overAlready asks the relay whether the task has ended, so that a restart does
// not run it again. One that an earlier life began and forgot is ended.
func (d *duty) overAlready() bool {
	finished, begun := d.before()
	switch {
	case begun:
		d.conclude(d.writer.Fail(textRestarted, false, d.a.now()))
	case finished:
		d.a.journal.note(entry{Op: opTold, At: d.a.now(), ID: d.request.Event.ID})
	}
	return finished || begun
}

// before is what an earlier life did with the task, as the relay knows it.
func (d *duty) before() (finished, begun bool) {
	about := d.about()
	finished = task.Finished(d.request, about)
	for _, ev := range about {
		begun = begun || d.maybe && !finished && ev.Kind == task.KindAccepted && ev.PubKey == d.a.keys.PubKey
	}
	return finished, begun
}

// about is what the relay has about the task. A relay that is away is asked
// again until the task is stopped: nothing runs before that is known.
func (d *duty) about() []*nostr.Event {
	kinds := []int{task.KindAccepted, task.KindResult, task.KindCancel, task.KindError}
	for try := 0; ; try++ {
		events, err := d.a.fetch(d.ctx, d.ref.Relay, nostr.Filter{Kinds: kinds, Tags: nostr.TagMap{"e": {d.request.Event.ID}}})
		if err == nil || d.ctx.Err() != nil {
			return events
		}
		d.a.log.Warn("asking whether a task has ended", "id", d.request.Event.ID, "err", err)
		if !d.a.sleep(d.ctx, waits[min(try, len(waits)-1)]) {
			return nil
		}
	}
}

// textRestarted is how tasks end that an earlier life was at.
const textRestarted = "The agent was restarted while it worked on this task"

// textStopped is how tasks end when the agent does.
const textStopped = "The agent was stopped while it worked on this task"

// think lets the brain work and publishes progress meanwhile.
func (d *duty) think() (brain.Answer, error) {
	message := d.request.Text
	turn := brain.Turn{Place: brain.Task, ID: d.request.Event.ID, Sender: d.request.Event.PubKey, Subject: d.request.Subject, Message: message}
	result := make(chan outcome, 1)
	d.a.wg.Go(func() { result <- think(d.ctx, d.a.config.Brain, turn, d) }) // ends soon after ctx
	for {
		stop := d.progress()
		select {
		case <-d.signal:
			stop()
		case o := <-result:
			stop()
			if cause := context.Cause(d.ctx); cause != nil {
				return brain.Answer{}, cause
			}
			return o.answer, o.err
		case <-d.ctx.Done():
			stop()
			return brain.Answer{}, context.Cause(d.ctx)
		}
	}
}

// progress publishes what is due and comes back when more may be.
func (d *duty) progress() (stop func()) {
	d.mu.Lock()
	ev := d.writer.Progress(d.a.now())
	d.mu.Unlock()
	if ev != nil {
		ctx, cancel := context.WithTimeout(d.ctx, LiveWait)
		if err := d.a.post(ctx, d.ref, ev); err != nil {
			d.a.log.Debug("telling progress", "id", d.request.Event.ID, "err", err)
		}
		cancel()
	}
	d.mu.Lock()
	at, due := d.writer.NextProgress()
	d.mu.Unlock()
	if !due {
		return func() {}
	}
	return d.a.clock.AfterFunc(time.Duration(max(at-d.a.now(), 0))*time.Second, d.poke)
}

func (d *duty) poke() { wake(d.signal) }
