package signer

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/nbd-wtf/go-nostr"
)

// Caller carries a NIP-07 call to the page and its answer back. method is the
// path below window.nostr ("getPublicKey", "signEvent", "nip44.encrypt",
// "nip44.decrypt"), params a JSON array of arguments. What the extension says
// against it comes back as an error. An error that wraps ErrAway tells that
// nobody was asked.
type Caller func(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error)

// Extension signs by way of a browser extension (NIP-07). It has no time-out of
// its own, since a person may be reading the extension's prompt: only ctx ends a
// call.
type Extension struct {
	pubkey string
	call   Caller
}

var _ Signer = (*Extension)(nil)

// NewExtension makes the signer of an extension that is to act for pubkey.
func NewExtension(pubkey string, call Caller) *Extension {
	return &Extension{pubkey: pubkey, call: call}
}

// PublicKey is the key it is to act for.
func (x *Extension) PublicKey() string { return x.pubkey }

// Local is false.
func (x *Extension) Local() bool { return false }

// Check asks the extension for its public key. Errors wrap ErrOtherKey when it
// is another, as after a change of account in the extension, or ErrRefused.
func (x *Extension) Check(ctx context.Context) error {
	var pubkey string
	if err := x.ask(ctx, "getPublicKey", &pubkey); err != nil {
		return fmt.Errorf("ask for the public key: %w", err)
	}
	if pubkey != x.pubkey {
		return fmt.Errorf("%w: it acts for %.70q, not for %q", ErrOtherKey, pubkey, x.pubkey)
	}
	return nil
}

// Sign lets the extension sign. It compares the public key before, and holds the
// answer against what was asked: pubkey, kind, tags, content, id and signature.
// An extension may set another created_at.
func (x *Extension) Sign(ctx context.Context, e *nostr.Event) error {
	if err := x.Check(ctx); err != nil {
		return fmt.Errorf("sign: %w", err)
	}
	var answer json.RawMessage
	if err := x.ask(ctx, "signEvent", &answer, templateOf(e)); err != nil {
		return fmt.Errorf("sign: %w", err)
	}
	signed, err := checkSigned(answer, e, x.pubkey)
	if err != nil {
		return fmt.Errorf("sign: %w", err)
	}
	*e = *signed
	return nil
}

// Encrypt lets the extension make a NIP-44 payload.
func (x *Extension) Encrypt(ctx context.Context, plaintext, peer string) (string, error) {
	var payload string
	if err := x.ask(ctx, "nip44.encrypt", &payload, peer, plaintext); err != nil {
		return "", fmt.Errorf("encrypt: %w", err)
	}
	if err := checkPayload(payload); err != nil {
		return "", fmt.Errorf("encrypt: %w", err)
	}
	return payload, nil
}

// Decrypt lets the extension read a NIP-44 payload.
func (x *Extension) Decrypt(ctx context.Context, payload, peer string) (string, error) {
	var plaintext string
	if err := x.ask(ctx, "nip44.decrypt", &plaintext, peer, payload); err != nil {
		return "", fmt.Errorf("decrypt: %w", err)
	}
	return plaintext, nil
}

// ask calls a method and reads its answer into answer, which is a pointer to a
// string or to raw JSON.
func (x *Extension) ask(ctx context.Context, method string, answer any, params ...any) error {
	if params == nil {
		params = []any{}
	}
	raw, err := json.Marshal(params)
	if err != nil {
		return err
	}
	value, err := x.call(ctx, method, raw)
	switch {
	case err == nil:
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, ErrAway):
		return err
	default:
		return fmt.Errorf("%w: %w", ErrRefused, err)
	}
	if text, ok := answer.(*string); ok {
		var s *string
		if json.Unmarshal(value, &s) != nil || s == nil {
			return fmt.Errorf("%w: %s gave no text", ErrBadSigner, method)
		}
		*text = *s
		return nil
	}
	if err := json.Unmarshal(value, answer); err != nil {
		return fmt.Errorf("%w: %s gave no JSON", ErrBadSigner, method)
	}
	return nil
}
