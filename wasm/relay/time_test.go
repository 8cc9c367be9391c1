package relay

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nbd-wtf/go-nostr"
)

const testURL = "wss://relay.example.com"

// inTime runs a test in fake time, on a network that the test plays. Every
// goroutine of the pool must have ended when it does.
func inTime(t *testing.T, o Options, test func(t *testing.T, p *Pool, n *fakeNet, b *inbox)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		n := newFakeNet(t)
		o.Dial = n.dial
		if o.Rand == nil {
			o.Rand = func() float64 { return 0 }
		}
		p := NewPool(o)
		defer p.Close()
		test(t, p, n, &inbox{t: t, pool: p})
	})
}

// pass lets fake time pass, and everybody do what is then due.
func pass(d time.Duration) {
	<-time.After(d)
	synctest.Wait()
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// live subscribes to the room and answers with EOSE.
func live(t *testing.T, p *Pool, n *fakeNet, b *inbox, stored ...*nostr.Event) (*peer, string) {
	t.Helper()
	must(t, p.Subscribe(testURL, roomSub()))
	c := n.accept()
	id, _ := c.req()
	c.deliver(id, stored...)
	c.eose(id)
	for range stored {
		b.want(GotEvent)
	}
	b.want(GotEOSE)
	return c, id
}

func TestAfterAReconnectTheRoomAsksAgainWithAFreshIDFromBeforeTheNewest(t *testing.T) {
	inTime(t, Options{}, func(t *testing.T, p *Pool, n *fakeNet, b *inbox) {
		now := time.Now().Unix()
		c, first := live(t, p, n, b, note(2, now-100), note(1, now-200))
		c.deliver(first, note(3, now-50))
		b.wantEvents(3)
		c.drop()
		c = n.accept()
		second, filters := c.req()
		if second == first {
			t.Fatal("the subscription id was used again")
		}
		if f := filters[0]; f.Since == nil || int64(*f.Since) != now-50-Overlap {
			t.Fatalf("asked since %v, want %d", f.Since, now-50-Overlap)
		}
		c.deliver(first, note(9, now))
		c.deliver(second, note(3, now-50), note(4, now))
		c.eose(second)
		b.wantEvents(4)
		if eose := b.want(GotEOSE); eose.Stored != 2 || eose.Oldest != now-50 || eose.Since != now-50-Overlap {
			t.Fatalf("EOSE says %+v", eose)
		}
		if d := p.Diagnostics(testURL); d.Duplicates != 1 || d.Unasked != 1 {
			t.Fatalf("diagnostics %+v", d)
		}
	})
}

func TestAHistoryThatWasCutOffIsAskedFromTheStart(t *testing.T) {
	inTime(t, Options{}, func(t *testing.T, p *Pool, n *fakeNet, b *inbox) {
		now := time.Now().Unix()
		must(t, p.Subscribe(testURL, roomSub()))
		c := n.accept()
		id, _ := c.req()
		c.deliver(id, note(9, now-10)) // the newest first; the rest never comes
		b.wantEvents(9)
		c.drop()
		c = n.accept()
		id, filters := c.req()
		if filters[0].Since != nil {
			t.Fatalf("asked since %d: older events are lost", *filters[0].Since)
		}
		c.deliver(id, note(9, now-10), note(1, now-5000))
		c.eose(id)
		b.wantEvents(1)
		b.want(GotEOSE)
		// A second history cut off: since stays where the first EOSE put it.
		c.drop()
		c = n.accept()
		id, _ = c.req()
		c.deliver(id, note(20, now))
		b.wantEvents(20)
		c.drop()
		if _, filters = n.accept().req(); int64(*filters[0].Since) != now-10-Overlap {
			t.Fatalf("asked since %d, want %d", *filters[0].Since, now-10-Overlap)
		}
	})
}

func TestAClockAheadDoesNotMoveSinceIntoTheFuture(t *testing.T) {
	inTime(t, Options{}, func(t *testing.T, p *Pool, n *fakeNet, b *inbox) {
		now := time.Now().Unix()
		c, _ := live(t, p, n, b, note(1, now+1_000_000))
		c.drop()
		if _, filters := n.accept().req(); int64(*filters[0].Since) > now-Overlap {
			t.Fatalf("asked since %d, now is %d", *filters[0].Since, now)
		}
	})
}

func TestAnEOSEThatNeverComesIsReportedAndAskedAgain(t *testing.T) {
	inTime(t, Options{}, func(t *testing.T, p *Pool, n *fakeNet, b *inbox) {
		must(t, p.Subscribe(testURL, roomSub()))
		c := n.accept()
		for try := 1; try <= EOSETries; try++ {
			id, _ := c.req()
			pass(EOSEWait / 2)
			c.send(`["NOTICE","busy"]`) // the connection itself is alive
			b.want(GotNotice)
			pass(EOSEWait/2 - time.Second)
			c.quiet()
			pass(time.Second)
			if in := b.want(EOSETimeout); in.Sub != "room" || in.Retry != (try < EOSETries) {
				t.Fatalf("try %d: %+v", try, in)
			}
			if try < EOSETries {
				c.expect(msgClose)
				continue
			}
			c.deliver(id, note(1, 1)) // still open
			b.wantEvents(1)
		}
	})
}

func TestAHistoryMayTakeLongWhileItFlowsButNotForEver(t *testing.T) {
	inTime(t, Options{}, func(t *testing.T, p *Pool, n *fakeNet, b *inbox) {
		must(t, p.Subscribe(testURL, roomSub()))
		c := n.accept()
		id, _ := c.req()
		start := time.Now()
		for i := 1; time.Since(start) < EOSELimit-EOSEWait; i++ {
			pass(EOSEWait - time.Second)
			c.deliver(id, note(i, int64(i)))
			b.wantEvents(i)
		}
		b.want(EOSETimeout)
		if took := time.Since(start); took != EOSELimit {
			t.Fatalf("timed out after %v", took)
		}
	})
}

func TestASocketThatLooksOpenButDeliversNothingIsProbedAndRebuilt(t *testing.T) {
	inTime(t, Options{}, func(t *testing.T, p *Pool, n *fakeNet, b *inbox) {
		c, _ := live(t, p, n, b)
		pass(SilenceAfter - time.Second)
		c.quiet()
		pass(time.Second)
		id, filters := c.req()
		if filters[0].Limit != 1 {
			t.Fatalf("the probe asks for %v", filters)
		}
		c.eose(id)
		c.expect(msgClose)
		pass(SilenceAfter)
		c.req()
		pass(ProbeWait - time.Second)
		c.quiet()
		pass(time.Second)
		c.gone()
		if state := b.wantPhase(Offline); state.Reason != errSilent.Error() || state.RetryAt == 0 {
			t.Fatalf("state %+v", state)
		}
		n.accept().req()
	})
}

func TestAnyAnswerToAProbeIsASignOfLife(t *testing.T) {
	for name, answer := range map[string]func(c *peer, id string){
		"EOSE":   func(c *peer, id string) { c.eose(id) },
		"CLOSED": func(c *peer, id string) { c.closed(id, "auth-required: who are you?") },
		"NOTICE": func(c *peer, id string) { c.send(`["NOTICE","what?"]`) },
		"EVENT":  func(c *peer, id string) { c.deliver(id, note(1, 1)) },
	} {
		t.Run(name, func(t *testing.T) {
			inTime(t, Options{}, func(t *testing.T, p *Pool, n *fakeNet, b *inbox) {
				c, _ := live(t, p, n, b)
				p.Probe()
				id, _ := c.req()
				answer(c, id)
				pass(ProbeLimit)
				if len(n.attempts()) != 1 {
					t.Fatal("the connection was given up")
				}
			})
		})
	}
}

func TestAProbeBehindAFloodOfEventsWaitsButNotForEver(t *testing.T) {
	inTime(t, Options{}, func(t *testing.T, p *Pool, n *fakeNet, b *inbox) {
		c, id := live(t, p, n, b)
		p.Probe()
		c.req()
		start := time.Now()
		for i := 1; len(n.attempts()) == 1 && time.Since(start) < 2*ProbeLimit; i++ {
			pass(ProbeWait / 2)
			if len(n.attempts()) == 1 {
				c.deliver(id, note(i, 1))
			}
		}
		if took := time.Since(start); took < ProbeLimit || took > ProbeLimit+ProbeWait {
			t.Fatalf("given up after %v", took)
		}
	})
}

func TestAProbeFromOutsideChecksAtOnceAndWakesWhatWaits(t *testing.T) {
	inTime(t, Options{}, func(t *testing.T, p *Pool, n *fakeNet, b *inbox) {
		n.set(true, false)
		must(t, p.Subscribe(testURL, roomSub()))
		pass(10 * time.Minute)
		n.set(false, false)
		pass(KickAfter)
		before := time.Now()
		p.Probe()
		c := n.accept()
		if time.Since(before) > KickAfter {
			t.Fatalf("reconnected after %v", time.Since(before))
		}
		c.req()
		p.Probe()
		c.req()
		p.Probe() // one at a time
		synctest.Wait()
		c.quiet()
	})
}

// jumpClock is a clock whose wall time a test can move.
type jumpClock struct {
	realClock
	ahead atomic.Int64
}

func (c *jumpClock) Now() time.Time {
	return time.Now().Add(time.Duration(c.ahead.Load())).Round(0)
}

func TestAClockThatJumpedMeansSleepAndProbes(t *testing.T) {
	clock := &jumpClock{}
	inTime(t, Options{Clock: clock}, func(t *testing.T, p *Pool, n *fakeNet, b *inbox) {
		c, _ := live(t, p, n, b)
		pass(Heartbeat)
		c.quiet()
		clock.ahead.Store(int64(JumpAfter)) // not more than a busy machine may be late
		pass(Heartbeat)
		c.quiet()
		clock.ahead.Add(int64(JumpAfter + time.Second))
		pass(Heartbeat)
		c.req()
	})
}

func TestReconnectingWaitsLongerEachTimeWithJitter(t *testing.T) {
	for _, jitter := range []float64{0, 0.999} {
		inTime(t, Options{Rand: func() float64 { return jitter }}, func(t *testing.T, p *Pool, n *fakeNet, b *inbox) {
			n.set(true, false)
			must(t, p.Subscribe(testURL, roomSub()))
			pass(20 * LastRetry)
			at := n.attempts()
			want := FirstRetry
			for i := 1; i < len(at); i++ {
				got, least := at[i].Sub(at[i-1]), want-time.Duration(float64(want)*jitter/2)
				if got < least-time.Second || got > want {
					t.Fatalf("attempt %d came after %v, want %v to %v", i, got, least, want)
				}
				want = min(2*want, LastRetry)
			}
			if want != LastRetry {
				t.Fatalf("only %d attempts", len(at))
			}
		})
	}
}

func TestOnlyAConnectionThatStandsResetsTheWait(t *testing.T) {
	inTime(t, Options{}, func(t *testing.T, p *Pool, n *fakeNet, b *inbox) {
		must(t, p.Connect(testURL))
		for range 8 { // it comes and goes
			n.accept().drop()
		}
		at := n.attempts()
		if last := at[7].Sub(at[6]); last != LastRetry {
			t.Fatalf("the last wait was %v", last)
		}
		c := n.accept()
		pass(StableAfter)
		c.drop()
		before := time.Now()
		n.accept()
		if wait := time.Since(before); wait != FirstRetry {
			t.Fatalf("waited %v after a connection that stood", wait)
		}
	})
}

func TestADialThatHangsIsGivenUp(t *testing.T) {
	inTime(t, Options{}, func(t *testing.T, p *Pool, n *fakeNet, b *inbox) {
		n.set(false, true)
		must(t, p.Subscribe(testURL, roomSub()))
		pass(DialWait)
		if state := b.wantPhase(Offline); state.Reason != "cannot connect: "+errDialTimeout.Error() {
			t.Fatalf("state %+v", state)
		}
	})
}

func TestRateLimitedIsAskedAgainLaterEachTime(t *testing.T) {
	inTime(t, Options{}, func(t *testing.T, p *Pool, n *fakeNet, b *inbox) {
		must(t, p.Subscribe(testURL, roomSub()))
		c := n.accept()
		for i, why := range []string{"rate-limited: slow down", "error: shutting down idle subscription"} {
			id, _ := c.req()
			before := time.Now()
			c.closed(id, why)
			if in := b.want(GotClosed); !in.Retry || in.Reason != why {
				t.Fatalf("reported %+v", in)
			}
			pass(FirstAskAgain<<i - time.Second)
			c.quiet()
			pass(time.Second)
			if took := time.Since(before); took != FirstAskAgain<<i {
				t.Fatalf("took %v", took)
			}
		}
		id, _ := c.req()
		c.closed(id, "restricted: members only")
		if in := b.want(GotClosed); in.Retry || in.Reason != "restricted: members only" {
			t.Fatalf("reported %+v", in)
		}
		pass(IdleAfter - time.Second)
		c.quiet()
	})
}

func TestAnOKThatDoesNotComeIsNoSuccess(t *testing.T) {
	inTime(t, Options{}, func(t *testing.T, p *Pool, n *fakeNet, b *inbox) {
		must(t, p.Connect(testURL))
		c := n.accept()
		start := time.Now()
		answer, err := p.Publish(t.Context(), testURL, note(1, 1))
		if !errors.Is(err, ErrNoAnswer) || answer.OK || time.Since(start) != OKWait {
			t.Fatalf("%+v, %v after %v", answer, err, time.Since(start))
		}
		c.expect(msgEvent)
		c.req() // and the connection is checked
	})
}

func TestAnUnneededConnectionIsClosedAndForgotten(t *testing.T) {
	inTime(t, Options{}, func(t *testing.T, p *Pool, n *fakeNet, b *inbox) {
		go func() {
			c := n.accept()
			id, _ := c.req()
			c.eose(id)
		}()
		if _, complete, err := p.Fetch(t.Context(), testURL, room); err != nil || !complete {
			t.Fatal(complete, err)
		}
		pass(IdleAfter - time.Second)
		if len(p.States()) != 1 {
			t.Fatal("closed too early")
		}
		pass(time.Second)
		if len(p.States()) != 0 {
			t.Fatal("still there")
		}
		must(t, p.Connect(testURL)) // wanted: stays
		n.accept()
		pass(10 * IdleAfter)
		if len(p.States()) != 1 {
			t.Fatal("a relay that was asked for is gone")
		}
	})
}

func TestFetchWithoutEOSEGivesWhatCame(t *testing.T) {
	inTime(t, Options{}, func(t *testing.T, p *Pool, n *fakeNet, b *inbox) {
		go func() {
			c := n.accept()
			id, _ := c.req()
			c.deliver(id, note(1, 1), note(1, 1), note(2, 2))
		}()
		events, complete, err := p.Fetch(t.Context(), testURL, room)
		if len(events) != 2 || complete || err != nil {
			t.Fatalf("%d events, %t, %v", len(events), complete, err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), EOSEWait/2)
		defer cancel()
		if _, _, err := p.Fetch(ctx, testURL, room); !errors.Is(err, context.DeadlineExceeded) {
			t.Fatal(err)
		}
	})
}
