package run

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/nbd-wtf/go-nostr"

	"parley/wasm/verify"
)

// ErrWrap is in every error about a gift wrap that is not valid. Such a wrap is
// dropped.
var ErrWrap = errors.New("not a valid gift wrap")

func badWrap(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{ErrWrap}, args...)...)
}

// Unwrap opens a gift wrap to me and gives the rumour inside. Nothing is
// decrypted before the signature around it is checked. Callers whose decryption
// is a conversation with a person use the steps: CheckWrap, OpenWrap, OpenSeal.
func Unwrap(wrap *nostr.Event, me string, decrypt func(peer, payload string) (string, error)) (*nostr.Event, error) {
	if err := CheckWrap(wrap, me); err != nil {
		return nil, err
	}
	plain, err := decrypt(wrap.PubKey, wrap.Content)
	if err != nil {
		return nil, fmt.Errorf("%w: decrypt wrap: %w", ErrWrap, err)
	}
	seal, err := OpenWrap(plain)
	if err != nil {
		return nil, err
	}
	plain, err = decrypt(seal.PubKey, seal.Content)
	if err != nil {
		return nil, fmt.Errorf("%w: decrypt seal: %w", ErrWrap, err)
	}
	return OpenSeal(wrap, seal, me, plain)
}

// CheckWrap checks a wrap from outside: kind 1059 or 21059, addressed to me,
// signed. Its content is encrypted between me and wrap.PubKey.
func CheckWrap(wrap *nostr.Event, me string) error {
	if wrap.Kind != KindWrap && wrap.Kind != KindWrapLive {
		return badWrap("kind %d, expected %d or %d", wrap.Kind, KindWrap, KindWrapLive)
	}
	if wrap.Tags.FindWithValue("p", me) == nil {
		return badWrap("it is not addressed to %s", me)
	}
	if err := verify.Event(wrap); err != nil {
		return fmt.Errorf("%w: %w", ErrWrap, err)
	}
	return nil
}

// OpenWrap reads a wrap's plaintext: a seal of kind 13, without tags, signed.
// Its content is encrypted between me and seal.PubKey.
func OpenWrap(plain string) (*nostr.Event, error) {
	seal, err := verify.ParseEvent([]byte(plain))
	if err != nil {
		return nil, fmt.Errorf("%w: read seal: %w", ErrWrap, err)
	}
	if seal.Kind != KindSeal {
		return nil, badWrap("the seal has kind %d, expected %d", seal.Kind, KindSeal)
	}
	if len(seal.Tags) != 0 {
		return nil, badWrap("the seal has tags; NIP-59 allows none")
	}
	if err := verify.Event(seal); err != nil {
		return nil, fmt.Errorf("%w: seal: %w", ErrWrap, err)
	}
	return seal, nil
}

// OpenSeal reads a seal's plaintext: an unsigned AI message whose author is the
// seal's and whose id is the hash of its fields, to me or by me, of a kind that
// may travel in this wrap.
func OpenSeal(wrap, seal *nostr.Event, me, plain string) (*nostr.Event, error) {
	rumour, err := parseRumour(plain)
	if err != nil {
		return nil, err
	}
	id := verify.ID(rumour)
	switch {
	case rumour.Sig != "":
		return nil, badWrap("the rumour is signed; NIP-59 wants it unsigned")
	case rumour.PubKey != seal.PubKey:
		return nil, badWrap("the rumour names the author %s, the seal is by %s", quote(rumour.PubKey), seal.PubKey)
	case rumour.ID != hex.EncodeToString(id[:]):
		return nil, badWrap("the rumour's id is not the hash of its fields")
	case !IsKind(rumour.Kind):
		return nil, badWrap("the rumour has kind %d, expected %d to %d", rumour.Kind, KindStatus, KindCancel)
	case wrap.Kind == KindWrapLive && IsDurable(rumour.Kind):
		return nil, badWrap("kind %d travels in %d, this came in %d", rumour.Kind, KindWrap, KindWrapLive)
	case rumour.PubKey != me && rumour.Tags.FindWithValue("p", me) == nil:
		return nil, badWrap("the rumour is neither to nor by %s", me)
	}
	return rumour, nil
}

// parseRumour reads an event that has no signature.
func parseRumour(plain string) (*nostr.Event, error) {
	var r struct {
		ID        string     `json:"id"`
		PubKey    string     `json:"pubkey"`
		CreatedAt int64      `json:"created_at"`
		Kind      int        `json:"kind"`
		Tags      nostr.Tags `json:"tags"`
		Content   string     `json:"content"`
		Sig       string     `json:"sig"`
	}
	if err := json.Unmarshal([]byte(plain), &r); err != nil {
		return nil, fmt.Errorf("%w: read rumour: %w", ErrWrap, err)
	}
	if r.Tags == nil {
		r.Tags = nostr.Tags{}
	}
	return &nostr.Event{ID: r.ID, PubKey: r.PubKey, CreatedAt: nostr.Timestamp(r.CreatedAt), Kind: r.Kind, Tags: r.Tags, Content: r.Content, Sig: r.Sig}, nil
}

// IsPlain says whether the content of a rumour is plain JSON instead of NIP-44,
// which no NIP-44 payload looks like. It is read, and the run says so.
func IsPlain(content string) bool {
	return strings.HasPrefix(strings.TrimLeft(content, " \t\r\n"), "{")
}
