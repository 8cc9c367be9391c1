//go:build !js

package core

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"parley/wasm/port"
	"parley/wasm/relay"
	"parley/wasm/run"
	"parley/wasm/signer"
	"parley/wasm/signer/bunkertest"
	"parley/wasm/store"
)

const signerURL = "wss://signer.example"

// remoteStage is a chat relay and a bunker at a relay of its own.
type remoteStage struct {
	fake   *fakeRelay
	memory *bunkertest.Memory
	bunker *bunkertest.Bunker
	setup  setup
}

func newRemoteStage(t *testing.T) *remoteStage {
	t.Helper()
	s := &remoteStage{fake: newFakeRelay(), memory: bunkertest.NewMemory()}
	bunker, err := bunkertest.New(signerURL)
	if err != nil {
		t.Fatal(err)
	}
	s.bunker, bunker.Dial = bunker, s.memory.Dial
	s.startBunker(t)
	s.setup = setup{store: store.NewMemory(""), relay: fakeURL, rooms: []string{"lobby"}, dial: func(ctx context.Context, url string) (relay.Conn, error) {
		if url == fakeURL {
			return s.fake.dial(ctx, url)
		}
		return s.memory.Dial(ctx, url)
	}}
	return s
}

func (s *remoteStage) startBunker(t *testing.T) {
	t.Helper()
	if err := s.bunker.Start(context.Background()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.bunker.Stop)
}

// join signs in with the bunker's address.
func (s *remoteStage) join(p *page) *page {
	p.t.Helper()
	p.must(port.UseRemote, port.RemoteParams{Address: s.bunker.Address()})
	p.wait("to be signed in", func() bool {
		return p.app.Me != nil && p.app.Me.Person.PubKey == s.bunker.User.PublicKey() && p.app.Me.Signer == "remote"
	})
	return p
}

// one is how the one message of the room stands. mu is held.
func (p *page) one() port.Delivery {
	s := p.timelines["room"]
	if s == nil || len(s.last.Order) != 1 || s.items[s.last.Order[0]].Delivery == nil {
		return port.Delivery{}
	}
	return *s.items[s.last.Order[0]].Delivery
}

func TestARemoteSignerStaysAfterAReload(t *testing.T) {
	s := newRemoteStage(t)
	secret := s.bunker.Secret
	ana := s.join(open(t, s.setup))
	ana.enter(lobby(fakeURL))
	ana.say(lobby(fakeURL), "signed elsewhere")
	s.fake.wait(t, "the message", func() bool { return len(s.fake.got) == 1 && s.fake.got[0].PubKey == s.bunker.User.PublicKey() })
	ana.mu.Lock()
	if me := *ana.app.Me; !me.BackedUp || len(me.Relays) != 1 || me.Relays[0] != signerURL || ana.app.Remote != nil {
		t.Errorf("the page is shown %+v, %+v", me, ana.app.Remote)
	}
	ana.mu.Unlock()
	ana.stop()
	kept, err := s.setup.store.List(t.Context(), accountBucket)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range kept {
		if strings.Contains(string(text), secret) {
			t.Error("the secret of the address is kept")
		}
	}

	again := open(t, s.setup)
	again.wait("to be signed in", func() bool { return again.app.Me != nil && again.app.Me.Away == "" })
	again.enter(lobby(fakeURL))
	again.say(lobby(fakeURL), "and again")
	s.fake.wait(t, "the other message", func() bool { return s.fake.got[len(s.fake.got)-1].Content == "and again" })
	if n := s.bunker.Count("connect"); n != 1 {
		t.Errorf("it connected %d times", n)
	}
	again.must(port.SignOut, port.SignOutParams{})
	again.wait("to be signed out", func() bool { return again.app.Me == nil && len(again.app.Accounts) == 0 })
}

func TestARemoteSignerThatIsAwayLosesNothing(t *testing.T) {
	for name, back := range map[string]func(*page){
		"Reconnect":          func(p *page) { p.must(port.Reconnect, nil) },
		"it comes by itself": func(p *page) { <-time.After(signer.LastProbe + signer.PongWait) },
		"the page wakes":     func(p *page) { p.must(port.Probe, nil) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newRemoteStage(t)
				ana := s.join(open(t, s.setup))
				ana.enter(lobby(fakeURL))
				s.bunker.Stop()
				ana.say(lobby(fakeURL), "will wait")
				ana.wait("Reconnect", func() bool {
					d := ana.one()
					return d.State == port.Waiting && d.Act == port.ActReconnect && strings.Contains(d.Reason, "does not answer")
				})
				ana.mu.Lock()
				if ana.app.Me == nil || ana.app.Me.Away == "" {
					t.Errorf("the page is shown %+v", ana.app.Me)
				}
				ana.mu.Unlock()
				s.fake.wait(t, "nothing to be sent", func() bool { return len(s.fake.got) == 0 })
				s.startBunker(t)
				back(ana)
				s.fake.wait(t, "the message", func() bool { return len(s.fake.got) == 1 && s.fake.got[0].Content == "will wait" })
				ana.wait("it to be stored", func() bool { return ana.one().State == port.Stored && ana.app.Me.Away == "" })
			})
		})
	}
}

