//go:build !js

package relay

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/nbd-wtf/go-nostr"
)

// signer makes AUTH events and counts them.
type signer struct {
	calls atomic.Int64
	// before, if set, is called first, and may take its time or fail.
	before func(ctx context.Context) error
}

func (s *signer) auth(ctx context.Context, url, challenge string) (*nostr.Event, error) {
	n := s.calls.Add(1)
	if s.before != nil {
		if err := s.before(ctx); err != nil {
			return nil, err
		}
	}
	ev := note(1000+int(n), 1)
	ev.Kind, ev.Tags = kindAuth, nostr.Tags{{"relay", url}, {"challenge", challenge}}
	return ev, nil
}

func always(string) AuthPolicy { return AuthAlways }

func TestAuthIsAwaitedBeforeTheREQIsAskedAgain(t *testing.T) {
	s, sign := newSite(t), &signer{}
	p, b := newPool(t, Options{Policy: always, Auth: sign.auth})
	must(t, p.Subscribe(s.url, roomSub()))
	c := s.accept()
	id, _ := c.req()
	c.challenge("first")
	c.closed(id, "auth-required: members only")
	ev := c.event(msgAuth)
	if !slices.ContainsFunc(ev.Tags, func(tag nostr.Tag) bool { return tag[0] == "relay" && tag[1] == s.url }) {
		t.Fatalf("AUTH has tags %v", ev.Tags)
	}
	c.send(`["NOTICE","not yet"]`)
	b.want(GotNotice)
	c.ok(ev.ID, true, "")
	again, _ := c.req()
	if again == id {
		t.Fatal("the subscription id was used again")
	}
	c.deliver(again, note(1, 1))
	c.eose(again)
	b.wantEvents(1)
	b.want(GotEOSE)
}

func TestTheChallengeMayComeAfterTheRefusal(t *testing.T) {
	s, sign := newSite(t), &signer{}
	p, _ := newPool(t, Options{Policy: always, Auth: sign.auth})
	must(t, p.Subscribe(s.url, roomSub()))
	c := s.accept()
	id, _ := c.req()
	c.closed(id, "auth-required: members only")
	c.challenge("late")
	c.ok(c.event(msgAuth).ID, true, "")
	c.req()
}

func TestAChallengeAloneIsNotAnswered(t *testing.T) {
	s, sign := newSite(t), &signer{}
	p, b := newPool(t, Options{Policy: always, Auth: sign.auth})
	must(t, p.Subscribe(s.url, roomSub()))
	c := s.accept()
	c.challenge("unasked")
	id, _ := c.req()
	c.eose(id)
	b.want(GotEOSE)
	if sign.calls.Load() != 0 {
		t.Fatal("signed without need")
	}
}

func TestAnEventThatNeedsAuthIsSentAgainAfterIt(t *testing.T) {
	s, sign := newSite(t), &signer{}
	p, _ := newPool(t, Options{Policy: always, Auth: sign.auth})
	got := make(chan error, 1)
	go func() {
		answer, err := p.Publish(t.Context(), s.url, note(1, 1))
		if err == nil && !answer.OK {
			err = errors.New(answer.Message)
		}
		got <- err
	}()
	c := s.accept()
	ev := c.event(msgEvent)
	c.challenge("x")
	c.ok(ev.ID, false, "auth-required: who are you?")
	c.ok(c.event(msgAuth).ID, true, "")
	if again := c.event(msgEvent); again.ID != ev.ID {
		t.Fatal("another event was sent")
	}
	c.ok(ev.ID, true, "")
	if err := <-got; err != nil {
		t.Fatal(err)
	}
}

func TestOneAuthPerConnectionHoweverManyNeedIt(t *testing.T) {
	s, sign := newSite(t), &signer{}
	p, _ := newPool(t, Options{Policy: always, Auth: sign.auth})
	for _, name := range []string{"a", "b", "c"} {
		sub := roomSub()
		sub.Name = name
		must(t, p.Subscribe(s.url, sub))
	}
	for connection := range 2 {
		c := s.accept()
		c.challenge("x")
		var ids []string
		for range 3 {
			id, _ := c.req()
			ids = append(ids, id)
		}
		for _, id := range ids[:2] {
			c.closed(id, "auth-required: x")
		}
		ev := c.event(msgAuth)
		c.ok(ev.ID, true, "")
		// Refused before AUTH was through, but heard of only after.
		c.closed(ids[2], "auth-required: x")
		for range 3 {
			c.req()
		}
		if got := sign.calls.Load(); got != int64(connection)+1 {
			t.Fatalf("%d AUTHs on %d connections", got, connection+1)
		}
		c.drop()
	}
}

func TestAuthThatDidNotHelpIsReportedNotRepeated(t *testing.T) {
	s, sign := newSite(t), &signer{}
	p, b := newPool(t, Options{Policy: always, Auth: sign.auth})
	must(t, p.Subscribe(s.url, roomSub()))
	c := s.accept()
	c.challenge("x")
	for try := range 2 {
		id, _ := c.req()
		c.closed(id, "auth-required: x")
		if try == 0 {
			c.ok(c.event(msgAuth).ID, true, "")
		}
	}
	if in := b.want(GotClosed); !in.Retry {
		t.Fatalf("%+v", in)
	}
	answer, err := publishNow(t, p, c, s.url, 2, "auth-required: still")
	if err != nil || answer.OK || answer.Message != "auth-required: still" {
		t.Fatal(answer, err)
	}
	if sign.calls.Load() != 1 {
		t.Fatalf("%d AUTHs", sign.calls.Load())
	}
}

