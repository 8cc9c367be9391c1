package agent

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"parley/server/agent/brain"
	"parley/wasm/run"
)

// job is one run: the brain thinks in one goroutine, another one writes what it
// says, in order, as fast as the relays take it. Only that one touches the
// writer.
type job struct {
	a        *Agent
	accepted *run.Accepted
	relay    string // the prompt came from
	maybe    bool   // it may have been answered in an earlier life
	writer   *run.Writer
	ctx      context.Context
	stop     context.CancelCauseFunc
	signal   chan struct{} // holds 1: there is something to do

	mu   sync.Mutex
	acts []act
	said []byte // all words of the answer

	// The last status, which is repeated while the brain works. Only the
	// writing goroutine uses them.
	state, words string
	progress     *int
}

// act is something the brain did: words, or a draft to be written.
type act struct {
	words    []byte
	thinking bool
	draft    func(now int64) ([]run.Draft, error)
}

// cancelled is why a run ends that a client cancelled.
type cancelled struct{ reason string }

func (c *cancelled) Error() string { return "cancelled by the client: " + c.reason }

var errTooSlow = errors.New("the run took too long")

// outcome is what the brain came to.
type outcome struct {
	answer brain.Answer
	err    error
}

func (a *Agent) newJob(p prompt, accepted *run.Accepted, maybe bool) *job {
	j := &job{a: a, accepted: accepted, relay: p.relay, maybe: maybe, signal: make(chan struct{}, 1), state: run.StatusThinking}
	j.writer = run.NewWriter(accepted, a.limit(p.relay), a.millis())
	j.ctx, j.stop = context.WithCancelCause(a.work)
	return j
}

// work runs the job to its end.
func (j *job) work() {
	defer j.stop(nil)
	defer j.a.finished(j.accepted.Run)
	if j.maybe && j.answered() {
		j.a.journal.note(entry{Op: opEnd, At: j.a.now(), ID: j.accepted.Run})
		return
	}
	stopTimer := j.a.clock.AfterFunc(j.a.limits.RunTime, func() { j.stop(errTooSlow) })
	defer stopTimer()
	turn := j.turn()
	j.status(run.StatusThinking, nil, "")
	result := make(chan outcome, 1)
	j.a.wg.Go(func() { result <- think(j.ctx, j.a.config.Brain, turn, j) }) // ends soon after ctx
	j.end(turn, j.write(result))
}

// answered asks the relay whether the run has a terminal from an earlier life.
func (j *job) answered() bool {
	f := run.FilterResume(j.accepted.Run, j.a.keys.PubKey)
	f.Kinds = []int{run.KindResponse, run.KindError}
	events, err := j.a.fetch(j.ctx, j.relay, f)
	if err != nil {
		j.a.log.Warn("asking whether a run was answered before", "id", j.accepted.Run, "err", err)
	}
	return len(events) > 0
}

func (j *job) turn() brain.Turn {
	p := j.accepted.Prompt
	turn := brain.Turn{Place: brain.Session, ID: j.accepted.Run, Sender: j.accepted.Client, Message: p.Message,
		Thinking: p.Thinking, Models: j.accepted.Models}
	j.a.journal.look(func(s *state) {
		turn.History = s.sessions.history(j.accepted.Client, j.accepted.Session, p.Message, j.a.info.MaxContextTokens)
	})
	return turn
}

// think lets the brain answer. A brain that panics has failed, no more.
func think(ctx context.Context, b brain.Brain, turn brain.Turn, out brain.Out) (o outcome) {
	defer func() {
		if p := recover(); p != nil {
			o = outcome{err: fmt.Errorf("the brain panicked: %v", p)}
		}
	}()
	o.answer, o.err = b.Answer(ctx, turn, out)
	return o
}

// write sends what the brain says until it is done or the run is ended from
// outside.
func (j *job) write(result <-chan outcome) outcome {
	for {
		j.catchUp()
		stop := j.wake()
		select {
		case <-j.signal:
			stop()
		case o := <-result:
			stop()
			if cause := context.Cause(j.ctx); cause != nil {
				return outcome{err: cause}
			}
			j.catchUp()
			return o
		case <-j.ctx.Done():
			stop()
			return outcome{err: context.Cause(j.ctx)}
		}
	}
}

// catchUp writes everything that is there to write, and what is due.
func (j *job) catchUp() {
	for j.ctx.Err() == nil {
		j.mu.Lock()
		acts := j.acts
		j.acts = nil
		j.mu.Unlock()
		for _, act := range acts {
			j.act(act)
		}
		now := j.a.millis()
		drafts := j.writer.Flush(now)
		if j.writer.StatusDue(now) {
			draft, err := j.writer.Status(j.state, j.progress, j.words, now)
			drafts = j.drafted(drafts, []run.Draft{draft}, err)
		}
		j.send(j.a.talk, drafts)
		if len(acts) == 0 {
			return
		}
	}
}

func (j *job) act(act act) {
	if j.ctx.Err() != nil {
		return
	}
	now := j.a.millis()
	var drafts []run.Draft
	var err error
	switch {
	case act.draft != nil:
		drafts, err = act.draft(now)
	case act.thinking:
		drafts, err = j.writer.Think(string(act.words), now)
	default:
		drafts, err = j.writer.Text(string(act.words), now)
	}
	j.send(j.a.talk, j.drafted(nil, drafts, err))
}

// drafted adds drafts unless they could not be made.
func (j *job) drafted(drafts, more []run.Draft, err error) []run.Draft {
	if err != nil {
		j.a.log.Warn("a part of an answer cannot be written", "id", j.accepted.Run, "err", err)
		return drafts
	}
	return append(drafts, more...)
}

// wake makes sure that the writing goes on when something is due; stop ends
// that.
func (j *job) wake() (stop func()) {
	now := j.a.millis()
	next := now + run.MaxStatusGap*1000/6
	if at, ok := j.writer.NextFlush(); ok {
		next = min(next, at)
	}
	return j.a.clock.AfterFunc(time.Duration(max(next-now, 1))*time.Millisecond, j.poke)
}

func (j *job) poke() { wake(j.signal) }

// send publishes events of the moment. One that is lost is no loss for good:
// the terminal holds everything.
func (j *job) send(ctx context.Context, drafts []run.Draft) {
	for _, d := range drafts {
		ev, err := j.a.seal(d, j.accepted.Wrapped)
		if err != nil {
			j.a.log.Error("writing a part of an answer", "id", j.accepted.Run, "err", err)
			continue
		}
		one, cancel := context.WithTimeout(ctx, LiveWait)
		if v := j.a.publish(one, j.a.urls(), ev); !v.stored {
			j.a.log.Debug("a part of an answer was not taken", "kind", d.Kind, "because", v.words)
		}
		cancel()
	}
}
