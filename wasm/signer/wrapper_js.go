package signer

import (
	"context"
	"errors"
	"fmt"
	"syscall/js"

	"parley/wasm/internal/jsx"
)

const (
	keyDatabase = "parley-keys"
	keyStore    = "keys"
	keyName     = "wrap"
	nonceSize   = 12 // of AES-GCM, in bytes; it stands before the sealed text
)

// browserWrapper seals with an AES-GCM key that WebCrypto does not let out:
// neither we nor who copies the database can read it.
type browserWrapper struct{ subtle, key js.Value }

// NewWrapper gives this browser's wrapping key, making it on first use. On
// plain http outside localhost there is no WebCrypto: ErrNoWebCrypto.
func NewWrapper(ctx context.Context) (Wrapper, error) {
	subtle := js.Global().Get("crypto").Get("subtle")
	if subtle.IsUndefined() {
		return nil, ErrNoWebCrypto
	}
	key, err := loadKey(ctx, subtle)
	if err != nil {
		return nil, fmt.Errorf("open this browser's key store: %w", err)
	}
	return &browserWrapper{subtle, key}, nil
}

func (w *browserWrapper) Wrap(ctx context.Context, secret []byte) ([]byte, error) {
	nonce := js.Global().Get("Uint8Array").New(nonceSize)
	js.Global().Get("crypto").Call("getRandomValues", nonce)
	sealed, err := jsx.Await(ctx, w.subtle.Call("encrypt", algorithm(nonce), w.key, toJS(secret)))
	if err != nil {
		return nil, fmt.Errorf("seal a secret: %w", err)
	}
	return append(toGo(nonce), toGo(js.Global().Get("Uint8Array").New(sealed))...), nil
}

func (w *browserWrapper) Unwrap(ctx context.Context, sealed []byte) ([]byte, error) {
	if len(sealed) < nonceSize {
		return nil, errors.New("open a sealed secret: it is too short")
	}
	secret, err := jsx.Await(ctx, w.subtle.Call("decrypt", algorithm(toJS(sealed[:nonceSize])), w.key, toJS(sealed[nonceSize:])))
	if err != nil {
		return nil, fmt.Errorf("open a sealed secret: this browser's key is another one: %w", err)
	}
	return toGo(js.Global().Get("Uint8Array").New(secret)), nil
}

// Wipe forgets the wrapping key: what it sealed can never be opened again.
func Wipe(ctx context.Context, w Wrapper) error {
	request := js.Global().Get("indexedDB").Call("deleteDatabase", keyDatabase)
	_, err := settle(ctx, request)
	if err != nil {
		return fmt.Errorf("forget this browser's key: %w", err)
	}
	if b, ok := w.(*browserWrapper); ok { // sign-ins from now on have a new one
		b.key, err = loadKey(ctx, b.subtle)
	}
	return err
}

func algorithm(nonce js.Value) map[string]any {
	return map[string]any{"name": "AES-GCM", "iv": nonce}
}

// loadKey reads the key, or makes it. A CryptoKey can be kept in IndexedDB as
// it is, without ever being seen.
func loadKey(ctx context.Context, subtle js.Value) (js.Value, error) {
	db, err := openKeys(ctx)
	if err != nil {
		return js.Undefined(), err
	}
	defer db.Call("close")
	have, err := settle(ctx, keys(db, "readonly").Call("get", keyName))
	if err != nil || have.Truthy() {
		return have, err
	}
	made, err := jsx.Await(ctx, subtle.Call("generateKey",
		map[string]any{"name": "AES-GCM", "length": 256}, false, []any{"encrypt", "decrypt"}))
	if err != nil {
		return js.Undefined(), err
	}
	// add, not put: where another tab was quicker its key is the one.
	if _, err := settle(ctx, keys(db, "readwrite").Call("add", made, keyName)); err == nil {
		return made, nil
	}
	have, err = settle(ctx, keys(db, "readonly").Call("get", keyName))
	if err == nil && !have.Truthy() {
		err = errors.New("the key cannot be kept")
	}
	return have, err
}

func keys(db js.Value, mode string) js.Value {
	return db.Call("transaction", keyStore, mode).Call("objectStore", keyStore)
}

func openKeys(ctx context.Context) (js.Value, error) {
	factory := js.Global().Get("indexedDB")
	if !factory.Truthy() {
		return js.Undefined(), errors.New("this browser has no database for it")
	}
	request := factory.Call("open", keyDatabase, 1)
	remove := jsx.Listen(request, "upgradeneeded", func(js.Value) {
		request.Get("result").Call("createObjectStore", keyStore)
	})
	defer remove()
	return settle(ctx, request)
}

// settle waits for an IndexedDB request.
func settle(ctx context.Context, request js.Value) (js.Value, error) {
	done := make(chan error, 2)
	removeOK := jsx.Listen(request, "success", func(js.Value) { done <- nil })
	defer removeOK()
	removeBad := jsx.Listen(request, "error", func(event js.Value) {
		event.Call("preventDefault")
		done <- jsx.Reason(request.Get("error"))
	})
	defer removeBad()
	select {
	case err := <-done:
		if err != nil {
			return js.Undefined(), err
		}
		return request.Get("result"), nil
	case <-ctx.Done():
		return js.Undefined(), ctx.Err()
	}
}

func toJS(b []byte) js.Value {
	array := js.Global().Get("Uint8Array").New(len(b))
	js.CopyBytesToJS(array, b)
	return array
}

func toGo(array js.Value) []byte {
	b := make([]byte, array.Length())
	js.CopyBytesToGo(b, array)
	return b
}
