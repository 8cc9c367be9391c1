package run

import (
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"

	"github.com/nbd-wtf/go-nostr"

	"parley/wasm/nip44"
	"parley/wasm/verify"
)

// LiveBacklog is how far back the time of an ephemeral wrap (21059) may lie, in
// seconds. Relays refuse ephemeral events that are a minute old.
const LiveBacklog = 30

// Keys is who encrypts and signs: functions, so that it may be a key kept here,
// a browser extension or a remote signer.
type Keys struct {
	PubKey  string
	Encrypt func(peer, plaintext string) (string, error) // NIP-44
	Decrypt func(peer, payload string) (string, error)   // NIP-44
	Sign    func(*nostr.Event) error                     // sets pubkey, id and signature
}

// LocalKeys are the functions of a secret key at hand. rand gives secure random
// bytes.
func LocalKeys(secret [32]byte, rand io.Reader) (Keys, error) {
	pubkey, err := verify.PublicKey(secret)
	if err != nil {
		return Keys{}, fmt.Errorf("use secret key: %w", err)
	}
	return Keys{
		PubKey: pubkey,
		Encrypt: func(peer, plaintext string) (string, error) {
			key, err := nip44.ConversationKey(secret, peer)
			if err != nil {
				return "", err
			}
			return nip44.EncryptRand(plaintext, key, rand)
		},
		Decrypt: func(peer, payload string) (string, error) {
			key, err := nip44.ConversationKey(secret, peer)
			if err != nil {
				return "", err
			}
			return nip44.Decrypt(payload, key)
		},
		Sign: func(ev *nostr.Event) error {
			var aux [32]byte
			if _, err := io.ReadFull(rand, aux[:]); err != nil {
				return err
			}
			return verify.Sign(ev, secret, aux)
		},
	}, nil
}

// Rumour makes an unsigned event a rumour: its id is set, its signature removed.
// The id of a prompt's rumour is the id of its run.
func Rumour(ev nostr.Event) nostr.Event {
	if ev.Tags == nil {
		ev.Tags = nostr.Tags{}
	}
	id := verify.ID(&ev)
	ev.ID, ev.Sig = hex.EncodeToString(id[:]), ""
	return ev
}

// Wrap seals a rumour for one recipient and wraps the seal (NIP-59). author made
// the rumour; once is a key made for this wrap alone and thrown away after it.
// random is 16 fresh bytes that move the outer times into the past. What relays
// should keep travels in 1059, the rest in 21059. Call it once for each
// recipient; a client also wraps its prompts and cancels to itself.
func Wrap(rumour nostr.Event, to string, author, once Keys, now int64, random [16]byte) (nostr.Event, error) {
	if rumour.PubKey != author.PubKey {
		return nostr.Event{}, errors.New("wrap message: the rumour is not by the key that seals it")
	}
	if !IsKind(rumour.Kind) {
		return nostr.Event{}, fmt.Errorf("wrap message: kind %d is no AI message", rumour.Kind)
	}
	sealed, err := author.Encrypt(to, Rumour(rumour).String())
	if err != nil {
		return nostr.Event{}, fmt.Errorf("wrap message: encrypt rumour: %w", err)
	}
	seal := nostr.Event{Kind: KindSeal, Tags: nostr.Tags{}, Content: sealed,
		CreatedAt: backdate(now, WrapBacklog, random[:8])}
	if err := author.Sign(&seal); err != nil {
		return nostr.Event{}, fmt.Errorf("wrap message: sign seal: %w", err)
	}
	content, err := once.Encrypt(to, seal.String())
	if err != nil {
		return nostr.Event{}, fmt.Errorf("wrap message: encrypt seal: %w", err)
	}
	wrap := nostr.Event{Kind: KindWrapLive, Tags: nostr.Tags{{"p", to}}, Content: content}
	wrap.CreatedAt = backdate(now, LiveBacklog, random[8:])
	if IsDurable(rumour.Kind) {
		wrap.Kind = KindWrap
		wrap.CreatedAt = backdate(now, WrapBacklog, random[8:])
	}
	if err := once.Sign(&wrap); err != nil {
		return nostr.Event{}, fmt.Errorf("wrap message: sign wrap: %w", err)
	}
	return wrap, nil
}

// backdate moves a time up to span seconds into the past.
func backdate(now, span int64, random []byte) nostr.Timestamp {
	back := int64(binary.BigEndian.Uint64(random) % uint64(span+1))
	return nostr.Timestamp(max(0, now-back))
}
