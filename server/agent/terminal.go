package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/nbd-wtf/go-nostr"

	"parley/server/agent/brain"
	"parley/wasm/run"
)

// end writes the one terminal of a run: the answer, or why there is none.
func (j *job) end(turn brain.Turn, o outcome) {
	now := j.a.millis()
	var drafts []run.Draft
	var err error
	text := o.answer.Text
	if o.err != nil {
		last := j.lastWords(now)
		drafts, err = j.writer.Fail(failureOf(o.err), now)
		drafts = append(last, drafts...)
	} else {
		if text == "" {
			text = string(j.said)
		}
		drafts, err = j.writer.Respond(text, o.answer.Usage, now)
	}
	if err != nil {
		j.a.log.Error("a run cannot be ended as it should be", "id", j.accepted.Run, "err", err)
		drafts, err = j.writer.Fail(run.Failure{Code: run.InternalError, Message: "The answer could not be written."}, now)
		if err != nil {
			return // it has its terminal
		}
	}
	j.a.finished(j.accepted.Run)
	if drafts[len(drafts)-1].Kind != run.KindResponse {
		j.conclude(drafts)
		return
	}
	j.remember(turn, text)
	j.refusedForSize(j.conclude(drafts))
}

// lastWords gives the writer what was said and is not written yet, so that a
// run that ends without an answer keeps it.
func (j *job) lastWords(now int64) []run.Draft {
	j.mu.Lock()
	acts := j.acts
	j.acts = nil
	j.mu.Unlock()
	var all []run.Draft
	for _, act := range acts {
		var drafts []run.Draft
		var err error
		switch {
		case act.draft != nil:
			continue
		case act.thinking:
			drafts, err = j.writer.Think(string(act.words), now)
		default:
			drafts, err = j.writer.Text(string(act.words), now)
		}
		all = j.drafted(all, drafts, err)
	}
	return all
}

// conclude publishes the last words and the terminal, which does not wait for
// them for long.
func (j *job) conclude(drafts []run.Draft) verdict {
	ctx, cancel := context.WithTimeout(j.a.talk, LiveWait)
	defer cancel()
	last := len(drafts) - 1
	j.send(ctx, drafts[:last])
	return j.tell(drafts[last])
}

// remember notes a turn that went well, before its end is told: the next prompt
// may follow at once. An answer that no relay takes is remembered as well, so
// that a person can ask for a shorter one.
func (j *job) remember(turn brain.Turn, text string) {
	j.a.journal.note(entry{Op: opTurn, At: j.a.now(), ID: j.accepted.Run, Client: j.accepted.Client,
		Session: j.accepted.Session, Ask: remembered(turn.Message), Answer: remembered(text)})
}

// refusedForSize ends the run otherwise when its answer was refused for its
// size.
func (j *job) refusedForSize(v verdict) {
	if v.stored || !v.final || !v.size {
		return
	}
	if drafts, err := j.writer.Refused(j.a.millis()); err == nil {
		j.conclude(drafts)
	}
}

// tell publishes a terminal; the journal holds it before anybody sees it.
func (j *job) tell(d run.Draft) verdict {
	ev, err := j.a.seal(d, j.accepted.Wrapped)
	if err != nil {
		j.a.log.Error("ending a run", "id", j.accepted.Run, "err", err)
		return verdict{}
	}
	return j.a.tellEnd(j.accepted.Run, ev)
}

func (a *Agent) tellEnd(id string, ev *nostr.Event) verdict {
	a.journal.note(entry{Op: opEnd, At: a.now(), ID: id, Raw: rawEvent(ev)})
	v := a.insist(a.urls(), ev)
	if v.stored || v.final {
		a.journal.note(entry{Op: opSent, At: a.now(), ID: id})
	}
	if !v.stored {
		a.log.Error("no relay has taken the end of a run", "id", id, "kind", ev.Kind, "because", v.words)
	}
	return v
}

// failureOf puts the error that ended a turn into the protocol's words.
func failureOf(err error) run.Failure {
	var failure *brain.Failure
	var cancel *cancelled
	switch {
	case errors.As(err, &cancel):
		return run.Failure{Code: run.Cancelled, Message: "The run was cancelled.", Details: reason(cancel.reason)}
	case errors.Is(err, errStopped):
		return run.Failure{Code: run.InternalError, Message: "The agent was stopped while it answered. Try again.", Details: reason("shutdown")}
	case errors.Is(err, errTooSlow):
		return run.Failure{Code: run.InternalError, Message: "The answer took too long and was given up.", Details: reason("timeout")}
	case errors.As(err, &failure) && failure.Code.Known() && failure.Message != "":
		return run.Failure{Code: failure.Code, Message: failure.Message, RetryAfter: max(0, failure.RetryAfter), Details: failure.Details}
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return run.Failure{Code: run.InternalError, Message: "The answer was given up.", Details: reason("timeout")}
	}
	return run.Failure{Code: run.InternalError, Message: "Something unexpected went wrong: " + err.Error()}
}

// reason is the details of a failure.
func reason(word string) string {
	details, _ := json.Marshal(map[string]string{"reason": word}) // strings cannot fail
	return string(details)
}

// restarted is how runs end that an earlier life left behind.
func restarted() run.Failure {
	return run.Failure{Code: run.InternalError, Message: "The agent was restarted while it answered. Try again.", Details: reason("restart")}
}

// resume ends what an earlier life left behind: runs without a terminal get one,
// and terminals that no relay has are told again.
func (a *Agent) resume() {
	a.resumeQuestions()
	a.resumeTasks()
	for _, r := range a.leftover {
		a.wg.Go(func() {
			if err := a.resumeRun(r); err != nil {
				a.log.Error("ending a run of an earlier life", "id", r.begin.ID, "err", err)
			}
		})
	}
}

func (a *Agent) resumeRun(r runRecord) error {
	if r.end != nil {
		ev := new(nostr.Event)
		if err := json.Unmarshal(r.end.Raw, ev); err != nil {
			return fmt.Errorf("reading its terminal: %w", err)
		}
		a.tellEnd(r.begin.ID, ev)
		return nil
	}
	accepted := &run.Accepted{Run: r.begin.ID, Client: r.begin.Client, Session: r.begin.Session, Wrapped: r.begin.Wrapped}
	j := a.newJob(prompt{relay: r.begin.Relay}, accepted, true)
	defer j.stop(nil)
	if j.answered() {
		a.journal.note(entry{Op: opEnd, At: a.now(), ID: r.begin.ID})
		return nil
	}
	drafts, err := j.writer.Fail(restarted(), a.millis())
	if err != nil {
		return err
	}
	j.conclude(drafts)
	return nil
}

// keepHeard notes now and then that the agent listens, until work ends.
func (a *Agent) keepHeard() {
	for a.sleep(a.work, HeardEvery) {
		if a.online() {
			a.journal.heard(a.now())
		}
		a.mu.Lock()
		a.limiter.Forget(a.now())
		a.refusals.Forget(a.now())
		a.mu.Unlock()
	}
}
