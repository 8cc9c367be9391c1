package agent

import (
	"cmp"
	"encoding/json"
	"iter"
	"maps"
	"slices"

	"parley/wasm/relay"
	"parley/wasm/run"
)

// state is what the journal's entries amount to.
type state struct {
	first     int64                 // when the agent was listening first; 0: never
	last      int64                 // and last
	runs      map[string]*runRecord // those with something left to do
	over      map[string]int64      // the others, by when they began
	sessions  sessions
	seen      map[string]int64 // messages and tasks taken up
	questions map[string]entry // those that wait
	tasks     map[string]*taskRecord
	threads   map[string]entry // those the agent opened
}

// runRecord is a prompt that was taken on.
type runRecord struct {
	begin entry
	end   *entry // with its terminal, which no relay has; nil while it is unfinished
}

// taskRecord is a task that waits, runs, or has ended.
type taskRecord struct {
	task  entry
	taken bool // its turn has begun
	end   *entry
	sent  bool
}

func newState() state {
	return state{runs: map[string]*runRecord{}, over: map[string]int64{}, seen: map[string]int64{}, questions: map[string]entry{},
		tasks: map[string]*taskRecord{}, threads: map[string]entry{}}
}

// apply takes in one entry. Entries without what they need are left out.
func (s *state) apply(e entry) {
	switch e.Op {
	case opHeard:
		if s.first == 0 || e.At < s.first {
			s.first = e.At
		}
		s.last = max(s.last, e.At)
	case opBegin:
		if s.runs[e.ID] == nil && s.over[e.ID] == 0 {
			s.runs[e.ID] = &runRecord{begin: e}
		}
	case opEnd:
		if r := s.runs[e.ID]; r != nil && len(e.Raw) > 0 {
			r.end = &e
		} else if r != nil {
			s.close(e.ID)
		}
	case opSent:
		if r := s.runs[e.ID]; r != nil && r.end != nil {
			s.close(e.ID)
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
	case opTaken:
		if t := s.tasks[e.ID]; t != nil {
			t.taken = true
		}
	case opTold:
		if t := s.tasks[e.ID]; t != nil {
			if t.end, t.sent = &e, len(e.Raw) == 0; t.sent {
				t.task.Raw = nil
			}
		}
	case opClosed:
		if t := s.tasks[e.ID]; t != nil && t.end != nil {
			t.sent, t.end.Raw, t.task.Raw = true, nil, nil
		}
	case opThread:
		s.threads[e.ID] = e
	}
}

// close remembers of a run only that there was one.
func (s *state) close(id string) {
	s.over[id] = max(1, s.runs[id].begin.At)
	delete(s.runs, id)
}

// kept is how long what is over is remembered, in seconds: longer than anything
// is asked for again.
const kept = maxAway + relay.Overlap + run.WrapBacklog

// keptThreads is how long a handoff's thread goes on by itself, in seconds.
const keptThreads = 30 * 24 * 60 * 60

// prune forgets what is over and old.
func (s *state) prune(now int64) {
	old := now - kept
	maps.DeleteFunc(s.over, func(_ string, at int64) bool { return at < old })
	maps.DeleteFunc(s.tasks, func(_ string, t *taskRecord) bool { return t.end != nil && t.sent && t.task.At < old })
	maps.DeleteFunc(s.seen, func(_ string, at int64) bool { return at < old })
	maps.DeleteFunc(s.threads, func(_ string, e entry) bool { return e.At < now-keptThreads })
}

// entries are lines from which the state can be built again.
func (s *state) entries() iter.Seq[entry] {
	return func(yield func(entry) bool) {
		all := []entry{{Op: opHeard, At: s.first}, {Op: opHeard, At: s.last}}
		for _, r := range s.runs {
			all = append(all, r.begin)
			all = append(all, ending(r.end, opSent, false)...)
		}
		for id, at := range s.over {
			all = append(all, entry{Op: opBegin, ID: id, At: at}, entry{Op: opEnd, ID: id, At: at})
		}
		for _, t := range s.tasks {
			all = append(all, t.task)
			if t.taken {
				all = append(all, entry{Op: opTaken, ID: t.task.ID, At: t.task.At})
			}
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

// listening is from when on rooms are read, in unix seconds: from before the
// last stop on, the first time from now on.
func (j *journal) listening(now int64) int64 {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.state.last == 0 {
		return now
	}
	return max(j.state.last-relay.Overlap, now-maxAway)
}

// answering is from when on prompts are answered, in unix seconds: from MaxAway
// ago, but not from before the agent's first start. A prompt may be older than
// the last stop and yet be new: its author was offline when it was written.
func (j *journal) answering(now int64) int64 {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.state.first == 0 {
		return now
	}
	return min(max(j.state.first, now-maxAway), now) // its clock may have been ahead
}

// knows says whether a prompt was taken on or refused before.
func (j *journal) knows(prompt string) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.state.runs[prompt] != nil || j.state.over[prompt] != 0
}

// took says whether a message was taken up before, tookTask whether a task was,
// opened whether the agent opened a thread to hand something over.
func (j *journal) took(id string) bool { return j.has(func(s *state) bool { return s.seen[id] != 0 }) }
func (j *journal) tookTask(id string) bool {
	return j.has(func(s *state) bool { return s.tasks[id] != nil })
}
func (j *journal) opened(id string) bool {
	return j.has(func(s *state) bool { _, ok := s.threads[id]; return ok })
}

func (j *journal) has(what func(s *state) bool) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return what(&j.state)
}

// unfinished is what an earlier life left behind: runs and tasks that have no
// end, or whose end no relay has, tasks in the order they came; and the
// questions that wait.
func (j *journal) unfinished() (runs []runRecord, tasks []taskRecord, questions []entry) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, r := range j.state.runs {
		runs = append(runs, *r)
	}
	for _, t := range j.state.tasks {
		if t.end == nil || !t.sent {
			tasks = append(tasks, *t)
		}
	}
	slices.SortFunc(tasks, func(x, y taskRecord) int {
		return cmp.Or(cmp.Compare(x.task.At, y.task.At), cmp.Compare(x.task.ID, y.task.ID))
	})
	return runs, tasks, slices.Collect(maps.Values(j.state.questions))
}

func rawEvent(ev any) json.RawMessage {
	raw, _ := json.Marshal(ev) // an event always can be written
	return raw
}
