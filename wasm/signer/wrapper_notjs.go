//go:build !js

package signer

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"fmt"
)

// memoryWrapper seals with a key of this process; what it sealed is lost with
// it. It stands in for the browser's where there is none.
type memoryWrapper struct{ aead cipher.AEAD }

// NewWrapper gives the wrapper of this process.
func NewWrapper(context.Context) (Wrapper, error) {
	var key [32]byte
	if _, err := rand.Read(key[:]); err != nil {
		return nil, fmt.Errorf("make a wrapping key: %w", err)
	}
	block, err := aes.NewCipher(key[:])
	if err != nil {
		return nil, fmt.Errorf("make a wrapping key: %w", err)
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		return nil, fmt.Errorf("make a wrapping key: %w", err)
	}
	return memoryWrapper{aead}, nil
}

func (w memoryWrapper) Wrap(_ context.Context, secret []byte) ([]byte, error) {
	return w.aead.Seal(nil, nil, secret, nil), nil
}

func (w memoryWrapper) Unwrap(_ context.Context, sealed []byte) ([]byte, error) {
	secret, err := w.aead.Open(nil, nil, sealed, nil)
	if err != nil {
		return nil, fmt.Errorf("open a sealed secret: %w", err)
	}
	return secret, nil
}

// Wipe forgets the wrapping key: what it sealed can never be opened again.
func Wipe(context.Context, Wrapper) error { return nil }
