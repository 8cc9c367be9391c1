package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/nbd-wtf/go-nostr"

	"parley/server/agent/brain"
	"parley/wasm/room"
	"parley/wasm/run"
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
		d.a.journal.note(entry{Op: opTold, At: d.a.now(), ID: d.request.Event.ID})
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
	about := d.about()
	if task.Finished(d.request, about) {
		return true
	}
	for _, ev := range about {
		if d.maybe && ev.Kind == task.KindAccepted && ev.PubKey == d.a.keys.PubKey {
			d.conclude(d.writer.Fail(textRestarted, false, d.a.now()))
			return true
		}
	}
	return false
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

func (d *duty) poke() {
	select {
	case d.signal <- struct{}{}:
	default:
	}
}

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

var _ brain.Out = (*duty)(nil)

// Say notes words of the assistant: the newest line is what progress shows.
func (d *duty) Say(words string) error {
	return d.tell(func() {
		d.line += words
		d.writer.Say(d.line)
		if i := strings.LastIndexByte(strings.TrimRight(d.line, "\n"), '\n'); i >= 0 {
			d.line = d.line[i+1:]
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
	asked, err := d.a.ask(d.ctx, d.ref, d.request.Event.PubKey, q, reply)
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
		_, err := d.a.say(d.ctx, spot{home, &root, nil}, room.Words{Text: text})
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
