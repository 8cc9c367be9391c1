package signer

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"sync"
	"syscall/js"

	"parley/wasm/internal/idb"
	"parley/wasm/internal/jsx"
)

// The database of the one key, apart from all other data.
const (
	keyDatabase = "parley-keys"
	keyStore    = "keys"
	keyName     = "wrap"
)

// webWrapper seals with AES-GCM under a CryptoKey that cannot be exported; the
// browser keeps it in IndexedDB.
type webWrapper struct {
	mu    sync.Mutex
	value js.Value // the CryptoKey, undefined until it is read
}

// NewWrapper makes the wrapper of this browser and reads or makes its key. With
// an error, which wraps ErrNoWebCrypto on plain http, the wrapper is there all
// the same and tries again whenever it is used.
func NewWrapper(ctx context.Context) (Wrapper, error) {
	w := new(webWrapper)
	_, err := w.key(ctx)
	return w, err
}

func subtle() (js.Value, error) {
	crypto := js.Global().Get("crypto")
	if !crypto.Truthy() || !crypto.Get("subtle").Truthy() {
		return js.Value{}, ErrNoWebCrypto
	}
	return crypto.Get("subtle"), nil
}

func (w *webWrapper) key(ctx context.Context) (js.Value, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.value.Truthy() {
		return w.value, nil
	}
	subtle, err := subtle()
	if err != nil {
		return js.Value{}, err
	}
	db, err := idb.Open(ctx, keyDatabase, 1, func(_ int, u idb.Upgrade) { u.Store(keyStore, "") })
	if err != nil {
		return js.Value{}, fmt.Errorf("open this browser's key store: %w", err)
	}
	defer db.Close()
	value, err := readKey(ctx, db)
	if err == nil && !value.Truthy() {
		value, err = makeKey(ctx, db, subtle)
	}
	if err != nil {
		return js.Value{}, fmt.Errorf("read this browser's key store: %w", err)
	}
	w.value = value
	return value, nil
}

func readKey(ctx context.Context, db *idb.DB) (js.Value, error) {
	var request idb.Request
	err := db.Do(ctx, idb.ReadOnly, []string{keyStore}, func(tx idb.Tx) error {
		request = tx.Store(keyStore).Get(keyName)
		return nil
	})
	if err != nil {
		return js.Value{}, err
	}
	return request.Result(), nil
}

// makeKey makes and keeps a key. Another tab may do so at the same moment: the
// first one stands, since something may have been sealed with it.
func makeKey(ctx context.Context, db *idb.DB, subtle js.Value) (js.Value, error) {
	algorithm := map[string]any{"name": "AES-GCM", "length": 256}
	value, err := promised(ctx, func() js.Value {
		return subtle.Call("generateKey", algorithm, false, []any{"encrypt", "decrypt"})
	})
	if err != nil {
		return js.Value{}, err
	}
	err = db.Do(ctx, idb.ReadWriteStrict, []string{keyStore}, func(tx idb.Tx) error {
		tx.Store(keyStore).AddAt(keyName, value)
		return nil
	})
	var thrown *idb.Error
	if errors.As(err, &thrown) && thrown.Name == "ConstraintError" {
		return readKey(ctx, db)
	}
	return value, err
}

// promised calls JavaScript for a promise and waits for it.
func promised(ctx context.Context, call func() js.Value) (js.Value, error) {
	var promise js.Value
	if err := jsx.Try(func() { promise = call() }); err != nil {
		return js.Value{}, err
	}
	return jsx.Await(ctx, promise)
}

func (w *webWrapper) Wrap(ctx context.Context, secret []byte) ([]byte, error) {
	nonce := make([]byte, nonceSize)
	rand.Read(nonce)
	sealed, err := w.apply(ctx, "encrypt", nonce, secret)
	if err != nil {
		return nil, fmt.Errorf("seal with this browser's key: %w", err)
	}
	return append(nonce, sealed...), nil
}

func (w *webWrapper) Unwrap(ctx context.Context, sealed []byte) ([]byte, error) {
	if len(sealed) < nonceSize {
		return nil, ErrKeyStore
	}
	secret, err := w.apply(ctx, "decrypt", sealed[:nonceSize], sealed[nonceSize:])
	var thrown *jsx.Error
	if errors.As(err, &thrown) && thrown.Name == "OperationError" {
		return nil, ErrKeyStore
	}
	if err != nil {
		return nil, fmt.Errorf("open with this browser's key: %w", err)
	}
	return secret, nil
}

// apply calls encrypt or decrypt, and leaves no copy of its data in JavaScript.
func (w *webWrapper) apply(ctx context.Context, method string, nonce, data []byte) ([]byte, error) {
	key, err := w.key(ctx)
	if err != nil {
		return nil, err
	}
	subtle, err := subtle()
	if err != nil {
		return nil, err
	}
	in := idb.Bytes(data)
	defer in.Call("fill", 0)
	algorithm := map[string]any{"name": "AES-GCM", "iv": idb.Bytes(nonce)}
	buffer, err := promised(ctx, func() js.Value { return subtle.Call(method, algorithm, key, in) })
	if err != nil {
		return nil, err
	}
	out := js.Global().Get("Uint8Array").New(buffer)
	defer out.Call("fill", 0)
	return idb.GoBytes(out), nil
}

func (w *webWrapper) wipe(ctx context.Context) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.value = js.Undefined()
	return idb.Delete(ctx, keyDatabase)
}
