package agent

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
)

// coverUse is what the journal's key is for, so that nothing else has it.
const coverUse = "parley agent journal"

// cover keeps the lines of the journal from everybody without the agent's key:
// what was said in sessions goes over the wire encrypted, and a copy of the
// folder must not tell it either. It is of use where the key comes from the
// environment; one that is kept in the same folder opens it.
//
// A line is base64 of AES-256-GCM with a random nonce, under a key that HKDF
// derives from the secret one.
type cover struct{ aead cipher.AEAD }

func newCover(secret [32]byte) (cover, error) {
	key, err := hkdf.Key(sha256.New, secret[:], nil, coverUse, 32)
	if err != nil {
		return cover{}, err
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return cover{}, err
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	return cover{aead}, err
}

// line is an entry as it is written, with the end of the line.
func (c cover) line(e entry) ([]byte, error) {
	plain, err := json.Marshal(e)
	if err != nil {
		return nil, fmt.Errorf("writing the agent's journal: %w", err)
	}
	sealed := c.aead.Seal(nil, nil, plain, nil)
	return append(base64.RawStdEncoding.AppendEncode(nil, sealed), '\n'), nil
}

// errCovered is of a line that is whole and was written with another key, or
// was damaged.
var errCovered = errors.New("the line cannot be opened")

// entry reads a line without its end. Journals of early versions were not
// covered; theirs begin with a brace.
func (c cover) entry(line []byte) (e entry, err error) {
	plain := line
	if line[0] != '{' {
		sealed, err := base64.RawStdEncoding.DecodeString(string(line))
		if err != nil {
			return e, err
		}
		if plain, err = c.aead.Open(nil, nil, sealed, nil); err != nil {
			return e, errCovered
		}
	}
	return e, json.Unmarshal(plain, &e)
}
