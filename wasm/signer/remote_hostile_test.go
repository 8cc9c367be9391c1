//go:build !js

package signer_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/nbd-wtf/go-nostr"

	"parley/wasm/signer"
	"parley/wasm/signer/bunkertest"
)

// lying makes a spoil that changes the answers to one method.
func lying(method string, lie func(*bunkertest.Reply)) func(bunkertest.Request, *bunkertest.Reply) []bunkertest.Reply {
	return func(r bunkertest.Request, reply *bunkertest.Reply) []bunkertest.Reply {
		if r.Method == method {
			lie(reply)
		}
		return []bunkertest.Reply{*reply}
	}
}

// resign has the bunker sign a changed event.
func resign(t *testing.T, by *signer.Local, change func(*nostr.Event)) func(*bunkertest.Reply) {
	return func(reply *bunkertest.Reply) {
		var e nostr.Event
		if err := json.Unmarshal([]byte(reply.Result.(string)), &e); err != nil {
			t.Error(err)
		}
		change(&e)
		if err := by.Sign(context.Background(), &e); err != nil {
			t.Error(err)
		}
		text, err := json.Marshal(e)
		if err != nil {
			t.Error(err)
		}
		reply.Result = string(text)
	}
}

func TestAWrongAnswerToSignIsTold(t *testing.T) {
	s := connected(t)
	other, err := bunkertest.NewKey()
	if err != nil {
		t.Fatal(err)
	}
	user := s.bunker.User
	for name, c := range map[string]struct {
		lie  func(*bunkertest.Reply)
		want error
	}{
		"other words":     {resign(t, user, func(e *nostr.Event) { e.Content = "pay me" }), signer.ErrBadSigner},
		"another kind":    {resign(t, user, func(e *nostr.Event) { e.Kind = 1 }), signer.ErrBadSigner},
		"one tag more":    {resign(t, user, func(e *nostr.Event) { e.Tags = append(e.Tags, nostr.Tag{"x"}) }), signer.ErrBadSigner},
		"another time":    {resign(t, user, func(e *nostr.Event) { e.CreatedAt++ }), signer.ErrBadSigner},
		"a broken sig":    {func(r *bunkertest.Reply) { r.Result = strings.Replace(r.Result.(string), `"sig":"`, `"sig":"00`, 1) }, signer.ErrBadSigner},
		"no event":        {func(r *bunkertest.Reply) { r.Result = "signed!" }, signer.ErrBadSigner},
		"nothing":         {func(r *bunkertest.Reply) { r.Result = nil }, signer.ErrBadSigner},
		"an object":       {func(r *bunkertest.Reply) { r.Result = map[string]int{"kind": 9} }, signer.ErrBadSigner},
		"a refusal":       {func(r *bunkertest.Reply) { r.Result, r.Error = nil, "not\nnow" }, signer.ErrRefused},
		"http to open":    {func(r *bunkertest.Reply) { r.Result, r.Error = "auth_url", "http://signer.example" }, signer.ErrBadSigner},
		"a script to run": {func(r *bunkertest.Reply) { r.Result, r.Error = "auth_url", "javascript:alert(1)" }, signer.ErrBadSigner},
		"another key":     {resign(t, other, func(*nostr.Event) {}), signer.ErrOtherKey}, // the last: it shuts the signer
	} {
		if name == "another key" {
			continue
		}
		s.bunker.Spoil(lying("sign_event", c.lie))
		err := s.try()
		if !errors.Is(err, c.want) {
			t.Errorf("%s: got %v, want %v", name, err, c.want)
		} else if strings.Contains(err.Error(), "extension") || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: the words are %q", name, err)
		}
	}

	s.bunker.Spoil(lying("sign_event", resign(t, other, func(*nostr.Event) {})))
	if err := s.try(); !errors.Is(err, signer.ErrOtherKey) {
		t.Errorf("another key: got %v", err)
	}
	s.bunker.Spoil(nil)
	if err := s.try(); !errors.Is(err, signer.ErrOtherKey) || !strings.Contains(s.remote.State().Away, "another key") {
		t.Errorf("after another key it is asked again: %v, %+v", err, s.remote.State())
	}
	if err := s.remote.Check(t.Context()); err != nil {
		t.Error(err)
	}
	if err := s.try(); err != nil || s.remote.State().Away != "" {
		t.Errorf("with the right key again: %v, %+v", err, s.remote.State())
	}
}

