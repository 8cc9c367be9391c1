package signer

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"testing"

	"github.com/nbd-wtf/go-nostr"

	"parley/wasm/verify"
)

// fakeExtension is a browser extension that can be made to misbehave.
type fakeExtension struct {
	local  *Local
	other  *Local
	refuse error
	spoil  func(*nostr.Event)
}

func (f *fakeExtension) call(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error) {
	if f.refuse != nil {
		return nil, f.refuse
	}
	var args []json.RawMessage
	if err := json.Unmarshal(params, &args); err != nil {
		return nil, err
	}
	text := func(i int) (s string) {
		_ = json.Unmarshal(args[i], &s) // the test sends strings
		return s
	}
	switch method {
	case "getPublicKey":
		return json.Marshal(f.local.pubkey)
	case "signEvent":
		var e nostr.Event
		if err := json.Unmarshal(args[0], &e); err != nil {
			return nil, err
		}
		if f.spoil != nil {
			f.spoil(&e)
		}
		if err := f.local.Sign(ctx, &e); err != nil {
			return nil, err
		}
		return json.Marshal(e)
	case "nip44.encrypt":
		payload, err := f.local.Encrypt(ctx, text(1), text(0))
		if err != nil {
			return nil, err
		}
		return json.Marshal(payload)
	case "nip44.decrypt":
		plaintext, err := f.local.Decrypt(ctx, text(1), text(0))
		if err != nil {
			return nil, err
		}
		return json.Marshal(plaintext)
	}
	return nil, errors.New("no such method")
}

func newLocal(t *testing.T) *Local {
	t.Helper()
	_, s, err := Create(t.Context(), newWrapper(t), rand.Reader, "", 1)
	if err != nil {
		t.Fatal(err)
	}
	return s.(*Local)
}

func TestAnExtensionsAnswersAreChecked(t *testing.T) {
	mine := newLocal(t)
	fake := &fakeExtension{local: mine}
	x := NewExtension(mine.pubkey, fake.call)
	template := nostr.Event{Kind: 9, CreatedAt: 5, Content: "hi", Tags: nostr.Tags{{"h", "lobby"}}}

	signed := template
	if err := x.Sign(t.Context(), &signed); err != nil {
		t.Fatal(err)
	}
	if err := verify.Event(&signed); err != nil {
		t.Error(err)
	}

	for name, c := range map[string]struct {
		change func()
		want   error
	}{
		"it says no":                     {func() { fake.refuse = errors.New("User rejected") }, ErrRefused},
		"it was switched":                {func() { fake.local = newLocal(t) }, ErrOtherKey},
		"it signs other words":           {func() { fake.spoil = func(e *nostr.Event) { e.Content = "pay me" } }, ErrBadSigner},
		"it adds a tag":                  {func() { fake.spoil = func(e *nostr.Event) { e.Tags = append(e.Tags, nostr.Tag{"x"}) } }, ErrBadSigner},
		"it signs another kind of event": {func() { fake.spoil = func(e *nostr.Event) { e.Kind = 1 } }, ErrBadSigner},
	} {
		*fake = fakeExtension{local: mine}
		c.change()
		e := template
		if err := x.Sign(t.Context(), &e); !errors.Is(err, c.want) {
			t.Errorf("%s: got %v, want %v", name, err, c.want)
		}
		if e.Sig != "" || e.Content != template.Content {
			t.Errorf("%s: the event was changed", name)
		}
	}
}

func TestBothSignersReadEachOther(t *testing.T) {
	ana, ben := newLocal(t), newLocal(t)
	outside := NewExtension(ben.pubkey, (&fakeExtension{local: ben}).call)
	payload, err := ana.Encrypt(t.Context(), "secret", ben.pubkey)
	if err != nil {
		t.Fatal(err)
	}
	plaintext, err := outside.Decrypt(t.Context(), payload, ana.pubkey)
	if err != nil || plaintext != "secret" {
		t.Errorf("got %q, %v", plaintext, err)
	}
	if payload, err = outside.Encrypt(t.Context(), "answer", ana.pubkey); err != nil {
		t.Fatal(err)
	}
	if plaintext, err = ana.Decrypt(t.Context(), payload, ben.pubkey); err != nil || plaintext != "answer" {
		t.Errorf("got %q, %v", plaintext, err)
	}
}

// answers is a Caller with a fixed answer for each method.
func answers(values map[string]string) Caller {
	return func(_ context.Context, method string, _ json.RawMessage) (json.RawMessage, error) {
		return json.RawMessage(values[method]), nil
	}
}

