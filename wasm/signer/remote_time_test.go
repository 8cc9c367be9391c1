//go:build !js

package signer_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"parley/wasm/signer"
	"parley/wasm/signer/bunkertest"
)

// inTime runs a test in a bubble of its own time, with a connected Remote.
func inTime(t *testing.T, test func(*testing.T, *stage)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { test(t, connected(t)) })
}

// pass lets time go by.
func pass(d time.Duration) {
	<-time.After(d)
	synctest.Wait()
}

// later signs in the background.
func (s *stage) later() chan error {
	done := make(chan error, 1)
	go func() { done <- s.try() }()
	synctest.Wait()
	return done
}

func still(t *testing.T, done chan error) {
	t.Helper()
	select {
	case err := <-done:
		t.Fatalf("it has ended with %v", err)
	default:
	}
}

func TestAPersonMayReadAQuestionForMinutes(t *testing.T) {
	inTime(t, func(t *testing.T, s *stage) {
		s.bunker.Decide(func(r bunkertest.Request) error {
			if r.Method == "sign_event" {
				<-time.After(signer.AnswerWait - time.Minute)
			}
			return nil
		})
		if err := s.try(); err != nil {
			t.Error(err)
		}
		if n := s.bunker.Count("sign_event"); n != 1 {
			t.Errorf("it was asked %d times", n)
		}
		if s.bunker.Count("ping") == 0 {
			t.Error("nobody looked whether it is there")
		}
	})
}

func TestAQuestionThatNobodyAnswersEnds(t *testing.T) {
	inTime(t, func(t *testing.T, s *stage) {
		s.bunker.Spoil(func(r bunkertest.Request, reply *bunkertest.Reply) []bunkertest.Reply {
			if r.Method == "sign_event" {
				return nil
			}
			return []bunkertest.Reply{*reply}
		})
		begin := time.Now()
		if err := s.try(); !errors.Is(err, signer.ErrAway) || time.Since(begin) != signer.AnswerWait {
			t.Errorf("after %v: %v", time.Since(begin), err)
		}
	})
}

func TestASignerThatIsAwayIsNoticedAndComesBack(t *testing.T) {
	inTime(t, func(t *testing.T, s *stage) {
		s.bunker.Stop()
		done := s.later()
		pass(signer.PingAfter + signer.PongWait - time.Millisecond)
		still(t, done)
		pass(2 * time.Millisecond)
		if err := <-done; !errors.Is(err, signer.ErrAway) || !strings.Contains(err.Error(), "does not answer") {
			t.Fatalf("got %v", err)
		}
		if s.remote.State().Away == "" {
			t.Error("its state does not say so")
		}
		// While it is away nothing waits in vain.
		begin := time.Now()
		if err := s.try(); !errors.Is(err, signer.ErrAway) || time.Since(begin) > 0 {
			t.Errorf("after %v: %v", time.Since(begin), err)
		}
		before := s.news.Load()
		s.startBunker()
		pass(signer.LastProbe + signer.PongWait)
		if s.remote.State().Away != "" || s.news.Load() == before {
			t.Fatal("it is back, and nobody knows")
		}
		if err := s.try(); err != nil {
			t.Error(err)
		}
	})
}

func TestCheckFindsASignerThatIsBackAtOnce(t *testing.T) {
	inTime(t, func(t *testing.T, s *stage) {
		s.bunker.Stop()
		if err := <-s.later(); !errors.Is(err, signer.ErrAway) {
			t.Fatal(err)
		}
		if err := s.remote.Check(t.Context()); !errors.Is(err, signer.ErrAway) {
			t.Fatalf("it is away, and Check says %v", err)
		}
		s.startBunker()
		begin := time.Now()
		if err := s.remote.Check(t.Context()); err != nil || time.Since(begin) > time.Second {
			t.Errorf("after %v: %v", time.Since(begin), err)
		}
	})
}

// TestNothingIsAskedTwice: a signer that shows one question after the other
// seems to be away while a person reads; the answer counts all the same.
func TestNothingIsAskedTwice(t *testing.T) {
	inTime(t, func(t *testing.T, s *stage) {
		reads := make(chan error)
		s.bunker.Spoil(func(r bunkertest.Request, reply *bunkertest.Reply) []bunkertest.Reply {
			switch r.Method {
			case "ping":
				return nil
			case "sign_event":
				if err := <-reads; err != nil {
					reply.Result, reply.Error = nil, err.Error()
				}
			}
			return []bunkertest.Reply{*reply}
		})
		if err := <-s.later(); !errors.Is(err, signer.ErrAway) {
			t.Fatal(err)
		}
		reads <- nil
		synctest.Wait()
		if s.remote.State().Away != "" {
			t.Error("it has answered, and counts as away")
		}
		if err := s.try(); err != nil {
			t.Error(err)
		}
		if n := s.bunker.Count("sign_event"); n != 1 {
			t.Errorf("it was asked %d times", n)
		}

		// A late no is a no; only who asks once more asks anew.
		if err := <-s.later(); !errors.Is(err, signer.ErrAway) {
			t.Fatal(err)
		}
		reads <- errors.New("not now")
		synctest.Wait()
		if err := s.try(); !errors.Is(err, signer.ErrRefused) || s.bunker.Count("sign_event") != 2 {
			t.Errorf("got %v, asked %d times", err, s.bunker.Count("sign_event"))
		}
		done := s.later()
		reads <- nil
		if err := <-done; err != nil || s.bunker.Count("sign_event") != 3 {
			t.Errorf("got %v, asked %d times", err, s.bunker.Count("sign_event"))
		}
	})
}

