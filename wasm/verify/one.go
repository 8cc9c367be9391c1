package verify

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"

	"github.com/btcsuite/btcd/btcec/v2"
	"github.com/btcsuite/btcd/btcec/v2/schnorr"
	"github.com/nbd-wtf/go-nostr"
)

func id(e *nostr.Event) (out [32]byte) {
	b, _ := hex.DecodeString(e.GetID())
	copy(out[:], b)
	return out
}

func event(e *nostr.Event) error {
	if len(e.ID) != 64 || len(e.PubKey) != 64 || len(e.Sig) != 128 {
		return fmt.Errorf("verify: %w", ErrForm)
	}
	if e.GetID() != e.ID {
		return fmt.Errorf("verify: %w", ErrID)
	}
	if ok, err := e.CheckSignature(); err != nil || !ok {
		return fmt.Errorf("verify: %w", ErrSignature)
	}
	return nil
}

func batch(events []*nostr.Event, _ io.Reader) []error {
	out := make([]error, len(events))
	for i, e := range events {
		out[i] = event(e)
	}
	return out
}

func sign(e *nostr.Event, secret, aux [32]byte) error {
	pub, err := publicKey(secret)
	if err != nil {
		return err
	}
	if e.Tags == nil {
		e.Tags = nostr.Tags{}
	}
	e.PubKey = pub
	hash := id(e)
	key, _ := btcec.PrivKeyFromBytes(secret[:])
	sig, err := schnorr.Sign(key, hash[:], schnorr.CustomNonce(aux), schnorr.FastSign())
	if err != nil {
		return fmt.Errorf("verify: signing: %w", err)
	}
	e.ID, e.Sig = hex.EncodeToString(hash[:]), hex.EncodeToString(sig.Serialize())
	return nil
}

func publicKey(secret [32]byte) (string, error) {
	var k btcec.ModNScalar
	if k.SetBytes(&secret) != 0 || k.IsZero() {
		return "", fmt.Errorf("verify: %w", ErrSecret)
	}
	_, pub := btcec.PrivKeyFromBytes(secret[:])
	return hex.EncodeToString(schnorr.SerializePubKey(pub)), nil
}

func parseFrame(frame []byte) (string, *nostr.Event, error) {
	var parts []json.RawMessage
	var label, sub string
	if json.Unmarshal(frame, &parts) != nil || len(parts) == 0 || json.Unmarshal(parts[0], &label) != nil {
		return "", nil, fmt.Errorf("verify: %w", ErrFrame)
	}
	if label != "EVENT" {
		return "", nil, fmt.Errorf("verify: %w", ErrNotEvent)
	}
	if len(parts) != 3 || json.Unmarshal(parts[1], &sub) != nil {
		return "", nil, fmt.Errorf("verify: %w", ErrFrame)
	}
	e, err := parseEvent(parts[2])
	return sub, e, err
}

func parseEvent(object []byte) (*nostr.Event, error) {
	e := new(nostr.Event)
	if err := json.Unmarshal(object, e); err != nil {
		return nil, fmt.Errorf("verify: %w: %w", ErrFrame, err)
	}
	return e, nil
}
