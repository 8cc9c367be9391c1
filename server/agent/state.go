package agent

import (
	"encoding/json"
	"iter"
	"maps"
	"slices"
	"time"

	"parley/wasm/relay"
	"parley/wasm/run"
)

// state is what the journal's entries amount to.
type state struct {
	last      int64 // when the agent was listening last; 0: never
	runs      map[string]*runRecord
	sessions  sessions
	seen      map[string]int64 // messages and tasks taken up
	questions map[string]entry // those that wait
	tasks     map[string]*taskRecord
	threads   map[string]entry // those the agent opened
}

// runRecord is a prompt that was taken on or refused.
type runRecord struct {
	begin entry
	end   *entry // with its terminal; nil while it is unfinished
	sent  bool   // a relay has the terminal
}

// taskRecord is a task that waits, runs, or has ended.
type taskRecord struct {
	task entry
	end  *entry
	sent bool
}

func newState() state {
	return state{runs: map[string]*runRecord{}, seen: map[string]int64{}, questions: map[string]entry{},
		tasks: map[string]*taskRecord{}, threads: map[string]entry{}}
}

// apply takes in one entry. Entries without what they need are left out.
func (s *state) apply(e entry) {
	switch e.Op {
	case opHeard:
		s.last = max(s.last, e.At)
	case opBegin:
		if s.runs[e.ID] == nil {
			s.runs[e.ID] = &runRecord{begin: e}
		}
	case opEnd:
		if r := s.runs[e.ID]; r != nil {
			r.end, r.sent = &e, len(e.Raw) == 0
		}
	case opSent:
		if r := s.runs[e.ID]; r != nil && r.end != nil {
			r.sent, r.end.Raw = true, nil
		}
	case opTurn:
		s.sessions.add(e)
	case opSeen:
		s.seen[e.ID] = e.At
	case opAsked:
		s.questions[e.ID] = e
	case opSettled:
		delete(s.questions, e.ID)
	case opTask:
		if s.tasks[e.ID] == nil {
			s.tasks[e.ID] = &taskRecord{task: e}
		}
	case opTold:
		if t := s.tasks[e.ID]; t != nil {
			t.end, t.sent = &e, len(e.Raw) == 0
		}
	case opClosed:
		if t := s.tasks[e.ID]; t != nil && t.end != nil {
			t.sent, t.end.Raw = true, nil
		}
	case opThread:
		s.threads[e.ID] = e
	}
}

// kept is how long what is over is remembered, in seconds: longer than anything
// is asked for again.
const kept = int64(MaxAway/time.Second) + relay.Overlap + run.WrapBacklog

// keptThreads is how long a handoff's thread goes on by itself, in seconds.
const keptThreads = 30 * 24 * 60 * 60

// prune forgets what is over and old.
func (s *state) prune(now int64) {
	old := now - kept
	maps.DeleteFunc(s.runs, func(_ string, r *runRecord) bool { return r.end != nil && r.sent && r.begin.At < old })
	maps.DeleteFunc(s.tasks, func(_ string, t *taskRecord) bool { return t.end != nil && t.sent && t.task.At < old })
	maps.DeleteFunc(s.seen, func(_ string, at int64) bool { return at < old })
	maps.DeleteFunc(s.threads, func(_ string, e entry) bool { return e.At < now-keptThreads })
}

// entries are lines from which the state can be built again.
func (s *state) entries() iter.Seq[entry] {
	return func(yield func(entry) bool) {
		all := []entry{{Op: opHeard, At: s.last}}
		for _, r := range s.runs {
			all = append(all, r.begin)
			all = append(all, ending(r.end, opSent, r.sent)...)
		}
		for _, t := range s.tasks {
			all = append(all, t.task)
			all = append(all, ending(t.end, opClosed, t.sent)...)
		}
		for id, at := range s.seen {
			all = append(all, entry{Op: opSeen, ID: id, At: at})
		}
		all = append(all, slices.Collect(maps.Values(s.questions))...)
		all = append(all, slices.Collect(maps.Values(s.threads))...)
		all = append(all, s.sessions.entries()...)
		for _, e := range all {
			if !yield(e) {
				return
			}
		}
	}
}

func ending(end *entry, op string, sent bool) []entry {
	switch {
	case end == nil:
		return nil
	case !sent:
		return []entry{*end}
	}
	return []entry{*end, {Op: op, ID: end.ID, At: end.At}}
}

// listening is from when on prompts are answered, in unix seconds: from before
// the last stop on, the first time from now on.
func (j *journal) listening(now int64) int64 {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.state.last == 0 {
		return now
	}
	return max(j.state.last-relay.Overlap, now-int64(MaxAway/time.Second))
}

// knows says whether a prompt was taken on or refused before.
func (j *journal) knows(prompt string) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.state.runs[prompt] != nil
}

// unfinished are the runs that have no terminal, and those whose terminal no
// relay has.
func (j *journal) unfinished() []runRecord {
	j.mu.Lock()
	defer j.mu.Unlock()
	var open []runRecord
	for _, r := range j.state.runs {
		if r.end == nil || !r.sent {
			open = append(open, *r)
		}
	}
	return open
}

func rawEvent(ev any) json.RawMessage {
	raw, _ := json.Marshal(ev) // an event always can be written
	return raw
}