func TestTwoWhoAskTheSameShareOneQuestion(t *testing.T) {
	inTime(t, func(t *testing.T, s *stage) {
		reads := make(chan struct{})
		s.bunker.Decide(func(r bunkertest.Request) error {
			if r.Method == "sign_event" {
				<-reads
			}
			return nil
		})
		first, other := s.later(), s.later()
		close(reads)
		if err := errors.Join(<-first, <-other); err != nil || s.bunker.Count("sign_event") != 1 {
			t.Errorf("got %v, asked %d times", err, s.bunker.Count("sign_event"))
		}
	})
}

func TestAnAnswerThatWasMissedIsAskedForAgainUnderTheSameID(t *testing.T) {
	inTime(t, func(t *testing.T, s *stage) {
		ids := map[string]int{}
		reads := make(chan struct{})
		s.bunker.Spoil(func(r bunkertest.Request, reply *bunkertest.Reply) []bunkertest.Reply {
			if r.Method == "sign_event" {
				<-reads
				ids[r.ID]++ // one after the other here
			}
			return []bunkertest.Reply{*reply}
		})
		done := s.later()
		s.relays.SetDown(home, true)
		reads <- struct{}{} // answered while nobody can hear it
		synctest.Wait()
		s.relays.SetDown(home, false)
		go func() {
			select {
			case reads <- struct{}{}:
			case <-time.After(time.Minute):
			}
		}()
		if err := <-done; err != nil {
			t.Fatal(err)
		}
		if len(ids) != 1 {
			t.Errorf("it was asked as %v", ids)
		}
		pass(time.Minute)
	})
}

func TestAnyRelayOfTheSignerIsEnough(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t)
		s.relays.SetDown(second, true)
		s.remote = s.open(signer.RemoteOptions{Signer: s.bunker.Key.PublicKey(), Relays: []string{second, home}})
		if err := s.remote.Connect(t.Context(), s.bunker.Secret); err != nil {
			t.Fatal(err)
		}
		if err := s.try(); err != nil {
			t.Error(err)
		}
	})
}

func TestARelayThatEndsOurSubscriptionForGoodIsAskedAgain(t *testing.T) {
	inTime(t, func(t *testing.T, s *stage) {
		s.relays.EndSubscriptions(home, "restricted: not now")
		synctest.Wait()
		if err := s.try(); err == nil {
			t.Fatal("a relay that passes nothing on brought an answer")
		}
		if state := s.remote.State(); !strings.Contains(state.Away, "not now") {
			t.Errorf("it is away since %q", state.Away)
		}
		s.relays.EndSubscriptions(home, "")
		pass(2 * (signer.LastProbe + signer.PongWait))
		if err := s.try(); err != nil {
			t.Errorf("the relay would listen again: %v", err)
		}
	})
}

func TestConnectingToNobodySaysWhy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t)
		s.relays.SetDown(home, true)
		begin := time.Now()
		err := s.remote.Connect(t.Context(), s.bunker.Secret)
		if !errors.Is(err, signer.ErrAway) || !strings.Contains(err.Error(), home) || time.Since(begin) != signer.LinkWait {
			t.Errorf("after %v: %v", time.Since(begin), err)
		}
		s.relays.SetDown(home, false)
		pass(2 * time.Minute) // the bunker was cut off too
		s.relays.Refuse(home, "blocked: no strangers")
		if err := s.remote.Connect(t.Context(), s.bunker.Secret); !errors.Is(err, signer.ErrAway) || !strings.Contains(err.Error(), "no strangers") {
			t.Errorf("got %v", err)
		}
		s.relays.Refuse(home, "")
		if err := s.remote.Connect(t.Context(), s.bunker.Secret); err != nil {
			t.Errorf("got %v", err)
		}
	})
}

func TestWhoGivesUpOrClosesWaitsNoLonger(t *testing.T) {
	inTime(t, func(t *testing.T, s *stage) {
		stuck := make(chan struct{})
		s.bunker.Decide(func(r bunkertest.Request) error {
			if r.Method == "sign_event" {
				<-stuck
			}
			return nil
		})
		defer close(stuck)
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() {
			e := message("hi")
			done <- s.remote.Sign(ctx, &e)
		}()
		synctest.Wait()
		still(t, done)
		cancel()
		if err := <-done; !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
		done = s.later()
		s.remote.Close()
		if err := <-done; !errors.Is(err, signer.ErrAway) {
			t.Errorf("got %v", err)
		}
		if err := s.try(); !errors.Is(err, signer.ErrAway) {
			t.Errorf("after Close: %v", err)
		}
	})
}

// TestRequestsThatNobodyWaitsForAreBounded: the oldest are forgotten, and asked
// for anew.
func TestRequestsThatNobodyWaitsForAreBounded(t *testing.T) {
	inTime(t, func(t *testing.T, s *stage) {
		s.bunker.Spoil(func(r bunkertest.Request, reply *bunkertest.Reply) []bunkertest.Reply { return nil })
		give := func(text string) {
			ctx, cancel := context.WithCancel(t.Context())
			time.AfterFunc(time.Second, cancel)
			e := message(text)
			if err := s.remote.Sign(ctx, &e); !errors.Is(err, context.Canceled) {
				t.Fatal(err)
			}
		}
		give("first")
		if n := signer.Waiting(s.remote); n != 1 {
			t.Fatalf("%d are remembered", n)
		}
		for i := range signer.MaxRequests {
			give(strings.Repeat("x", i+1))
		}
		if n := signer.Waiting(s.remote); n != signer.MaxRequests {
			t.Errorf("%d are remembered", n)
		}
	})
}
