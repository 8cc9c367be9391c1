package run

// MaxInFlight is how many decryptions an outside signer works on at once.
const MaxInFlight = 4

// DecryptJob is one payload that waits for an outside signer (NIP-07, NIP-46).
// Run may be "" while it is unknown, as in a gift wrap.
type DecryptJob struct {
	ID   string // the event's id
	Kind int    // 25800-25806, or 1059 and 21059 for wraps
	Run  string
}

// DecryptQueue orders the decryptions that an outside signer is asked for, each
// of which may be a prompt to a person: terminals first, then prompts, then
// status, tools and cancels, then deltas, within these as they came. Deltas of a
// run are not asked for once its terminal is here: while that is being
// decrypted they are held, and dropped when it succeeds. It does nothing by
// itself: the owner calls Next and Done. The zero value is ready.
type DecryptQueue struct {
	ranks    [4][]DecryptJob
	known    map[string]bool // ids that wait, are held or in flight
	flying   map[string]DecryptJob
	pending  map[string]int          // terminals that wait or fly, by run
	held     map[string][]DecryptJob // deltas of those runs
	finished map[string]bool         // runs with a terminal
}

func (q *DecryptQueue) init() {
	if q.known == nil {
		q.known, q.flying = map[string]bool{}, map[string]DecryptJob{}
		q.pending, q.held, q.finished = map[string]int{}, map[string][]DecryptJob{}, map[string]bool{}
	}
}

// rank is 0 for what comes first. A stored wrap may hold a terminal or a prompt.
func rank(kind int) int {
	switch kind {
	case KindResponse, KindError:
		return 0
	case KindPrompt, KindWrap:
		return 1
	case KindDelta:
		return 3
	}
	return 2
}

// Push adds a job. One that is known already, or that nobody needs any more, is
// ignored; the answer says whether it was taken.
func (q *DecryptQueue) Push(job DecryptJob) bool {
	q.init()
	if q.known[job.ID] || job.Kind == KindDelta && q.finished[job.Run] {
		return false
	}
	q.known[job.ID] = true
	if IsTerminal(job.Kind) && job.Run != "" {
		q.pending[job.Run]++
	}
	q.ranks[rank(job.Kind)] = append(q.ranks[rank(job.Kind)], job)
	return true
}

// Next gives the next job to start, and counts it as in flight until Done. False
// when there is none, or MaxInFlight are under way.
func (q *DecryptQueue) Next() (DecryptJob, bool) {
	if len(q.flying) >= MaxInFlight {
		return DecryptJob{}, false
	}
	for i := range q.ranks {
		for len(q.ranks[i]) > 0 {
			job := q.ranks[i][0]
			q.ranks[i] = q.ranks[i][1:]
			if q.skip(job) {
				continue
			}
			q.flying[job.ID] = job
			return job, true
		}
	}
	return DecryptJob{}, false
}

// skip drops or holds a delta of a run whose terminal is here.
func (q *DecryptQueue) skip(job DecryptJob) bool {
	switch {
	case job.Kind != KindDelta || job.Run == "":
		return false
	case q.finished[job.Run]:
		delete(q.known, job.ID)
		return true
	case q.pending[job.Run] > 0:
		q.held[job.Run] = append(q.held[job.Run], job)
		return true
	}
	return false
}

// Done tells how a job in flight ended. ok means that it was decrypted.
func (q *DecryptQueue) Done(id string, ok bool) {
	job, flying := q.flying[id]
	if !flying {
		return
	}
	delete(q.flying, id)
	delete(q.known, id)
	if !IsTerminal(job.Kind) || job.Run == "" {
		return
	}
	if q.pending[job.Run]--; q.pending[job.Run] <= 0 {
		delete(q.pending, job.Run)
	}
	if ok {
		q.Finish(job.Run)
	} else if q.pending[job.Run] == 0 {
		q.ranks[3] = append(q.held[job.Run], q.ranks[3]...)
		delete(q.held, job.Run)
	}
}

// Finish tells that a run has its terminal by another way, as from a cache: its
// deltas are not asked for.
func (q *DecryptQueue) Finish(run string) {
	q.init()
	q.finished[run] = true
	for _, job := range q.held[run] {
		delete(q.known, job.ID)
	}
	delete(q.held, run)
}

// InFlight is the number of jobs under way.
func (q *DecryptQueue) InFlight() int { return len(q.flying) }

// Waiting is the number of jobs that wait or are held; deltas that will be
// dropped may still count.
func (q *DecryptQueue) Waiting() int {
	q.init()
	return len(q.known) - len(q.flying)
}
