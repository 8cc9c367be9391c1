package agent

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nbd-wtf/go-nostr"

	"parley/server/agent/brain"
	"parley/wasm/relay"
	"parley/wasm/room"
	"parley/wasm/task"
)

// duty is one task, waiting for its turn or at work.
type duty struct {
	a       *Agent
	request *task.Request
	ref     room.Ref
	ctx     context.Context
	stop    context.CancelCauseFunc
	signal  chan struct{} // holds 1: there may be progress to publish
	maybe   bool          // an earlier life may have ended it
	kept    bool          // it waited in an earlier life

	mu       sync.Mutex
	writer   *task.Writer
	fold     *task.Fold
	started  bool
	line     string // the assistant's words since the last line end
	unsent   bool   // something could not be posted
	question *question
}

// Why a task is stopped.
var (
	errWithdrawn = errors.New("the requester cancelled the task")
	errTaskSlow  = errors.New("the task took too long and was given up")
)

// cancelledBy is why a task is stopped that somebody wrote !cancel about.
type cancelledBy struct{ pubkey string }

func (c *cancelledBy) Error() string { return "cancelled by " + c.pubkey }

// taskCame takes a request.
func (a *Agent) taskCame(in relay.Incoming, stored bool) {
	r, err := task.Parse(in.Event)
	if err != nil || r.Agent != a.keys.PubKey || a.work.Err() != nil {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	ref := room.Ref{Relay: in.Relay, ID: r.Room}
	switch {
	case a.journal.tookTask(r.Event.ID):
		return
	case !a.allowed(r.Event.PubKey):
		a.log.Info("a task stays alone", "id", r.Event.ID, "from", r.Event.PubKey, "because", "its author may not use the agent")
		return
	case int64(r.Event.CreatedAt) < a.now()-int64(MaxAway/time.Second):
		return
	case a.tooMuch(r.Event.PubKey) > 0:
		a.log.Info("a task stays alone", "id", r.Event.ID, "from", r.Event.PubKey, "because", "too much is asked")
		return
	}
	err = a.journal.add(entry{Op: opTask, At: a.now(), ID: r.Event.ID, Client: r.Event.PubKey, Relay: ref.Relay, Room: ref.ID, Raw: rawEvent(r.Event)})
	if err != nil {
		a.log.Error("a task cannot be taken on", "id", r.Event.ID, "err", err)
		return
	}
	d := a.newDuty(r, ref, stored || int64(r.Event.CreatedAt) < a.began)
	if d.maybe {
		a.unsure = append(a.unsure, d)
		wake(a.unsureSignal)
		return
	}
	a.enqueue(d)
}

// checkUnsure asks the relay, one after the other, about the tasks that an
// earlier life may have ended, until work ends. The others wait for their turn.
func (a *Agent) checkUnsure() {
	for a.work.Err() == nil {
		a.mu.Lock()
		var d *duty
		if len(a.unsure) > 0 {
			d = a.unsure[0]
		}
		a.mu.Unlock()
		if d == nil {
			select {
			case <-a.unsureSignal:
			case <-a.work.Done():
			}
			continue
		}
		over := d.overAlready()
		a.mu.Lock()
		a.unsure = a.unsure[1:]
		if !over && d.ctx.Err() == nil {
			a.enqueue(d)
		}
		a.mu.Unlock()
	}
}

// wake puts a signal into a channel that holds one.
func wake(signal chan struct{}) {
	select {
	case signal <- struct{}{}:
	default:
	}
}

func (a *Agent) newDuty(r *task.Request, ref room.Ref, maybe bool) *duty {
	d := &duty{a: a, request: r, ref: ref, signal: make(chan struct{}, 1), maybe: maybe,
		writer: task.NewWriter(r), fold: task.NewFold(r.Event.ID)}
	d.fold.Add(r.Event, a.now())
	d.ctx, d.stop = context.WithCancelCause(a.work)
	return d
}

// enqueue puts a task at the end of the queue, unless it is one that waits
// already or there are too many; the caller holds mu. Those that waited in an
// earlier life are not refused.
func (a *Agent) enqueue(d *duty) {
	if same := a.sameTask(d.request); same != nil && !d.maybe {
		a.wg.Go(func() { d.conclude(d.writer.Merged(same.request.Event.ID, a.now())) })
		return
	}
	if waiting := a.waitingTasks(); waiting >= a.limits.QueuedTasks && !d.kept {
		text := fmt.Sprintf("The queue is full: %d tasks wait. Ask again later.", waiting)
		a.wg.Go(func() { d.conclude(d.writer.Fail(text, false, a.now())) })
		return
	}
	a.duties = append(a.duties, d)
	if ahead := len(a.duties) - 1; ahead > 0 && !d.maybe {
		a.wg.Go(func() { d.tellPlace(ahead) })
	}
	wake(a.taskSignal)
}

// waitingTasks counts the tasks that have not begun; the caller holds mu.
func (a *Agent) waitingTasks() int { return max(0, len(a.duties)-1) }

// sameTask finds an unfinished task of the same person, in the same place and
// with the same words: it was sent twice. The caller holds mu.
func (a *Agent) sameTask(r *task.Request) *duty {
	for _, d := range a.duties {
		o := d.request
		if o.Event.ID != r.Event.ID && o.Event.PubKey == r.Event.PubKey && o.Room == r.Room && o.Subject == r.Subject &&
			o.Text == r.Text && (o.Root == r.Root || o.Root == o.Event.ID && r.Root == r.Event.ID) {
			return d
		}
	}
	return nil
}

// tellPlace says in the task's thread how many are before it, so that waiting
// does not look like being overheard.
func (d *duty) tellPlace(ahead int) {
	words := fmt.Sprintf("I begin when the %d tasks before it have ended.", ahead)
	if ahead == 1 {
		words = "I begin when the task before it has ended."
	}
	if _, err := d.a.say(d.ctx, d.spot(), room.Words{Text: words}); err != nil {
		d.a.log.Warn("telling a task's place in the queue", "id", d.request.Event.ID, "err", err)
	}
}

// spot is where the task's replies stand: under its request, or in the thread
// that the request names, then as a reply to the request.
func (d *duty) spot() spot {
	if d.request.Root == d.request.Event.ID {
		return spot{ref: d.ref, root: d.request.Event}
	}
	return spot{ref: d.ref, root: &nostr.Event{ID: d.request.Root, PubKey: d.rootAuthor()}, parent: d.request.Event}
}

// rootAuthor is who began the thread, when the request says so.
func (d *duty) rootAuthor() string {
	if root := rootOf(d.request.Event); root != nil && root.ID == d.request.Root {
		return root.PubKey
	}
	return ""
}

// runTasks gives one task after the other its turn, until work ends.
func (a *Agent) runTasks() {
	for {
		a.mu.Lock()
		var next *duty
		if len(a.duties) > 0 {
			next = a.duties[0]
		}
		a.mu.Unlock()
		if next != nil {
			next.work()
			a.dropDuty(next)
			continue
		}
		select {
		case <-a.taskSignal:
		case <-a.work.Done():
			return
		}
		if a.work.Err() != nil {
			return
		}
	}
}

func (a *Agent) dropDuty(d *duty) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for i, other := range a.duties {
		if other == d {
			a.duties = append(a.duties[:i:i], a.duties[i+1:]...)
			return
		}
	}
}

