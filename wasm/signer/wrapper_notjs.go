//go:build !js

package signer

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"sync"
)

// memoryWrapper has its key in memory; it stands in for the browser in tests.
type memoryWrapper struct {
	mu   sync.Mutex
	aead cipher.AEAD
}

// NewWrapper makes a wrapper whose key lives as long as the process.
func NewWrapper(context.Context) (Wrapper, error) { return new(memoryWrapper), nil }

func (w *memoryWrapper) key() (cipher.AEAD, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.aead != nil {
		return w.aead, nil
	}
	key := make([]byte, 32)
	rand.Read(key)
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	w.aead, err = cipher.NewGCM(block)
	return w.aead, err
}

func (w *memoryWrapper) Wrap(_ context.Context, secret []byte) ([]byte, error) {
	aead, err := w.key()
	if err != nil {
		return nil, err
	}
	nonce := make([]byte, nonceSize)
	rand.Read(nonce)
	return aead.Seal(nonce, nonce, secret, nil), nil
}

func (w *memoryWrapper) Unwrap(_ context.Context, sealed []byte) ([]byte, error) {
	aead, err := w.key()
	if err != nil {
		return nil, err
	}
	if len(sealed) < nonceSize {
		return nil, ErrKeyStore
	}
	secret, err := aead.Open(nil, sealed[:nonceSize], sealed[nonceSize:], nil)
	if err != nil {
		return nil, ErrKeyStore
	}
	return secret, nil
}

func (w *memoryWrapper) wipe(context.Context) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.aead = nil
	return nil
}