func TestAnActThatWaitsForARemoteSignerSurvivesAReload(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newRemoteStage(t)
		ana := s.join(open(t, s.setup))
		ana.enter(lobby(fakeURL))
		s.bunker.Stop()
		ana.say(lobby(fakeURL), "will wait")
		ana.wait("it to wait", func() bool { return ana.one().Act == port.ActReconnect })
		ana.stop()
		s.startBunker(t)
		open(t, s.setup)
		s.fake.wait(t, "the message", func() bool { return len(s.fake.got) == 1 && s.fake.got[0].Content == "will wait" })
	})
}

func TestWhatARemoteSignerRefusesComesBackWithTheReason(t *testing.T) {
	s := newRemoteStage(t)
	ana := s.join(open(t, s.setup))
	ana.enter(lobby(fakeURL))
	s.bunker.Decide(func(r bunkertest.Request) error {
		if r.Method == "sign_event" {
			return errors.New("not that")
		}
		return nil
	})
	_, err := ana.call(port.Send, port.SendParams{Room: lobby(fakeURL), Text: "never mind"})
	var coded *port.Error
	if !errors.As(err, &coded) || coded.Code != port.CodeRefused || coded.Message != "Your remote signer said no: not that" {
		t.Fatalf("the refusal came as %v", err)
	}
	ana.sees("room")
}

func TestConnectingToARemoteSignerCanBeCancelled(t *testing.T) {
	s := newRemoteStage(t)
	reads := make(chan struct{})
	defer sync.OnceFunc(func() { close(reads) })()
	s.bunker.Decide(func(bunkertest.Request) error { <-reads; return nil })
	ana := open(t, s.setup)
	call := ana.hand(port.UseRemote, port.RemoteParams{Address: s.bunker.Address()})
	ana.wait("the wait for approval", func() bool { return ana.app.Remote != nil && ana.app.Remote.Stage == port.RemoteApproval })
	ana.must(port.CancelRemote, nil)
	ana.wait("the reply", func() bool { _, ok := ana.replies[call]; return ok && ana.app.Remote == nil && ana.app.Me == nil })
	if e := ana.replies[call].Error; e == nil || !strings.Contains(e.Message, "Cancelled") {
		t.Errorf("the reply is %v", e)
	}
}

func TestASignerTakesOurInvitation(t *testing.T) {
	s := newRemoteStage(t)
	s.bunker.Stop()
	ana := open(t, s.setup)
	call := ana.hand(port.InviteRemote, port.RelayParams{URL: signerURL})
	uri := ""
	ana.wait("the invitation", func() bool {
		if ana.app.Remote != nil {
			uri = ana.app.Remote.URI
		}
		return uri != ""
	})
	if err := s.bunker.Accept(t.Context(), uri); err != nil {
		t.Fatal(err)
	}
	ana.wait("to be signed in", func() bool {
		_, replied := ana.replies[call]
		return replied && ana.app.Me != nil && ana.app.Me.Person.PubKey == s.bunker.User.PublicKey() && ana.app.Remote == nil
	})
	ana.enter(lobby(fakeURL))
	ana.say(lobby(fakeURL), "by invitation")
	s.fake.wait(t, "the message", func() bool { return len(s.fake.got) == 1 })
	for _, bad := range []string{"", "https://a.example"} {
		if _, err := ana.call(port.InviteRemote, port.RelayParams{URL: bad}); err == nil {
			t.Errorf("%q is taken as a relay", bad)
		}
	}
	if _, err := ana.call(port.UseRemote, port.RemoteParams{Address: "bunker://nobody"}); err == nil || !strings.Contains(err.Error(), "64 hex digits") {
		t.Errorf("got %v", err)
	}
}

// TestWhatCouldNotBeReadIsReadOnceTheSignerIsBack: an agent's answer that came
// while the signer was away.
func TestWhatCouldNotBeReadIsReadOnceTheSignerIsBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newRemoteStage(t)
		agent, err := bunkertest.NewKey()
		if err != nil {
			t.Fatal(err)
		}
		ana := s.join(open(t, s.setup))
		sent := ana.prompt(port.PromptParams{Agent: agent.PublicKey(), Text: "are you there?"})
		s.fake.wait(t, "the prompt", func() bool { return len(s.fake.got) == 1 })
		s.bunker.Stop()
		accepted := run.Accepted{Run: sent.ID, Client: s.bunker.User.PublicKey(), Session: sent.Session}
		drafts, err := run.NewWriter(&accepted, 1<<20, time.Now().UnixMilli()).Respond("I am.", nil, time.Now().UnixMilli())
		if err != nil {
			t.Fatal(err)
		}
		content, err := agent.Encrypt(t.Context(), drafts[0].Plain, drafts[0].To)
		if err != nil {
			t.Fatal(err)
		}
		answer := drafts[0].Event(agent.PublicKey(), content)
		if err := agent.Sign(t.Context(), &answer); err != nil {
			t.Fatal(err)
		}
		s.fake.put(&answer)
		ana.wait("the signer to be missed", func() bool { return ana.app.Me.Away != "" })
		s.startBunker(t)
		ana.must(port.Reconnect, nil)
		ana.wait("the answer", func() bool { return ana.run(sent.ID).Text == "I am." })
		if n := s.bunker.Count("nip44_decrypt"); n != 1 {
			t.Errorf("it was asked %d times to decrypt", n)
		}
	})
}