// taskCancelled takes the requester's cancel (43005): the task ends on its own,
// and nothing further is published.
func (a *Agent) taskCancelled(ev *nostr.Event) {
	for _, id := range task.Names(ev) {
		if d := a.duty(id); d != nil && ev.PubKey == d.request.Event.PubKey && roomOf(ev) == d.request.Room {
			d.cancel(errWithdrawn)
		}
	}
}

// cancelSaid takes a !cancel message.
func (a *Agent) cancelSaid(ref room.Ref, ev *nostr.Event) {
	if !a.allowed(ev.PubKey) {
		return
	}
	a.mu.Lock()
	var meant []*duty
	for _, d := range slices.Concat(a.duties, a.unsure) {
		if d.ref == ref && d.asks(ev) {
			meant = append(meant, d)
		}
	}
	a.mu.Unlock()
	for _, d := range meant {
		d.cancel(&cancelledBy{ev.PubKey})
	}
}

// asks says whether a !cancel message is about this task.
func (d *duty) asks(ev *nostr.Event) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.fold.Add(ev, d.a.now())
	for _, ask := range d.fold.View(d.a.now(), "").CancelAsks {
		if ask.ID == ev.ID {
			return true
		}
	}
	return false
}

func (a *Agent) duty(id string) *duty {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, d := range slices.Concat(a.duties, a.unsure) {
		if d.request.Event.ID == id {
			return d
		}
	}
	return nil
}

// cancel stops a task. One that waits leaves the queue at once; one at work is
// ended by its turn.
func (d *duty) cancel(why error) {
	d.a.log.Info("a task is stopped", "id", d.request.Event.ID, "because", why.Error())
	d.stop(why)
	d.mu.Lock()
	begun := d.started
	d.started = true // it will not begin any more
	d.mu.Unlock()
	if begun {
		return
	}
	d.a.dropDuty(d)
	d.a.wg.Go(func() { d.conclude(d.ending(brain.Answer{}, why)) })
}

// oneLine puts a text on one line.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