func TestAnExtensionsNonsenseIsABadAnswer(t *testing.T) {
	mine := newLocal(t)
	key := `"` + mine.pubkey + `"`
	for name, values := range map[string]map[string]string{
		"nothing for a public key": {"getPublicKey": ``},
		"null for a public key":    {"getPublicKey": `null`},
		"no event":                 {"getPublicKey": key, "signEvent": `{}`},
		"null for an event":        {"getPublicKey": key, "signEvent": `null`},
		"nothing for an event":     {"getPublicKey": key},
		"an event without sig": {"getPublicKey": key, "signEvent": `{"id":"x","pubkey":` + key +
			`,"created_at":1,"kind":1,"tags":[],"content":"x"}`},
		"a signature that does not hold": {"getPublicKey": key, "signEvent": `{"id":"x","pubkey":` + key +
			`,"created_at":1,"kind":1,"tags":[],"content":"x","sig":"x"}`},
	} {
		e := nostr.Event{Kind: 1, Content: "x"}
		if err := NewExtension(mine.pubkey, answers(values)).Sign(t.Context(), &e); !errors.Is(err, ErrBadSigner) {
			t.Errorf("%s: %v, want ErrBadSigner", name, err)
		}
		if e.PubKey != "" || e.Tags != nil {
			t.Errorf("%s: the event was changed", name)
		}
	}
	if _, err := NewExtension(mine.pubkey, answers(nil)).Decrypt(t.Context(), "x", mine.pubkey); !errors.Is(err, ErrBadSigner) {
		t.Errorf("no plaintext: %v", err)
	}
}

func TestAnotherPublicKeyBeforeSigningEndsThere(t *testing.T) {
	mine := newLocal(t)
	asked := []string{}
	x := NewExtension(mine.pubkey, func(_ context.Context, method string, _ json.RawMessage) (json.RawMessage, error) {
		asked = append(asked, method)
		return json.RawMessage(`"` + newLocal(t).pubkey + `"`), nil
	})
	if err := x.Sign(t.Context(), &nostr.Event{}); !errors.Is(err, ErrOtherKey) {
		t.Errorf("got %v", err)
	}
	if err := x.Check(t.Context()); !errors.Is(err, ErrOtherKey) {
		t.Errorf("Check: %v", err)
	}
	if len(asked) != 2 || asked[0] != "getPublicKey" {
		t.Errorf("asked for %v", asked)
	}
}

func TestNobodyAskedIsNoRefusal(t *testing.T) {
	mine := newLocal(t)
	away := errors.Join(ErrAway, errors.New("the tab is closed"))
	x := NewExtension(mine.pubkey, func(context.Context, string, json.RawMessage) (json.RawMessage, error) { return nil, away })
	if err := x.Check(t.Context()); errors.Is(err, ErrRefused) || !errors.Is(err, ErrAway) {
		t.Errorf("away: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	x = NewExtension(mine.pubkey, func(ctx context.Context, _ string, _ json.RawMessage) (json.RawMessage, error) {
		cancel()
		<-ctx.Done()
		return nil, ctx.Err()
	})
	if _, err := x.Encrypt(ctx, "x", mine.pubkey); errors.Is(err, ErrRefused) || !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func TestTheExtensionIsAskedAsNIP07Says(t *testing.T) {
	mine := newLocal(t)
	var got []string
	x := NewExtension(mine.pubkey, func(_ context.Context, method string, params json.RawMessage) (json.RawMessage, error) {
		got = append(got, method+string(params))
		if method == "getPublicKey" {
			return json.RawMessage(`"` + mine.pubkey + `"`), nil
		}
		return nil, errors.New("no")
	})
	e := nostr.Event{Kind: 9, CreatedAt: 5, Content: "hi"}
	_ = x.Sign(t.Context(), &e)
	_, _ = x.Encrypt(t.Context(), "text", "peer")
	_, _ = x.Decrypt(t.Context(), "payload", "peer")
	want := []string{
		`getPublicKey[]`, `signEvent[{"content":"hi","created_at":5,"kind":9,"tags":[]}]`,
		`nip44.encrypt["peer","text"]`, `nip44.decrypt["peer","payload"]`,
	}
	if len(got) != len(want) {
		t.Fatalf("calls %q", got)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("call %s, want %s", got[i], want[i])
		}
	}
}

func TestLocalSignsAndStopsWithItsContext(t *testing.T) {
	mine := newLocal(t)
	e := nostr.Event{Kind: 9, CreatedAt: 5, Content: "hi"}
	if err := mine.Sign(t.Context(), &e); err != nil || verify.Event(&e) != nil || e.PubKey != mine.PublicKey() {
		t.Errorf("%v, %v", e, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := mine.Sign(ctx, &e); !errors.Is(err, context.Canceled) {
		t.Errorf("Sign: %v", err)
	}
	if _, err := mine.Decrypt(ctx, "", mine.pubkey); !errors.Is(err, context.Canceled) {
		t.Errorf("Decrypt: %v", err)
	}
	if !mine.Local() || NewExtension("", nil).Local() {
		t.Error("which key is local is wrong")
	}
}
