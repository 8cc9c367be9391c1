//go:build !js

package signer_test

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nbd-wtf/go-nostr"

	"parley/server/relay"
	"parley/wasm/nip44"
	"parley/wasm/signer"
	"parley/wasm/signer/bunkertest"
	"parley/wasm/verify"
)

const (
	patience = 20 * time.Second
	home     = "wss://signer.example"
	second   = "wss://second.example"
)

// stage is a bunker, relays in memory, and us.
type stage struct {
	t      *testing.T
	relays *bunkertest.Memory
	bunker *bunkertest.Bunker
	remote *signer.Remote
	news   atomic.Int64 // calls of Changed
}

// newStage starts a bunker at home, and a Remote that has not connected yet.
func newStage(t *testing.T) *stage {
	t.Helper()
	s := &stage{t: t, relays: bunkertest.NewMemory()}
	var err error
	if s.bunker, err = bunkertest.New(home); err != nil {
		t.Fatal(err)
	}
	s.bunker.Dial = s.relays.Dial
	s.startBunker()
	s.remote = s.open(signer.RemoteOptions{Signer: s.bunker.Key.PublicKey(), Relays: s.bunker.Relays})
	return s
}

// open makes a Remote with a client key of its own.
func (s *stage) open(o signer.RemoteOptions) *signer.Remote {
	s.t.Helper()
	var client [32]byte
	if _, err := rand.Read(client[:]); err != nil {
		s.t.Fatal(err)
	}
	o.Rand, o.Dial, o.Changed = rand.Reader, s.relays.Dial, func() { s.news.Add(1) }
	if o.App.Name == "" {
		o.App, o.Perms = signer.App{Name: "Parley", URL: "https://chat.example"}, []string{"sign_event:9", "nip44_decrypt"}
	}
	r, err := signer.NewRemote(client, o)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(r.Close)
	return r
}

func (s *stage) startBunker() {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := s.bunker.Start(ctx); err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(s.bunker.Stop)
}

// connected is newStage with a Remote that is connected.
func connected(t *testing.T) *stage {
	t.Helper()
	s := newStage(t)
	if err := s.remote.Connect(t.Context(), s.bunker.Secret); err != nil {
		t.Fatal(err)
	}
	return s
}

func message(text string) nostr.Event {
	return nostr.Event{Kind: 9, CreatedAt: 5, Content: text, Tags: nostr.Tags{{"h", "lobby"}}}
}

// try signs a message, and sees to it that a failure changes nothing.
func (s *stage) try() error {
	s.t.Helper()
	e := message("hi")
	err := s.remote.Sign(s.t.Context(), &e)
	if err == nil && (verify.Event(&e) != nil || e.PubKey != s.bunker.User.PublicKey()) {
		s.t.Errorf("it gave %v", e)
	}
	if err != nil && (e.Sig != "" || e.Content != "hi") {
		s.t.Errorf("a failure changed the event: %v", e)
	}
	return err
}

