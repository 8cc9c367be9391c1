package idb

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"syscall/js"

	"parley/wasm/internal/jsx"
)

// Error is a DOMException, or one of our own by the names below.
type Error = jsx.Error

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

	mu     sync.Mutex
	lost   error
	remove []func()
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
	if err := jsx.Try(func() { request = factory.Call("open", name, version) }); err != nil {
		return nil, err
	}
	blocked := false
	outcome := outcomeOf(request, "success", "error")
	listeners := []func(){
		jsx.Listen(request, "upgradeneeded", func(ev js.Value) {
			upgrade(ev.Get("oldVersion").Int(), Upgrade{request.Get("result")})
		}),
		jsx.Listen(request, "blocked", func(js.Value) { blocked = true }),
	}
	// finish takes the outcome, which always comes once nobody blocks.
	finish := func(err error) (*DB, error) {
		for _, remove := range listeners {
			remove()
		}
		if err != nil {
			return nil, err
		}
		return newDB(request.Get("result")), nil
	}
	select {
	case err := <-outcome:
		return finish(err)
	case <-ctx.Done():
		go func() {
			if db, err := finish(<-outcome); err == nil {
				db.Close()
			}
		}()
	}
	if blocked {
		return nil, &Error{Name: Blocked, Message: "another tab holds an older version of " + name}
	}
	return nil, fmt.Errorf("open database %s: %w", name, context.Cause(ctx))
}

// outcomeOf gives where the end of a request or transaction arrives: nil
// after the one event, the target's error after the other.
func outcomeOf(target js.Value, good, bad string) <-chan error {
	outcome := make(chan error, 1)
	var listeners []func()
	end := func(err error) {
		outcome <- err
		for _, remove := range listeners {
			remove()
		}
	}
	listeners = []func(){
		jsx.Listen(target, good, func(js.Value) { end(nil) }),
		jsx.Listen(target, bad, func(js.Value) { end(jsx.Reason(target.Get("error"))) }),
	}
	return outcome
}

func newDB(value js.Value) *DB {
	db := &DB{value: value}
	drop := func(why string) func(js.Value) {
		return func(js.Value) { db.end(&Error{Name: Lost, Message: why}) }
	}
	db.remove = []func(){
		jsx.Listen(value, "versionchange", drop("another tab upgrades or deletes the database")),
		jsx.Listen(value, "close", drop("the browser closed the database")),
	}
	return db
}

// end closes the connection; the first reason stays.
func (db *DB) end(why error) {
	db.mu.Lock()
	defer db.mu.Unlock()
	if db.lost != nil {
		return
	}
	db.lost = why
	db.value.Call("close")
	for _, remove := range db.remove {
		remove()
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
	if err := jsx.Try(func() { request = factory.Call("deleteDatabase", name) }); err != nil {
		return err
	}
	outcome := outcomeOf(request, "success", "error")
	select {
	case err := <-outcome:
		return err
	case <-ctx.Done():
		return fmt.Errorf("delete database %s: other tabs hold it open: %w", name, context.Cause(ctx))
	}
}

func factory() (js.Value, error) {
	var value js.Value
	// Reading the property throws where storage is forbidden, and only a call
	// can catch that.
	reflect := js.Global().Get("Reflect")
	if err := jsx.Try(func() { value = reflect.Call("get", js.Global(), "indexedDB") }); err != nil {
		return js.Value{}, err
	}
	if !value.Truthy() {
		return js.Value{}, &Error{Name: Missing, Message: "this browser has no IndexedDB"}
	}
	return value, nil
}
