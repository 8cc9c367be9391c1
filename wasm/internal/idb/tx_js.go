package idb

import (
	"context"
	"syscall/js"

	"parley/wasm/internal/jsx"
)

// Tx is a transaction while its requests are being made.
type Tx struct{ value js.Value }

// Request is one request of a transaction. Its result may be read once Do has
// returned without an error.
type Request struct{ value js.Value }

// Do runs a transaction over some object stores. body makes all requests and
// must not wait. Do returns when the transaction is complete, or with the
// error that aborted it; after an error nothing of it was kept. When ctx ends
// first Do returns ctx's error while the transaction goes on.
func (db *DB) Do(ctx context.Context, mode Mode, stores []string, body func(tx Tx) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := db.err(); err != nil {
		return err
	}
	names := make([]any, len(stores))
	for i, name := range stores {
		names[i] = name
	}
	var tx js.Value
	if err := jsx.Try(func() { tx = db.begin(mode, names) }); err != nil {
		return err
	}
	// An error event that nobody stops always ends in an abort event.
	outcome := outcomeOf(tx, "complete", "abort")
	var failed error
	if err := jsx.Try(func() { failed = body(Tx{tx}) }); err != nil {
		failed = err
	}
	if failed != nil {
		// An abort that throws means that the browser was first, and knows why.
		abort := jsx.Try(func() { tx.Call("abort") })
		if err := <-outcome; abort != nil && err != nil {
			return err
		}
		return failed
	}
	select {
	case err := <-outcome:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (db *DB) begin(mode Mode, names []any) js.Value {
	if mode == ReadWriteStrict {
		return db.value.Call("transaction", names, string(ReadWrite), map[string]any{"durability": "strict"})
	}
	return db.value.Call("transaction", names, string(mode))
}

// Source is an object store or an index of one.
type Source struct{ value js.Value }

// Store gives an object store of the transaction.
func (tx Tx) Store(name string) Source { return Source{tx.value.Call("objectStore", name)} }

// Index gives an index of an object store.
func (s Source) Index(name string) Source { return Source{s.value.Call("index", name)} }

// Put keeps a value under the key in its key path.
func (s Source) Put(value any) { s.value.Call("put", value) }

// PutAt keeps a value under a key, in a store without a key path.
func (s Source) PutAt(key string, value any) { s.value.Call("put", value, key) }

// AddAt keeps a value under a key that has none yet, in a store without a key
// path; where it has one the transaction fails with ConstraintError.
func (s Source) AddAt(key string, value any) { s.value.Call("add", value, key) }

// Delete forgets what is kept under a key.
func (s Source) Delete(key string) { s.value.Call("delete", key) }

// Clear forgets everything in the object store.
func (s Source) Clear() { s.value.Call("clear") }

// Get asks for the value under a key.
func (s Source) Get(key string) Request { return Request{s.value.Call("get", key)} }

// All asks for the values whose keys are in a range, in key order and then,
// in an index, in order of the primary key; at most limit of them, 0 for all.
func (s Source) All(r Range, limit int) Request { return s.all("getAll", r, limit) }

// AllKeys asks for the primary keys of the same.
func (s Source) AllKeys(r Range, limit int) Request { return s.all("getAllKeys", r, limit) }

func (s Source) all(method string, r Range, limit int) Request {
	bounds := js.Null()
	if r != (Range{}) {
		bounds = js.Global().Get("IDBKeyRange").Call("bound", r.From, r.To)
	}
	if limit > 0 {
		return Request{s.value.Call(method, bounds, limit)}
	}
	return Request{s.value.Call(method, bounds)}
}

// Range is all keys from one to another, both included; the zero Range is all.
type Range struct{ From, To string }

// Result is what the request gave: undefined when Get found nothing.
func (r Request) Result() js.Value { return r.value.Get("result") }

// Values gives the members of a JavaScript array.
func Values(array js.Value) []js.Value {
	list := make([]js.Value, array.Length())
	for i := range list {
		list[i] = array.Index(i)
	}
	return list
}

// Words makes a JavaScript array of the words between single spaces.
func Words(text string) js.Value {
	// Methods can be called on the String object, not on the bare string.
	return js.Global().Get("String").New(text).Call("split", " ")
}

// Bytes makes a JavaScript array of bytes.
func Bytes(b []byte) js.Value {
	array := js.Global().Get("Uint8Array").New(len(b))
	js.CopyBytesToJS(array, b)
	return array
}

// GoBytes copies a JavaScript array of bytes.
func GoBytes(value js.Value) []byte {
	b := make([]byte, value.Get("length").Int())
	js.CopyBytesToGo(b, value)
	return b
}
