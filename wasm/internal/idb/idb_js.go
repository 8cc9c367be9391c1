// Package idb is the browser's IndexedDB as typed Go: open a database, run a
// transaction, read the results. It holds every syscall/js call that storage
// needs. A transaction's requests are all made before it is waited for, so
// none depends on the answer of another: a transaction ends by itself once
// the event loop finds it idle, and a Go program cannot promise not to be.
package idb

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"syscall/js"
)

// Error is a DOMException, or one of our own names below.
type Error struct {
	// Name is the exception's name, such as QuotaExceededError.
	Name string
	// Message is the browser's own text.
	Message string
}

func (e *Error) Error() string { return e.Name + ": " + e.Message }

// Names of our own, beside those of the browser.
const (
	// Missing: there is no IndexedDB here.
	Missing = "Missing"
	// Blocked: another connection to an older version did not close in time.
	Blocked = "Blocked"
	// Lost: the connection was closed under us.
	Lost = "Lost"
)

// Mode says what a transaction may do.
type Mode string

// The modes of a transaction. Strict waits until the disk has it.
const (
	ReadOnly        Mode = "readonly"
	ReadWrite       Mode = "readwrite"
	ReadWriteStrict Mode = "strict"
)

// DB is an open database.
type DB struct {
	value js.Value

	mu    sync.Mutex
	lost  error
	funcs []js.Func
}

// Upgrade makes the object stores of a database. It runs inside the browser's
// upgrade event, because they can be made only there: it must not wait.
type Upgrade struct{ db js.Value }

// Index describes an index of an object store.
type Index struct {
	Name, Path string
	// Multi indexes each member of an array under its own key.
	Multi bool
}

// Store makes an object store. An empty keyPath means that keys are given
// with each Put.
func (u Upgrade) Store(name, keyPath string, indexes ...Index) {
	options := map[string]any{}
	if keyPath != "" {
		options["keyPath"] = keyPath
	}
	store := u.db.Call("createObjectStore", name, options)
	for _, ix := range indexes {
		store.Call("createIndex", ix.Name, ix.Path, map[string]any{"multiEntry": ix.Multi})
	}
}

// Open opens a database at a version, calling upgrade with the version it had
// (0 for a new one) when that is older. It ends with ctx; a connection that
// is granted later is closed at once, so that it stands in nobody's way.
// Blocked is reported as an error only when ctx ends while blocked.
func Open(ctx context.Context, name string, version int, upgrade func(old int, u Upgrade)) (*DB, error) {
	factory, err := factory()
	if err != nil {
		return nil, err
	}
	var request js.Value
	if err := try(func() { request = factory.Call("open", name, version) }); err != nil {
		return nil, err
	}
	blocked := false
	outcome := make(chan error, 1)
	var once sync.Once
	var listeners []func()
	end := func(err error) {
		once.Do(func() {
			outcome <- err
			for _, remove := range listeners {
				remove()
			}
		})
	}
	var abandoned bool // read and written between events only: one thread
	listeners = []func(){
		listen(request, "upgradeneeded", func(ev js.Value) {
			upgrade(ev.Get("oldVersion").Int(), Upgrade{request.Get("result")})
		}),
		listen(request, "blocked", func(js.Value) { blocked = true }),
		listen(request, "error", func(js.Value) { end(fromJS(request.Get("error"))) }),
		listen(request, "success", func(js.Value) {
			if abandoned {
				request.Get("result").Call("close")
			}
			end(nil)
		}),
	}
	select {
	case err := <-outcome:
		if err != nil {
			return nil, err
		}
		return newDB(request.Get("result")), nil
	case <-ctx.Done():
		abandoned = true
		select {
		case err := <-outcome: // at the same moment
			if err == nil {
				request.Get("result").Call("close")
			}
		default:
		}
		if blocked {
			return nil, &Error{Blocked, "another tab holds an older version of " + name}
		}
		return nil, fmt.Errorf("open database %s: %w", name, context.Cause(ctx))
	}
}

func newDB(value js.Value) *DB {
	db := &DB{value: value}
	drop := func(why string) func(js.Value) {
		return func(js.Value) { db.end(&Error{Lost, why}) }
	}
	db.on("versionchange", drop("another tab upgrades or deletes the database"))
	db.on("close", drop("the browser closed the database"))
	return db
}

func (db *DB) on(event string, f func(js.Value)) {
	fn := js.FuncOf(func(_ js.Value, args []js.Value) any {
		f(args[0])
		return nil
	})
	db.funcs = append(db.funcs, fn)
	db.value.Set("on"+event, fn)
}

// end closes the connection; the first reason stays.
func (db *DB) end(why error) {
	db.mu.Lock()
	defer db.mu.Unlock()
	if db.lost != nil {
		return
	}
	db.lost = why
	db.value.Set("onversionchange", nil)
	db.value.Set("onclose", nil)
	db.value.Call("close")
	for _, fn := range db.funcs {
		fn.Release()
	}
}

// ErrClosed is what a closed database gives.
var ErrClosed = errors.New("idb: closed")

// Close ends the connection. Transactions under way are finished.
func (db *DB) Close() { db.end(ErrClosed) }

func (db *DB) err() error {
	db.mu.Lock()
	defer db.mu.Unlock()
	return db.lost
}

// Delete deletes a whole database. Other connections are asked to close; when
// they do not before ctx ends, that is an error, and the deletion happens
// when the last of them is gone.
func Delete(ctx context.Context, name string) error {
	factory, err := factory()
	if err != nil {
		return err
	}
	var request js.Value
	if err := try(func() { request = factory.Call("deleteDatabase", name) }); err != nil {
		return err
	}
	outcome := make(chan error, 1)
	var listeners []func()
	end := func(err error) {
		outcome <- err
		for _, remove := range listeners {
			remove()
		}
	}
	listeners = []func(){
		listen(request, "success", func(js.Value) { end(nil) }),
		listen(request, "error", func(js.Value) { end(fromJS(request.Get("error"))) }),
	}
	select {
	case err := <-outcome:
		return err
	case <-ctx.Done():
		return fmt.Errorf("delete database %s: other tabs hold it open: %w", name, context.Cause(ctx))
	}
}

func factory() (js.Value, error) {
	var value js.Value
	// Reading the property throws in a sandboxed frame.
	if err := try(func() { value = js.Global().Get("indexedDB") }); err != nil {
		return js.Value{}, err
	}
	if !value.Truthy() {
		return js.Value{}, &Error{Missing, "this browser has no IndexedDB"}
	}
	return value, nil
}

// listen adds a listener and gives what removes and releases it.
func listen(target js.Value, event string, f func(ev js.Value)) (remove func()) {
	fn := js.FuncOf(func(_ js.Value, args []js.Value) any {
		f(args[0])
		return nil
	})
	target.Call("addEventListener", event, fn)
	return func() {
		target.Call("removeEventListener", event, fn)
		fn.Release()
	}
}

// try turns a thrown exception into an error, and lets real panics through.
func try(f func()) (err error) {
	defer func() {
		switch thrown := recover().(type) {
		case nil:
		case js.Error:
			err = fromJS(thrown.Value)
		default:
			panic(thrown)
		}
	}()
	f()
	return nil
}

// fromJS gives the error of a DOMException or whatever else was thrown.
func fromJS(value js.Value) error {
	if value.Type() != js.TypeObject {
		return &Error{"UnknownError", "the browser gave no reason"}
	}
	return &Error{value.Get("name").String(), value.Get("message").String()}
}
