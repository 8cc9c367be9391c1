// Package nip44 encrypts and decrypts NIP-44 version 2 payloads, with the
// extended length prefix for plaintexts of 65,536 bytes and more (June 2026).
//
// The package is pure: no clock, no goroutine, no network; randomness comes in
// as an argument. NIP-44 wants the signature of the surrounding event checked
// before anything is decrypted; that is the caller's part.
package nip44

import (
	"errors"
	"io"
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
	// NonceSize is the size of a nonce in bytes.
	NonceSize = 32
)

var (
	// ErrKey tells of a secret key outside 1..n-1 or a public key that is not
	// 64 lowercase hex digits of a point on the curve.
	ErrKey = errors.New("not a valid key")
	// ErrLength tells of a plaintext or payload outside the bounds.
	ErrLength = errors.New("length out of bounds")
	// ErrVersion tells of a payload of another version than 2.
	ErrVersion = errors.New("encryption version not supported")
	// ErrPayload tells of a payload that is not in the form of version 2.
	ErrPayload = errors.New("malformed payload")
	// ErrMAC tells of a payload changed on its way or made with another key.
	ErrMAC = errors.New("message authentication failed")
)

// ConversationKey derives the key shared by the owner of secret and the owner
// of pubkeyHex: 64 hex digits, the x coordinate of NIP-01. It costs a curve
// multiplication; keep the result, see Cache. Errors wrap ErrKey.
func ConversationKey(secret [32]byte, pubkeyHex string) ([32]byte, error) {
	return conversationKey(secret, pubkeyHex)
}

// Encrypt returns the base64 payload of plaintext under a conversation key. A
// nonce is used once only: EncryptRand draws it. Errors wrap ErrLength.
func Encrypt(plaintext string, key [32]byte, nonce [32]byte) (string, error) {
	return encrypt(plaintext, &key, &nonce)
}

// EncryptRand is Encrypt with a nonce read from rand, which must be
// cryptographically secure.
func EncryptRand(plaintext string, key [32]byte, rand io.Reader) (string, error) {
	return encryptRand(plaintext, &key, rand)
}

// Decrypt returns the plaintext of a payload. The MAC is compared in constant
// time before anything is decrypted. Errors wrap ErrVersion, ErrLength,
// ErrPayload or ErrMAC.
func Decrypt(payload string, key [32]byte) (string, error) {
	return decrypt(payload, &key)
}