func TestARemoteSignerSignsAndReadsOverARealRelay(t *testing.T) {
	r, err := relay.Open(relay.Config{Dir: t.TempDir(), URL: "ws://127.0.0.1/", Name: "test", Logger: slog.New(slog.NewTextHandler(io.Discard, nil))})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(r)
	t.Cleanup(func() {
		server.Close()
		if err := r.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	bunker, err := bunkertest.New("ws" + strings.TrimPrefix(server.URL, "http"))
	if err != nil {
		t.Fatal(err)
	}
	if err := bunker.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(bunker.Stop)
	address, err := signer.ParseBunker(bunker.Address())
	if err != nil {
		t.Fatal(err)
	}
	wrapper, err := signer.NewWrapper(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	secret, wrapped, err := signer.NewClientKey(t.Context(), wrapper, rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	first, err := signer.NewRemote(secret, signer.RemoteOptions{Signer: address.PubKey, Relays: address.Relays, Rand: rand.Reader})
	if err != nil {
		t.Fatal(err)
	}
	if err := first.Connect(t.Context(), address.Secret); err != nil {
		t.Fatal(err)
	}
	account := signer.RemoteAccount(first, wrapped, 7)
	first.Close()
	kept, err := json.Marshal(account)
	if err != nil {
		t.Fatal(err)
	}
	if text := string(kept); strings.Contains(text, address.Secret) || strings.Contains(text, nostr.GeneratePrivateKey()) {
		t.Errorf("a secret is kept: %s", text)
	}

	// After a reload there is no second connect, whose secret would be spent.
	again, err := signer.OpenRemote(t.Context(), wrapper, account, signer.RemoteOptions{Rand: rand.Reader})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(again.Close)
	if err := again.Check(t.Context()); err != nil {
		t.Fatal(err)
	}
	e := message("over a wire")
	if err := again.Sign(t.Context(), &e); err != nil || e.PubKey != bunker.User.PublicKey() || verify.Event(&e) != nil {
		t.Fatalf("got %v, %v", e, err)
	}
	peer, err := bunkertest.NewKey()
	if err != nil {
		t.Fatal(err)
	}
	payload, err := again.Encrypt(t.Context(), "between us", peer.PublicKey())
	if err != nil {
		t.Fatal(err)
	}
	if text, err := peer.Decrypt(t.Context(), payload, again.PublicKey()); err != nil || text != "between us" {
		t.Errorf("the peer reads %q, %v", text, err)
	}
	if text, err := again.Decrypt(t.Context(), payload, peer.PublicKey()); err != nil || text != "between us" {
		t.Errorf("it reads %q, %v", text, err)
	}
	if n := bunker.Count("connect"); n != 1 {
		t.Errorf("it connected %d times", n)
	}
}

// TestRequestsHaveTheFormOfTheNIP: "Request Events kind: 24133".
func TestRequestsHaveTheFormOfTheNIP(t *testing.T) {
	s := newStage(t)
	var got []bunkertest.Request
	s.bunker.Decide(func(r bunkertest.Request) error { got = append(got, r); return nil }) // one after the other here
	if err := s.remote.Connect(t.Context(), s.bunker.Secret); err != nil {
		t.Fatal(err)
	}
	if err := s.try(); err != nil {
		t.Fatal(err)
	}
	if len(got) != 3 || got[0].Method != "connect" || got[1].Method != "get_public_key" || got[2].Method != "sign_event" {
		t.Fatalf("it asked %+v", got)
	}
	if p := got[0].Params; len(p) != 4 || p[0] != s.bunker.Key.PublicKey() || p[2] != "sign_event:9,nip44_decrypt" || p[3] != `{"name":"Parley","url":"https://chat.example"}` {
		t.Errorf("the parameters of connect are %q", p)
	}
	if p := got[1].Params; p == nil || len(p) != 0 {
		t.Errorf("the parameters of get_public_key are %v, not an empty array", p)
	}
	if want := []string{`{"content":"hi","created_at":5,"kind":9,"tags":[["h","lobby"]]}`}; !slices.Equal(got[2].Params, want) {
		t.Errorf("the parameters of sign_event are %q", got[2].Params)
	}
	if got[0].ID == got[1].ID || len(got[0].ID) < 16 {
		t.Errorf("the ids %q and %q are not random", got[0].ID, got[1].ID)
	}
	for _, e := range s.relays.Passed() {
		mine := e.PubKey == got[0].Client
		to := s.bunker.Key.PublicKey()
		if !mine {
			to = got[0].Client
		}
		if e.Kind != signer.KindRemoteCall || len(e.Tags) != 1 || !slices.Equal(e.Tags[0], nostr.Tag{"p", to}) || nip44.CheckPayload(e.Content) != nil {
			t.Errorf("an event is %v", e)
		}
		if e.PubKey == s.bunker.User.PublicKey() {
			t.Error("the person's key is seen at the relay")
		}
	}
}

// TestConnectIsAnsweredByAckOrTheSecret: the table of methods, "connect".
func TestConnectIsAnsweredByAckOrTheSecret(t *testing.T) {
	for name, c := range map[string]struct {
		secret, result string
		want           error
	}{
		"ack":               {"s", "ack", nil},
		"the secret":        {"s", "s", nil},
		"no secret, ack":    {"", "ack", nil},
		"another secret":    {"s", "t", signer.ErrBadSigner},
		"no secret, none":   {"", "", signer.ErrBadSigner},
		"a secret, nothing": {"s", "", signer.ErrBadSigner},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStage(t)
			s.bunker.Secret = c.secret
			s.bunker.Spoil(func(r bunkertest.Request, reply *bunkertest.Reply) []bunkertest.Reply {
				if r.Method == "connect" {
					reply.Result = c.result
				}
				return []bunkertest.Reply{*reply}
			})
			err := s.remote.Connect(t.Context(), c.secret)
			if !errors.Is(err, c.want) || (c.want == nil) != (err == nil) {
				t.Errorf("got %v", err)
			}
			if (err == nil) != (s.remote.PublicKey() == s.bunker.User.PublicKey()) {
				t.Errorf("it acts for %q", s.remote.PublicKey())
			}
		})
	}
}

// TestASecretIsForOneConnectionOnly: "Direct connection initiated by remote-signer".
func TestASecretIsForOneConnectionOnly(t *testing.T) {
	s := newStage(t)
	secret := s.bunker.Secret
	if err := s.remote.Connect(t.Context(), secret); err != nil {
		t.Fatal(err)
	}
	other := s.open(signer.RemoteOptions{Signer: s.bunker.Key.PublicKey(), Relays: s.bunker.Relays})
	if err := other.Connect(t.Context(), secret); !errors.Is(err, signer.ErrRefused) || !strings.Contains(err.Error(), "said no: wrong secret") {
		t.Errorf("got %v", err)
	}
}

// TestAnInvitationIsTakenByWhoNamesItsSecret: "Direct connection initiated by
// the client".
func TestAnInvitationIsTakenByWhoNamesItsSecret(t *testing.T) {
	s := newStage(t)
	remote := s.open(signer.RemoteOptions{Relays: []string{home}})
	invitation, err := signer.NewInvitation(remote, rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- remote.Await(t.Context(), invitation.Secret) }()
	stranger, err := bunkertest.New(home)
	if err != nil {
		t.Fatal(err)
	}
	stranger.Dial = s.relays.Dial
	wrong := invitation
	wrong.Secret = "guessed"
	if err := stranger.Accept(t.Context(), wrong.String()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(stranger.Stop)
	wrong.Secret = "ack"
	if err := stranger.Accept(t.Context(), wrong.String()); err != nil {
		t.Fatal(err)
	}
	s.bunker.Stop()
	if err := s.bunker.Accept(t.Context(), invitation.String()); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if remote.Signer() != s.bunker.Key.PublicKey() || remote.PublicKey() != s.bunker.User.PublicKey() {
		t.Errorf("it met %s for %s", remote.Signer(), remote.PublicKey())
	}
	s.remote = remote
	if err := s.try(); err != nil {
		t.Error(err)
	}
}

// TestASignerMayMoveToOtherRelays: "Switching relays".
func TestASignerMayMoveToOtherRelays(t *testing.T) {
	s := connected(t)
	if changed, err := s.remote.SwitchRelays(t.Context()); changed || err != nil {
		t.Errorf("null changed it: %v, %v", changed, err)
	}
	s.bunker.Move("https://no.relay")
	if changed, err := s.remote.SwitchRelays(t.Context()); changed || !errors.Is(err, signer.ErrBadSigner) {
		t.Errorf("a bad list changed it: %v, %v", changed, err)
	}
	s.bunker.Move(second)
	if changed, err := s.remote.SwitchRelays(t.Context()); !changed || err != nil {
		t.Fatalf("got %v, %v", changed, err)
	}
	s.bunker.Stop()
	s.bunker.Relays = []string{second}
	s.startBunker()
	if err := s.try(); err != nil {
		t.Error(err)
	}
	if got := s.remote.Relays(); !slices.Equal(got, []string{second}) {
		t.Errorf("it speaks at %v", got)
	}
}

// TestAnAuthChallengeIsALinkUntilTheAnswerComes: "Auth Challenges".
func TestAnAuthChallengeIsALinkUntilTheAnswerComes(t *testing.T) {
	s := connected(t)
	approved := make(chan bunkertest.Reply, 1)
	s.bunker.Spoil(func(r bunkertest.Request, reply *bunkertest.Reply) []bunkertest.Reply {
		if r.Method != "sign_event" {
			return []bunkertest.Reply{*reply}
		}
		challenge := *reply
		challenge.Result, challenge.Error = "auth_url", "https://signer.example/approve/1"
		approved <- *reply
		return []bunkertest.Reply{challenge}
	})
	before := s.news.Load()
	done := make(chan error, 1)
	go func() { done <- s.try() }()
	s.until("the link", func() bool { return s.remote.State().Link == "https://signer.example/approve/1" })
	s.until("it to be told", func() bool { return s.news.Load() > before })
	reply := <-approved
	s.bunker.Spoil(func(_ bunkertest.Request, ping *bunkertest.Reply) []bunkertest.Reply {
		return []bunkertest.Reply{*ping, reply}
	})
	if _, err := s.remote.SwitchRelays(t.Context()); err != nil { // anything, so that the bunker speaks
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
	s.until("the link to be gone", func() bool { return s.remote.State().Link == "" })
}

// TestWhoLogsOutIsForgotten: "Ending a session".
func TestWhoLogsOutIsForgotten(t *testing.T) {
	s := connected(t)
	if err := s.remote.Logout(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := s.try(); !errors.Is(err, signer.ErrRefused) {
		t.Errorf("got %v", err)
	}
}

// until waits for what comes by itself.
func (s *stage) until(what string, holds func() bool) {
	s.t.Helper()
	deadline := time.After(patience)
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for !holds() {
		select {
		case <-deadline:
			s.t.Fatalf("waited in vain for %s", what)
		case <-tick.C:
		}
	}
}
