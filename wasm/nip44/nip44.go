// Package nip44 encrypts and decrypts NIP-44 version 2 payloads, with the
// extended length prefix for plaintexts of 65,536 bytes and more (June 2026).
//
// The package is pure: no clock, no goroutine, no network; randomness comes in
// as an argument. NIP-44 wants the signature of the surrounding event checked
// before anything is decrypted; that is the caller's part.
package nip44

import (
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"golang.org/x/crypto/chacha20"

	"parley/wasm/internal/sha256"
)

const (
	// MinPlaintext is the least number of bytes that can be encrypted (NIP-44).
	MinPlaintext = 1
	// MaxPlaintext is the greatest number of plaintext bytes taken in either
	// direction. NIP-44 allows 4 GiB and asks for a bound of one's own; this one
	// is several times what a relay forwards in one event.
	MaxPlaintext = 8 << 20
	// ExtendedThreshold is the first plaintext length with the 6-byte prefix.
	ExtendedThreshold = 65536
	// MinPayload is the least number of base64 characters of a payload.
	MinPayload = 132
	// MaxPayload is the number of base64 characters MaxPlaintext makes.
	MaxPayload = (1 + NonceSize + extendedPrefix + MaxPlaintext + macSize + 2) / 3 * 4
	// NonceSize is the size of a nonce in bytes.
	NonceSize = 32
)

const (
	version        = 2
	macSize        = sha256.Size
	shortPrefix    = 2
	extendedPrefix = 6
	// minRaw is the least number of bytes of a decoded payload.
	minRaw = 1 + NonceSize + shortPrefix + 32 + macSize
)

var (
	// ErrKey tells of a secret key outside 1..n-1, or of a public key that is not
	// 64 lowercase hex digits of a point on the curve.
	ErrKey = errors.New("not a valid key")
	// ErrLength tells of a plaintext or payload outside the bounds.
	ErrLength = errors.New("length out of bounds")
	// ErrText tells of a plaintext that is not UTF-8.
	ErrText = errors.New("plaintext is not UTF-8")
	// ErrVersion tells of a payload of another version than 2.
	ErrVersion = errors.New("encryption version not supported")
	// ErrPayload tells of a payload that is not in the form of version 2.
	ErrPayload = errors.New("malformed payload")
	// ErrMAC tells of a payload changed on its way or made with another key.
	ErrMAC = errors.New("message authentication failed")
)

// Encrypt returns the base64 payload of plaintext under a conversation key. A
// nonce is used once only: EncryptRand draws it. Errors wrap ErrLength or
// ErrText.
func Encrypt(plaintext string, key [32]byte, nonce [32]byte) (string, error) {
	if n := len(plaintext); n < MinPlaintext || n > MaxPlaintext {
		return "", fmt.Errorf("nip44: encrypting %d bytes, not %d to %d: %w", n, MinPlaintext, MaxPlaintext, ErrLength)
	}
	if !utf8.ValidString(plaintext) {
		return "", fmt.Errorf("nip44: encrypting: %w", ErrText)
	}
	keys := messageKeys(&key, &nonce)
	raw := make([]byte, 0, 1+NonceSize+extendedPrefix+paddedLen(len(plaintext))+macSize)
	raw = append(raw, version)
	raw = append(raw, nonce[:]...)
	raw = appendPadded(raw, plaintext)
	keys.xor(raw[1+NonceSize:])
	mac := keys.mac(raw[1:])
	return base64.StdEncoding.EncodeToString(append(raw, mac[:]...)), nil
}

// EncryptRand is Encrypt with a nonce read from rand, which must be
// cryptographically secure.
func EncryptRand(plaintext string, key [32]byte, rand io.Reader) (string, error) {
	var nonce [32]byte
	if _, err := io.ReadFull(rand, nonce[:]); err != nil {
		return "", fmt.Errorf("nip44: drawing a nonce: %w", err)
	}
	return Encrypt(plaintext, key, nonce)
}