// publishNow publishes and refuses it once.
func publishNow(t *testing.T, p *Pool, c *peer, url string, n int, refusal string) (Answer, error) {
	t.Helper()
	type result struct {
		answer Answer
		err    error
	}
	got := make(chan result, 1)
	go func() {
		answer, err := p.Publish(t.Context(), url, note(n, 1))
		got <- result{answer, err}
	}()
	c.ok(c.event(msgEvent).ID, false, refusal)
	r := <-got
	return r.answer, r.err
}

func TestARefusalIsRememberedAndAskedOncePerRelay(t *testing.T) {
	s, sign := newSite(t), &signer{}
	var asked atomic.Int64
	yes := atomic.Bool{}
	p, b := newPool(t, Options{Auth: sign.auth, Ask: func(context.Context, string) (bool, error) {
		asked.Add(1)
		return yes.Load(), nil
	}})
	must(t, p.Subscribe(s.url, roomSub()))
	for range 2 { // also on the next connection
		c := s.accept()
		c.challenge("x")
		id, _ := c.req()
		c.closed(id, "auth-required: x")
		if in := b.want(GotClosed); !in.Retry || in.Reason != "auth-required: you chose not to sign in to this relay" {
			t.Fatalf("%+v", in)
		}
		if answer, err := publishNow(t, p, c, s.url, 5, "auth-required: y"); err != nil || answer.OK || answer.Message != "auth-required: y" {
			t.Fatal(answer, err)
		}
		c.drop()
	}
	if asked.Load() != 1 || sign.calls.Load() != 0 {
		t.Fatalf("asked %d times, signed %d times", asked.Load(), sign.calls.Load())
	}
	c := s.accept()
	c.challenge("x")
	id, _ := c.req()
	c.closed(id, "auth-required: x")
	b.want(GotClosed)
	yes.Store(true)
	p.ForgetConsent(s.url) // the person pressed "Sign in"
	id, _ = c.req()
	c.closed(id, "auth-required: x")
	c.ok(c.event(msgAuth).ID, true, "")
	c.req()
	if asked.Load() != 2 {
		t.Fatalf("asked %d times", asked.Load())
	}
}

func TestNeverMeansNever(t *testing.T) {
	s, sign := newSite(t), &signer{}
	p, _ := newPool(t, Options{Policy: func(string) AuthPolicy { return AuthNever }, Auth: sign.auth,
		Ask: func(context.Context, string) (bool, error) { t.Error("asked"); return true, nil }})
	go func() {
		c := s.accept()
		c.challenge("x")
		id, _ := c.req()
		c.closed(id, "auth-required: x")
	}()
	if _, _, err := p.Fetch(t.Context(), s.url, room); !isErr(err, ErrRefused) {
		t.Fatal(err)
	}
	if sign.calls.Load() != 0 {
		t.Fatal("signed")
	}
}

func TestAQuestionToAPersonOutlivesTheConnection(t *testing.T) {
	s, sign := newSite(t), &signer{}
	answer := make(chan bool)
	var asked atomic.Int64
	p, _ := newPool(t, Options{Auth: sign.auth, Ask: func(context.Context, string) (bool, error) {
		asked.Add(1)
		return <-answer, nil
	}})
	must(t, p.Subscribe(s.url, roomSub()))
	var c *peer
	for i := range 3 {
		c = s.accept()
		c.challenge("x")
		id, _ := c.req()
		c.closed(id, "auth-required: x")
		if i < 2 {
			c.drop()
		}
	}
	answer <- true
	c.ok(c.event(msgAuth).ID, true, "")
	c.req()
	if asked.Load() != 1 {
		t.Fatalf("asked %d times", asked.Load())
	}
}

func TestANewChallengeWhileSigningIsAnswered(t *testing.T) {
	s := newSite(t)
	release := make(chan struct{}, 2)
	sign := &signer{before: func(context.Context) error { <-release; return nil }}
	p, b := newPool(t, Options{Policy: always, Auth: sign.auth})
	must(t, p.Subscribe(s.url, roomSub()))
	c := s.accept()
	c.challenge("old")
	id, _ := c.req()
	c.closed(id, "auth-required: x")
	eventually(t, func() bool { return sign.calls.Load() == 1 })
	c.challenge("new")
	c.send(`["NOTICE","sent"]`)
	b.want(GotNotice)
	release <- struct{}{}
	release <- struct{}{}
	c.ok(c.event(msgAuth).ID, false, "invalid: challenge is old")
	ev := c.event(msgAuth)
	if ev.Tags[1][1] != "new" {
		t.Fatalf("signed challenge %q", ev.Tags[1][1])
	}
	c.ok(ev.ID, true, "")
	c.req()
}

func TestASignerThatFailsOrSignsSomethingElseIsARefusal(t *testing.T) {
	other := &signer{}
	for name, auth := range map[string]func(context.Context, string, string) (*nostr.Event, error){
		"auth-required: the signer is away":                         (&signer{before: func(context.Context) error { return errors.New("the signer is away") }}).auth,
		"auth-required: the signer did not sign what was asked":     func(ctx context.Context, _, c string) (*nostr.Event, error) { return other.auth(ctx, "wss://evil", c) },
		"auth-required: " + ErrNoAuth.Error():                       nil,
		"auth-required: the signer did not sign what was asked\x00": func(context.Context, string, string) (*nostr.Event, error) { return nil, nil },
	} {
		s := newSite(t)
		p, b := newPool(t, Options{Policy: always, Auth: auth})
		must(t, p.Subscribe(s.url, roomSub()))
		c := s.accept()
		c.challenge("x")
		id, _ := c.req()
		c.closed(id, "auth-required: x")
		if in := b.want(GotClosed); in.Reason+"\x00" != name && in.Reason != name || !in.Retry {
			t.Errorf("%q: got %+v", name, in)
		}
	}
}
