package signer

import (
	"encoding/hex"
	"fmt"
	"strings"
)

const (
	nsecPrefix      = "nsec"
	ncryptsecPrefix = "ncryptsec"
)

// MaxSecret is the longest text that is searched for a key, in bytes: a backup
// file with room for words around the key.
const MaxSecret = 4096

// accepted tells what would have been right.
const accepted = "a secret key begins with nsec1 or ncryptsec1, or has 64 hex digits"

// given is a secret key as a person gave it: plain, or an ncryptsec.
type given struct {
	secret    [32]byte
	ncryptsec string // as given, "" for a plain key
}

// readSecret reads what a person pasted: nsec, 64 hex digits or ncryptsec, alone
// or as the one key within a backup file. Errors wrap ErrNotKey, ErrPublicKey or
// ErrChecksum and say what was given and what is accepted.
func readSecret(text string) (g given, err error) {
	word, err := oneWord(text)
	if err != nil {
		return g, err
	}
	if raw, err := hex.DecodeString(word); err == nil && len(raw) == len(g.secret) {
		copy(g.secret[:], raw)
		clear(raw)
		return g, nil
	}
	prefix, data, err := decodeBech32(word)
	switch known := knownPrefixes[prefix]; {
	case known != nil:
		return g, known
	case prefix == nsecPrefix || prefix == ncryptsecPrefix:
	case err != nil, prefix == "":
		return g, fmt.Errorf("%w: %s", ErrNotKey, accepted)
	default:
		return g, fmt.Errorf("%w: it begins with %.20s1; %s", ErrNotKey, prefix, accepted)
	}
	if err != nil {
		return g, err
	}
	if prefix == ncryptsecPrefix {
		if len(data) != ncryptsecSize {
			return g, fmt.Errorf("%w: an ncryptsec of %d bytes instead of %d", ErrNotKey, len(data), ncryptsecSize)
		}
		g.ncryptsec = strings.ToLower(word)
		return g, nil
	}
	if len(data) != len(g.secret) {
		return g, fmt.Errorf("%w: an nsec of %d bytes instead of %d", ErrNotKey, len(data), len(g.secret))
	}
	copy(g.secret[:], data)
	clear(data)
	return g, nil
}

// knownPrefixes are things of NIP-19 that people mistake for a secret key.
var knownPrefixes = map[string]error{
	"npub":     fmt.Errorf("%w: it begins with npub; everybody may know it. %s", ErrPublicKey, accepted),
	"nprofile": fmt.Errorf("%w: it begins with nprofile; everybody may know it. %s", ErrPublicKey, accepted),
	"note":     fmt.Errorf("%w: it names a message; %s", ErrNotKey, accepted),
	"nevent":   fmt.Errorf("%w: it names a message; %s", ErrNotKey, accepted),
	"naddr":    fmt.Errorf("%w: it names a page or a list; %s", ErrNotKey, accepted),
}

// oneWord finds the key within text.
func oneWord(text string) (string, error) {
	if len(text) > MaxSecret {
		return "", fmt.Errorf("%w: the text is over %d bytes long; %s", ErrNotKey, MaxSecret, accepted)
	}
	words := strings.Fields(text)
	switch len(words) {
	case 0:
		return "", fmt.Errorf("%w: nothing was given; %s", ErrNotKey, accepted)
	case 1:
		return strings.TrimPrefix(words[0], "nostr:"), nil
	}
	found := ""
	for _, w := range words {
		low := strings.ToLower(w)
		if strings.HasPrefix(low, nsecPrefix+"1") || strings.HasPrefix(low, ncryptsecPrefix+"1") {
			if found != "" && found != w {
				return "", fmt.Errorf("%w: several keys were given; give one", ErrNotKey)
			}
			found = w
		}
	}
	switch {
	case found != "":
		return found, nil
	case len(words) == 12 || len(words) == 24:
		return "", fmt.Errorf("%w: recovery words are not read here; %s", ErrNotKey, accepted)
	}
	return "", fmt.Errorf("%w: %s", ErrNotKey, accepted)
}

func nsec(secret [32]byte) string { return encodeBech32(nsecPrefix, secret[:]) }