func TestAnAccountSwitchedInTheSignerIsNoticed(t *testing.T) {
	s := connected(t)
	other, err := bunkertest.NewKey()
	if err != nil {
		t.Fatal(err)
	}
	s.bunker.Spoil(lying("get_public_key", func(r *bunkertest.Reply) { r.Result = other.PublicKey() }))
	if err := s.remote.Check(t.Context()); !errors.Is(err, signer.ErrOtherKey) {
		t.Errorf("got %v", err)
	}
	if err := s.try(); !errors.Is(err, signer.ErrOtherKey) {
		t.Errorf("it signs all the same: %v", err)
	}
	s.bunker.Spoil(lying("get_public_key", func(r *bunkertest.Reply) { r.Result = "rubbish" }))
	if err := s.remote.Check(t.Context()); !errors.Is(err, signer.ErrBadSigner) {
		t.Errorf("got %v", err)
	}
}

// TestAnAnswerCountsOnlyFromTheSignerToUs: what else arrives at the relays is
// passed over, and the true answer still counts.
func TestAnAnswerCountsOnlyFromTheSignerToUs(t *testing.T) {
	mallory, err := bunkertest.NewKey()
	if err != nil {
		t.Fatal(err)
	}
	lie := func(r bunkertest.Reply) bunkertest.Reply { r.Result, r.Error = nil, "no"; return r }
	for name, forge := range map[string]func(*bunkertest.Reply){
		"another author":     func(r *bunkertest.Reply) { r.By = mallory },
		"another id":         func(r *bunkertest.Reply) { r.ID = "1234" },
		"no id":              func(r *bunkertest.Reply) { r.ID = "" },
		"a number as id":     func(r *bunkertest.Reply) { r.Raw = `{"id":7,"result":null,"error":"no"}` },
		"rubbish":            func(r *bunkertest.Reply) { r.Raw = "rubbish" },
		"an array":           func(r *bunkertest.Reply) { r.Raw = "[1]" },
		"for somebody else":  func(r *bunkertest.Reply) { r.Spoil = func(e *nostr.Event) { e.Tags[0][1] = mallory.PublicKey() } },
		"a broken signature": func(r *bunkertest.Reply) { r.Spoil = func(e *nostr.Event) { e.Sig = strings.Repeat("0", 128) } },
		"a forged author": func(r *bunkertest.Reply) {
			key := r.By.PublicKey()
			r.By, r.Spoil = mallory, func(e *nostr.Event) { e.PubKey = key }
		},
		"not encrypted": func(r *bunkertest.Reply) { r.Spoil = func(e *nostr.Event) { e.Content = `{"id":"1"}` } },
		"another kind":  func(r *bunkertest.Reply) { r.Spoil = func(e *nostr.Event) { e.Kind = 1 } },
	} {
		t.Run(name, func(t *testing.T) {
			s := connected(t)
			s.bunker.Spoil(func(r bunkertest.Request, honest *bunkertest.Reply) []bunkertest.Reply {
				forged := lie(*honest)
				forge(&forged)
				return []bunkertest.Reply{forged, *honest}
			})
			if err := s.try(); err != nil {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestWhatIsNotEncryptedIsNotPublished(t *testing.T) {
	s := connected(t)
	peer := s.bunker.Key.PublicKey()
	s.bunker.Spoil(lying("nip44_encrypt", func(r *bunkertest.Reply) { r.Result = "my secret" }))
	if text, err := s.remote.Encrypt(t.Context(), "my secret", peer); !errors.Is(err, signer.ErrBadSigner) || text != "" {
		t.Errorf("got %q, %v", text, err)
	}
	s.bunker.Spoil(lying("nip44_decrypt", func(r *bunkertest.Reply) { r.Result, r.Error = "", "" }))
	if text, err := s.remote.Decrypt(t.Context(), "AAAA", peer); err == nil {
		t.Errorf("got %q", text)
	}
}
