package signer

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/nbd-wtf/go-nostr"

	"parley/wasm/verify"
)

// Extension signs with a browser extension (NIP-07). Every call may be a
// prompt that a person reads, so nothing here times out: only ctx ends a call.
type Extension struct {
	public string
	call   Caller
}

var _ Signer = (*Extension)(nil)

// NewExtension is the signer of an account whose key is in a browser extension.
func NewExtension(public string, call Caller) *Extension {
	return &Extension{public: public, call: call}
}

// PublicKey implements Signer.
func (x *Extension) PublicKey() string { return x.public }

// Local implements Signer.
func (x *Extension) Local() bool { return false }

// Sign implements Signer. The extension's public key is compared before, since
// it may have been switched to another account, and everything in its answer
// is checked. It may change the event's time, nothing else.
func (x *Extension) Sign(ctx context.Context, e *nostr.Event) error {
	if err := x.sameKey(ctx); err != nil {
		return fmt.Errorf("sign with the browser extension: %w", err)
	}
	tags := e.Tags
	if tags == nil {
		tags = nostr.Tags{}
	}
	var signed nostr.Event
	asked := struct {
		Kind      int             `json:"kind"`
		CreatedAt nostr.Timestamp `json:"created_at"`
		Tags      nostr.Tags      `json:"tags"`
		Content   string          `json:"content"`
		PubKey    string          `json:"pubkey"`
	}{e.Kind, e.CreatedAt, tags, e.Content, x.public}
	if err := x.ask(ctx, "signEvent", &signed, asked); err != nil {
		return fmt.Errorf("sign with the browser extension: %w", err)
	}
	if signed.Tags == nil {
		signed.Tags = nostr.Tags{}
	}
	if err := x.check(&signed, e, tags); err != nil {
		return fmt.Errorf("sign with the browser extension: %w", err)
	}
	*e = signed
	return nil
}

func (x *Extension) check(signed, asked *nostr.Event, tags nostr.Tags) error {
	switch {
	case signed.PubKey != x.public:
		return fmt.Errorf("%w: it signed as another key", ErrOtherKey)
	case signed.Kind != asked.Kind || signed.Content != asked.Content || !sameTags(signed.Tags, tags):
		return fmt.Errorf("%w: it signed something else", ErrBadSigner)
	}
	if err := verify.Event(signed); err != nil {
		return fmt.Errorf("%w: %w", ErrBadSigner, err)
	}
	return nil
}

func sameTags(a, b nostr.Tags) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if len(a[i]) != len(b[i]) {
			return false
		}
		for j := range a[i] {
			if a[i][j] != b[i][j] {
				return false
			}
		}
	}
	return true
}

func (x *Extension) sameKey(ctx context.Context) error {
	var public string
	if err := x.ask(ctx, "getPublicKey", &public); err != nil {
		return err
	}
	if public != x.public {
		return fmt.Errorf("%w: switch your extension back to the account you use here", ErrOtherKey)
	}
	return nil
}

// Encrypt implements Signer.
func (x *Extension) Encrypt(ctx context.Context, plaintext, peer string) (string, error) {
	var payload string
	if err := x.ask(ctx, "nip44.encrypt", &payload, peer, plaintext); err != nil {
		return "", fmt.Errorf("encrypt with the browser extension: %w", err)
	}
	return payload, nil
}

// Decrypt implements Signer.
func (x *Extension) Decrypt(ctx context.Context, payload, peer string) (string, error) {
	var plaintext string
	if err := x.ask(ctx, "nip44.decrypt", &plaintext, peer, payload); err != nil {
		return "", fmt.Errorf("decrypt with the browser extension: %w", err)
	}
	return plaintext, nil
}

// ask makes one call and reads its answer.
func (x *Extension) ask(ctx context.Context, method string, into any, args ...any) error {
	if args == nil {
		args = []any{}
	}
	params, err := json.Marshal(args)
	if err != nil {
		return err
	}
	answer, err := x.call(ctx, method, params)
	if err != nil {
		if ctx.Err() != nil {
			return errors.Join(ctx.Err(), err)
		}
		return fmt.Errorf("%w: %w", ErrRefused, err)
	}
	if err := json.Unmarshal(answer, into); err != nil {
		return fmt.Errorf("%w: %w", ErrBadSigner, err)
	}
	return nil
}