// Decrypt returns the plaintext of a payload. The MAC is compared in constant
// time before anything is decrypted. Errors wrap ErrVersion, ErrLength,
// ErrPayload, ErrMAC or ErrText.
func Decrypt(payload string, key [32]byte) (string, error) {
	raw, err := decodePayload(payload)
	if err != nil {
		return "", fmt.Errorf("nip44: decrypting: %w", err)
	}
	end := len(raw) - macSize
	keys := messageKeys(&key, (*[32]byte)(raw[1:]))
	mac := keys.mac(raw[1:end])
	if subtle.ConstantTimeCompare(mac[:], raw[end:]) != 1 {
		return "", fmt.Errorf("nip44: decrypting: %w", ErrMAC)
	}
	padded := raw[1+NonceSize : end]
	keys.xor(padded)
	text, err := unpad(padded)
	if err != nil {
		return "", fmt.Errorf("nip44: decrypting: %w", err)
	}
	if !utf8.Valid(text) {
		return "", fmt.Errorf("nip44: decrypting: %w", ErrText)
	}
	return string(text), nil
}

// CheckPayload tells whether a text has the form of a payload, which needs no
// key. Errors wrap ErrVersion, ErrLength or ErrPayload.
func CheckPayload(payload string) error {
	if _, err := decodePayload(payload); err != nil {
		return fmt.Errorf("nip44: checking a payload: %w", err)
	}
	return nil
}

// decodePayload returns version, nonce, ciphertext and MAC in one slice.
func decodePayload(payload string) ([]byte, error) {
	switch n := len(payload); {
	case n > 0 && payload[0] == '#':
		return nil, fmt.Errorf("payload begins with #: %w", ErrVersion)
	case n < MinPayload || n > MaxPayload:
		return nil, fmt.Errorf("payload of %d characters, not %d to %d: %w", n, MinPayload, MaxPayload, ErrLength)
	}
	raw, ok := decode64(payload)
	if !ok {
		return nil, fmt.Errorf("payload is not base64: %w", ErrPayload)
	}
	if raw[0] != version {
		return nil, fmt.Errorf("version %d: %w", raw[0], ErrVersion)
	}
	if len(raw) < minRaw {
		return nil, fmt.Errorf("payload of %d bytes, not %d: %w", len(raw), minRaw, ErrLength)
	}
	return raw, nil
}

// keySet is what HKDF-expand makes of a conversation key and a nonce.
type keySet struct {
	cipher [44]byte // ChaCha20 key and nonce
	hmac   [32]byte
}

// messageKeys is HKDF-expand (RFC 5869) of 76 bytes: three HMACs, each over the
// one before, the nonce and a counter.
func messageKeys(key, nonce *[32]byte) (k keySet) {
	prf := sha256.NewHMAC(key[:])
	var msg [32 + NonceSize + 1]byte
	copy(msg[32:], nonce[:])
	msg[64] = 1
	t1 := prf.Sum(msg[32:])
	copy(msg[:], t1[:])
	msg[64] = 2
	t2 := prf.Sum(msg[:])
	copy(msg[:], t2[:])
	msg[64] = 3
	t3 := prf.Sum(msg[:])
	copy(k.cipher[:], t1[:])
	copy(k.cipher[32:], t2[:12])
	copy(k.hmac[:], t2[12:])
	copy(k.hmac[20:], t3[:12])
	return k
}

func (k *keySet) mac(nonceAndCiphertext []byte) [macSize]byte {
	m := sha256.NewHMAC(k.hmac[:])
	return m.Sum(nonceAndCiphertext)
}

// xor encrypts or decrypts p in place.
func (k *keySet) xor(p []byte) {
	c, err := chacha20.NewUnauthenticatedCipher(k.cipher[:32], k.cipher[32:])
	if err != nil {
		panic(err) // only for other sizes of key and nonce
	}
	c.XORKeyStream(p, p)
}
