package signer

import (
	"fmt"
	"slices"

	"github.com/nbd-wtf/go-nostr"

	"parley/wasm/nip44"
	"parley/wasm/verify"
)

// template is what a signer outside is given to sign.
type template struct {
	Content   string          `json:"content"`
	CreatedAt nostr.Timestamp `json:"created_at"`
	Kind      int             `json:"kind"`
	Tags      nostr.Tags      `json:"tags"`
}

func templateOf(e *nostr.Event) template {
	t := template{Kind: e.Kind, CreatedAt: e.CreatedAt, Tags: e.Tags, Content: e.Content}
	if t.Tags == nil {
		t.Tags = nostr.Tags{} // signers expect an array
	}
	return t
}

// checkSigned holds what a signer outside gave against what it was asked: public
// key, kind, tags, content, id and signature. created_at is the caller's part.
// Errors wrap ErrOtherKey or ErrBadSigner.
func checkSigned(answer []byte, asked *nostr.Event, pubkey string) (*nostr.Event, error) {
	signed, err := verify.ParseEvent(answer)
	switch {
	case err != nil:
		return nil, fmt.Errorf("%w: %w", ErrBadSigner, err)
	case signed.PubKey != pubkey:
		return nil, fmt.Errorf("%w: it signed as %.70q", ErrOtherKey, signed.PubKey)
	case signed.Kind != asked.Kind || signed.Content != asked.Content || !sameTags(signed.Tags, asked.Tags):
		return nil, fmt.Errorf("%w: it signed something else", ErrBadSigner)
	}
	if err := verify.Event(signed); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrBadSigner, err)
	}
	return signed, nil
}

func sameTags(a, b nostr.Tags) bool {
	return slices.EqualFunc(a, b, func(x, y nostr.Tag) bool { return slices.Equal(x, y) })
}

// checkPayload makes sure that what is to go out as encrypted is: a signer that
// gives a plaintext back would have it published.
func checkPayload(payload string) error {
	if err := nip44.CheckPayload(payload); err != nil {
		return fmt.Errorf("%w: what it encrypted is no NIP-44 payload: %w", ErrBadSigner, err)
	}
	return nil
}
