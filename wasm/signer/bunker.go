package signer

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"parley/wasm/relay"
	"parley/wasm/verify"
)

const (
	// MaxBunker is the longest address of a remote signer that is read, in bytes.
	MaxBunker = 8192
	// MaxSignerRelays is how many relays of a remote signer are used; the others
	// of its address are left out.
	MaxSignerRelays = 6
	// MaxBunkerSecret is the longest secret of an address, in bytes.
	MaxBunkerSecret = 1024
)

// ErrNotBunker tells of a text that is no address of a remote signer.
var ErrNotBunker = errors.New("this is not the address of a remote signer")

const bunkerScheme = "bunker"

// bunkerLooks tells what would have been right.
const bunkerLooks = "it begins with bunker:// and is shown by the signer"

// Bunker is the address that a remote signer gives (NIP-46, "Direct connection
// initiated by remote-signer").
type Bunker struct {
	PubKey string   // the signer's own key, 64 lowercase hex digits; not the person's
	Relays []string // in normal form, at least one, at most MaxSignerRelays
	Secret string   // for one connection only; "" for none
}

// ParseBunker reads an address bunker://<pubkey>?relay=...&secret=.... Errors
// wrap ErrNotBunker and say what is wrong and what to do.
func ParseBunker(text string) (Bunker, error) {
	b, err := parseBunker(strings.TrimSpace(text))
	if err != nil {
		return Bunker{}, fmt.Errorf("%w: %w", ErrNotBunker, err)
	}
	return b, nil
}

func parseBunker(text string) (b Bunker, err error) {
	scheme, rest, found := strings.Cut(text, "://")
	switch {
	case text == "":
		return b, errors.New("nothing was given; " + bunkerLooks)
	case len(text) > MaxBunker:
		return b, fmt.Errorf("it is over %d characters long; %s", MaxBunker, bunkerLooks)
	case strings.HasPrefix(text, "nsec1") || strings.HasPrefix(text, "ncryptsec1"):
		return b, errors.New("it is a secret key; use Import a key for it")
	case !found:
		return b, errors.New(bunkerLooks)
	case strings.EqualFold(scheme, inviteScheme):
		return b, errors.New("it begins with nostrconnect://, which goes from here to the signer; " + bunkerLooks)
	case !strings.EqualFold(scheme, bunkerScheme):
		return b, fmt.Errorf("it begins with %.20q; %s", scheme+"://", bunkerLooks)
	}
	key, query, _ := strings.Cut(rest, "?")
	if key = strings.ToLower(strings.TrimSuffix(key, "/")); !verify.IsPublicKey(key) {
		return b, errors.New("behind bunker:// there must be the signer's public key, 64 hex digits; copy the whole address")
	}
	b.PubKey = key
	values, err := url.ParseQuery(query)
	if err != nil {
		return b, errors.New("it has a broken % sign in it; copy the whole address again")
	}
	if b.Relays, err = signerRelays(values["relay"]); err != nil {
		return b, err
	}
	if b.Secret = values.Get("secret"); len(b.Secret) > MaxBunkerSecret {
		return b, fmt.Errorf("its secret is over %d characters long", MaxBunkerSecret)
	}
	return b, nil
}

// signerRelays brings relays of a signer to normal form: each once, the first
// MaxSignerRelays of them.
func signerRelays(raw []string) ([]string, error) {
	var urls []string
	for _, text := range raw {
		normal, err := relay.Normalize(text)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(urls, normal) && len(urls) < MaxSignerRelays {
			urls = append(urls, normal)
		}
	}
	if len(urls) == 0 {
		return nil, errors.New("it names no relay (relay=wss://...); copy the whole address")
	}
	return urls, nil
}

// String is the address, as ParseBunker reads it.
func (b Bunker) String() string {
	return bunkerScheme + "://" + b.PubKey + "?" + query(b.Relays, "secret", b.Secret)
}

// query writes relays and further pairs of names and values; empty values are
// left out.
func query(relays []string, pairs ...string) string {
	var parts []string
	add := func(name, value string) {
		// Not every signer reads + as a space.
		parts = append(parts, name+"="+strings.ReplaceAll(url.QueryEscape(value), "+", "%20"))
	}
	for _, r := range relays {
		add("relay", r)
	}
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			add(pairs[i], pairs[i+1])
		}
	}
	return strings.Join(parts, "&")
}
