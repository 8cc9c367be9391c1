package agent

import (
	"parley/wasm/run"
)

// prompt is a prompt on its way in, with the relay it came from.
type prompt struct {
	in    run.Input
	relay string
}

// prompt decides on a prompt and begins what follows. stored says that it may
// have been answered in an earlier life.
func (a *Agent) prompt(p prompt, stored bool) {
	if a.work.Err() != nil {
		return // it is answered after the next start
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	id := p.in.Event.ID
	policy := a.policy
	policy.Started = max(policy.Started, a.now()-maxAway) // older ones may be forgotten
	admission := policy.Admit(p.in, a.load(p, policy.Started))
	switch {
	case admission.Silence != "":
		a.log.Debug("a prompt stays unanswered", "id", id, "because", admission.Silence)
	case admission.Refusal != nil:
		a.refuse(p, *admission.Refusal)
	default:
		a.begin(p, admission.Accepted, stored)
	}
}

// load is what the agent has in hand; the caller holds mu. Prompts count only
// where they could be taken on: since started.
func (a *Agent) load(p prompt, started int64) run.Load {
	ev := p.in.Event
	load := run.Load{Known: a.journal.knows(ev.ID)}
	session := ""
	if s := ev.Tags.Find("s"); s != nil {
		session = s[1]
	}
	a.journal.look(func(s *state) {
		load.Turns = len(s.sessions.turns[sessionKey{ev.PubKey, run.SessionOf(session, ev.PubKey)}])
	})
	for _, j := range a.jobs {
		if j.accepted.Client == ev.PubKey {
			load.Active++
		}
	}
	if !load.Known && int64(ev.CreatedAt) >= started-run.StartGrace && a.allowed(ev.PubKey) {
		load.RetryAfter = a.tooMuch(ev.PubKey)
	}
	return load
}

// everybody is the sender that stands for all.
const everybody = ""

// tooMuch counts something that is asked of the agent by one who may, and says
// in how many seconds it may be asked, 0 for now; the caller holds mu.
func (a *Agent) tooMuch(sender string) (wait int64) {
	now := a.now()
	active := len(a.jobs)
	for _, n := range a.talks {
		active += n
	}
	if wait = a.limiter.Take(sender, now); wait == 0 && active >= a.limits.AllActive {
		wait = run.ActiveRetry
	}
	if wait == 0 {
		wait = a.everyone.Take(everybody, now)
	}
	return wait
}

// refuse tells the sender why not, once, and not more often than it may ask; the
// caller holds mu. What nobody is told is not remembered either, so that nobody
// fills the journal.
func (a *Agent) refuse(p prompt, f run.Failure) {
	ev, now := p.in.Event, a.now()
	if a.refusals.Take(ev.PubKey, now) > 0 || a.told.Take(everybody, now) > 0 {
		return
	}
	a.journal.note(entry{Op: opBegin, At: now, ID: ev.ID, Client: ev.PubKey})
	a.journal.note(entry{Op: opEnd, At: now, ID: ev.ID})
	a.log.Info("a prompt is refused", "id", ev.ID, "from", ev.PubKey, "code", f.Code)
	draft := run.Refuse(ev, f, now)
	a.wg.Go(func() {
		out, err := a.seal(draft, p.in.Wrapped)
		if err != nil {
			a.log.Error("refusing a prompt", "err", err)
			return
		}
		a.insist(a.urls(), out)
	})
}

// begin takes a prompt on; the caller holds mu.
func (a *Agent) begin(p prompt, accepted *run.Accepted, stored bool) {
	err := a.journal.add(entry{Op: opBegin, At: a.now(), ID: accepted.Run, Client: accepted.Client,
		Session: accepted.Session, Wrapped: accepted.Wrapped, Relay: p.relay})
	if err != nil {
		a.log.Error("a prompt cannot be taken on", "err", err)
		a.refuse(p, run.Failure{Code: run.InternalError, Message: "The agent cannot keep its journal."})
		return
	}
	j := a.newJob(p, accepted, stored || int64(p.in.Event.CreatedAt) < a.began)
	a.jobs[accepted.Run] = j
	a.wg.Go(j.work)
}

// cancel stops an unfinished run; anything else is ignored.
func (a *Agent) cancel(in run.Input) {
	a.mu.Lock()
	defer a.mu.Unlock()
	id, reason, ok := a.policy.AdmitCancel(in, func(id string) string {
		if j := a.jobs[id]; j != nil {
			return j.accepted.Client
		}
		return ""
	})
	if ok {
		a.log.Info("a run is cancelled", "id", id, "reason", reason)
		a.jobs[id].stop(&cancelled{reason})
	}
}

// finished takes a run off the list: from here on a cancel is too late.
func (a *Agent) finished(id string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.jobs, id)
}
