package run

import (
	"fmt"
	"math/rand"
	"strings"
	"testing"
)

// job reads "kind run" into a job; its id is what was written.
func job(kind int, run, id string) DecryptJob { return DecryptJob{ID: id, Kind: kind, Run: run} }

// drain takes all jobs one by one, each with success, and gives their ids.
func drain(q *DecryptQueue) string {
	var ids []string
	for {
		j, ok := q.Next()
		if !ok {
			return strings.Join(ids, " ")
		}
		ids = append(ids, j.ID)
		q.Done(j.ID, true)
	}
}

func TestTerminalsFirstThenStatusAndToolsThenDeltas(t *testing.T) {
	var q DecryptQueue
	for _, j := range []DecryptJob{
		job(KindDelta, "b", "delta1"), job(KindStatus, "b", "status"), job(KindDelta, "b", "delta2"), job(KindTool, "b", "tool"),
		job(KindWrapLive, "", "live"), job(KindPrompt, "b", "prompt"), job(KindWrap, "", "wrap"), job(KindCancel, "b", "cancel"),
		job(KindResponse, "a", "response"), job(KindError, "c", "error"),
	} {
		equal(t, "taken", q.Push(j), true)
	}
	equal(t, "order", drain(&q), "response error prompt wrap status tool live cancel delta1 delta2")
	equal(t, "waiting", q.Waiting(), 0)
}

func TestAtMostFourInFlight(t *testing.T) {
	var q DecryptQueue
	for i := range MaxInFlight + 1 {
		q.Push(job(KindStatus, "a", fmt.Sprint(i)))
	}
	for i := range MaxInFlight {
		if _, ok := q.Next(); !ok {
			t.Fatalf("job %d was not given", i)
		}
	}
	if j, ok := q.Next(); ok {
		t.Fatalf("job %v is one too many", j)
	}
	equal(t, "in flight", q.InFlight(), MaxInFlight)
	equal(t, "waiting", q.Waiting(), 1)
	q.Done("0", false)
	if _, ok := q.Next(); !ok {
		t.Error("a place was free")
	}
}

func TestNoMoreDeltasOnceATerminalIsThere(t *testing.T) {
	var q DecryptQueue
	q.Push(job(KindDelta, "a", "d1"))
	q.Push(job(KindDelta, "b", "other"))
	q.Push(job(KindError, "a", "e"))
	j, _ := q.Next()
	equal(t, "terminal", j.ID, "e")
	j, _ = q.Next()
	equal(t, "deltas of the run are held", j.ID, "other")
	if j, ok := q.Next(); ok {
		t.Errorf("gave %v", j)
	}
	q.Done("e", true)
	equal(t, "dropped", drain(&q), "")
	equal(t, "a late delta", q.Push(job(KindDelta, "a", "d2")), false)
	q.Done("other", true)
	equal(t, "waiting", q.Waiting(), 0)
	equal(t, "other runs go on", q.Push(job(KindDelta, "b", "d3")), true)
}

func TestDeltasGoOnWhenTheTerminalCannotBeRead(t *testing.T) {
	var q DecryptQueue
	for _, j := range []DecryptJob{job(KindDelta, "a", "d1"), job(KindDelta, "a", "d2"), job(KindError, "a", "e1"), job(KindResponse, "a", "e2")} {
		q.Push(j)
	}
	q.Next()
	q.Next()
	if j, ok := q.Next(); ok {
		t.Errorf("gave %v", j)
	}
	q.Push(job(KindDelta, "a", "d3"))
	q.Done("e1", false)
	if j, ok := q.Next(); ok {
		t.Errorf("one terminal may still come, gave %v", j)
	}
	q.Done("e2", false)
	equal(t, "in their order", drain(&q), "d1 d2 d3")
}

func TestQueueKnowsWhatItHas(t *testing.T) {
	var q DecryptQueue
	equal(t, "empty", drain(&q), "")
	equal(t, "waiting", q.Waiting(), 0)
	q.Done("x", true)
	q.Push(job(KindStatus, "a", "s"))
	equal(t, "twice", q.Push(job(KindStatus, "a", "s")), false)
	q.Next()
	equal(t, "in flight", q.Push(job(KindStatus, "a", "s")), false)
	q.Done("s", false)
	equal(t, "again after it failed", q.Push(job(KindStatus, "a", "s")), true)
	var fresh DecryptQueue
	fresh.Finish("a")
	equal(t, "finished from a cache", fresh.Push(job(KindDelta, "a", "d")), false)
}

// TestEveryJobIsGivenOnceOrDropped drives a queue at random.
func TestEveryJobIsGivenOnceOrDropped(t *testing.T) {
	kinds := []int{KindStatus, KindDelta, KindDelta, KindPrompt, KindResponse, KindTool, KindError, KindWrap}
	for seed := range int64(200) {
		rng := rand.New(rand.NewSource(seed))
		var q DecryptQueue
		given := map[string]int{}
		pushed := map[string]DecryptJob{}
		done := map[string]bool{}
		var flying []DecryptJob
		for i := range 200 {
			if i < 100 {
				j := job(kinds[rng.Intn(len(kinds))], fmt.Sprint("run", rng.Intn(6)), fmt.Sprint("job", i))
				if q.Push(j) {
					pushed[j.ID] = j
				}
			}
			for rng.Intn(2) == 0 || i >= 100 {
				j, ok := q.Next()
				if !ok {
					break
				}
				if j.Kind == KindDelta && done[j.Run] {
					t.Fatalf("seed %d: a delta of a finished run", seed)
				}
				given[j.ID]++
				flying = append(flying, j)
			}
			if len(flying) > MaxInFlight {
				t.Fatalf("seed %d: %d in flight", seed, len(flying))
			}
			for len(flying) > 0 && (i >= 100 || rng.Intn(2) == 0) {
				j := flying[0]
				flying = flying[1:]
				ok := rng.Intn(3) > 0
				done[j.Run] = done[j.Run] || ok && IsTerminal(j.Kind)
				q.Done(j.ID, ok)
			}
		}
		for id, j := range pushed {
			if n := given[id]; n > 1 || n == 0 && !(j.Kind == KindDelta && done[j.Run]) {
				t.Fatalf("seed %d: job %v was given %d times", seed, j, n)
			}
		}
		if q.InFlight() != 0 || q.Waiting() != 0 {
			t.Fatalf("seed %d: %d in flight, %d waiting", seed, q.InFlight(), q.Waiting())
		}
	}
}
