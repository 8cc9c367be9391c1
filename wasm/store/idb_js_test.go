package store

import (
	"context"
	"errors"
	"fmt"
	"syscall/js"
	"testing"
	"time"

	"parley/wasm/internal/idb"
)

var databases int

// freshName gives a database name no other test uses.
func freshName() string {
	databases++
	return fmt.Sprint("parley-test-", databases)
}

func openDurable(t testing.TB, name string) Store {
	t.Helper()
	s := Open(context.Background(), name, nil)
	if ok, why := s.Durable(); !ok {
		t.Fatal(why)
	}
	return s
}

func TestIndexedDB(t *testing.T) {
	conform(t, func(t *testing.T) Store { return openDurable(t, freshName()) })
}

func TestWhatIsKeptSurvivesAReload(t *testing.T) {
	name := freshName()
	s := openDurable(t, name)
	put(t, s, Record{event(1, 1, 9, "a"), 5, []string{"wss://r"}})
	if err := errors.Join(s.Set(t.Context(), "b", "k", []byte("v")), s.PutOutbox(t.Context(), Entry{ID: "x", Event: event(1, 1, 9, "a")}), s.Close()); err != nil {
		t.Fatal(err)
	}
	s = openDurable(t, name)
	defer s.Close()
	got := query(t, s, Query{})
	wantIDs(t, got, 1)
	if got[0].Seen != 5 {
		t.Fatalf("seen %d", got[0].Seen)
	}
	value, err := s.Get(t.Context(), "b", "k")
	entries, outboxErr := s.Outbox(t.Context())
	if err != nil || outboxErr != nil || string(value) != "v" || len(entries) != 1 {
		t.Fatal(value, entries, err, outboxErr)
	}
}

func TestCloseFinishesWhatWasCalledBefore(t *testing.T) {
	name := freshName()
	s := openDurable(t, name)
	done := make(chan error, 1)
	go func() { done <- s.Put(context.Background(), []Record{{Event: event(1, 1, 9, "a")}}) }()
	until(t, func() bool {
		base := s.(*fallback).base.(*idbStore)
		base.mu.Lock()
		defer base.mu.Unlock()
		return base.running != nil
	})
	if err := errors.Join(s.Close(), <-done); err != nil {
		t.Fatal(err)
	}
	s = openDurable(t, name)
	defer s.Close()
	wantIDs(t, query(t, s, Query{}), 1)
}

// fillDisk makes writes fail as they do when the browser's share of the disk
// is used up: the transaction is aborted and its error names the quota.
func fillDisk(t *testing.T) (free func(...any) js.Value) {
	t.Helper()
	return js.Global().Call("eval", `(() => {
		const put = IDBObjectStore.prototype.put;
		const error = Object.getOwnPropertyDescriptor(IDBTransaction.prototype, "error");
		IDBObjectStore.prototype.put = function (...args) {
			const request = put.apply(this, args);
			this.transaction.abort();
			return request;
		};
		Object.defineProperty(IDBTransaction.prototype, "error", {
			get: () => new DOMException("full", "QuotaExceededError"), configurable: true,
		});
		return () => {
			IDBObjectStore.prototype.put = put;
			Object.defineProperty(IDBTransaction.prototype, "error", error);
		};
	})()`).Invoke
}

func TestAFullDiskGoesOnInMemory(t *testing.T) {
	name := freshName()
	told := make(chan string, 1)
	s := Open(t.Context(), name, func(why string) { told <- why })
	defer s.Close()
	put(t, s, Record{Event: event(1, 1, 9, "a")})
	free := fillDisk(t)
	var records []Record
	for i := range 10 {
		records = append(records, Record{Event: event(10+i, int64(10+i), 9, "b")})
	}
	put(t, s, records...)
	free()
	if why := <-told; why != (&Failure{Code: FailedQuota}).Words() {
		t.Fatal(why)
	}
	wantIDs(t, query(t, s, Query{Limit: 2}), 19, 18)
	wantIDs(t, query(t, s, Query{Authors: []string{"a"}}), 1)
	// Space that comes back does not make later writes durable: a reload would
	// show them without the earlier ones.
	put(t, s, Record{Event: event(30, 30, 9, "c")})
	again := openDurable(t, name)
	defer again.Close()
	wantIDs(t, query(t, again, Query{}), 1)
	if err := s.Wipe(t.Context()); err != nil {
		t.Fatal(err)
	}
	wantIDs(t, query(t, s, Query{}))
	wantIDs(t, query(t, again, Query{}))
}

func TestAnotherTabThatUpgradesIsGivenWay(t *testing.T) {
	name := freshName()
	told := make(chan string, 1)
	s := Open(t.Context(), name, func(why string) { told <- why })
	defer s.Close()
	put(t, s, Record{Event: event(1, 1, 9, "a")})
	ctx, cancel := context.WithTimeout(t.Context(), OpenWait)
	defer cancel()
	newer, err := idb.Open(ctx, name, dbVersion+1, func(int, idb.Upgrade) {})
	if err != nil {
		t.Fatalf("the other tab is blocked: %v", err)
	}
	put(t, s, Record{Event: event(2, 2, 9, "a")})
	if why := <-told; why != (&Failure{Code: FailedLost}).Words() {
		t.Fatal(why)
	}
	wantIDs(t, query(t, s, Query{}), 2)
	newer.Close()

	late := Open(t.Context(), name, nil)
	defer late.Close()
	if ok, why := late.Durable(); ok || why != (&Failure{Code: FailedNewer}).Words() {
		t.Fatal(ok, why)
	}
	put(t, late, Record{Event: event(3, 3, 9, "a")})
	wantIDs(t, query(t, late, Query{}), 3)
	if err := late.Wipe(t.Context()); err != nil { // also what it could not open
		t.Fatal(err)
	}
	again := openDurable(t, name)
	defer again.Close()
	wantIDs(t, query(t, again, Query{}))
}

func TestABrowserThatRefusesStorageGetsMemory(t *testing.T) {
	global := js.Global()
	object := global.Get("Object")
	throws := global.Call("eval", `({open() { throw new DOMException("not here", "SecurityError") }})`)
	for name, descriptor := range map[string]map[string]any{
		"no IndexedDB":        {"value": nil, "configurable": true},
		"open throws":         {"value": throws, "configurable": true},
		"the property throws": {"get": global.Call("eval", `() => { throw new DOMException("no", "SecurityError") }`), "configurable": true},
	} {
		object.Call("defineProperty", global, "indexedDB", descriptor)
		s := Open(t.Context(), freshName(), nil)
		js.Global().Delete("indexedDB")
		if ok, why := s.Durable(); ok || why != (&Failure{Code: FailedRefused}).Words() {
			t.Errorf("%s: %t, %s", name, ok, why)
		}
		put(t, s, Record{Event: event(1, 1, 9, "a")})
		wantIDs(t, query(t, s, Query{}), 1)
		s.Close()
	}
	openDurable(t, freshName()).Close() // all is as before
}

func TestADamagedRecordDoesNotTakeTheOthersWithIt(t *testing.T) {
	name := freshName()
	s := openDurable(t, name)
	defer s.Close()
	put(t, s, Record{Event: event(1, 1, 9, "a")}, Record{Event: event(2, 2, 9, "a")})
	base := s.(*fallback).base.(*idbStore)
	damaged := event(2, 2, 9, "a").ID
	err := base.db.Do(t.Context(), idb.ReadWrite, []string{eventStore, outboxStore}, func(tx idb.Tx) error {
		tx.Store(eventStore).Put(map[string]any{"id": damaged, "v": "nonsense",
			"k": []any{sortKey(everything, 2, damaged), sortKey(authorPath("a"), 2, damaged)}})
		tx.Store(outboxStore).Put(map[string]any{"id": "x", "v": "nonsense"})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	wantIDs(t, query(t, s, Query{}), 1)
	wantIDs(t, query(t, s, Query{Authors: []string{"a"}, Limit: 1}), 1)
	wantIDs(t, query(t, s, Query{IDs: []string{damaged}}))
	if entries, err := s.Outbox(t.Context()); err != nil || len(entries) != 0 {
		t.Fatal(entries, err)
	}
	put(t, s, Record{Event: event(2, 2, 9, "a")}) // and it can be mended
	wantIDs(t, query(t, s, Query{}), 2, 1)
}

// until waits for a condition that other goroutines bring about.
func until(t *testing.T, condition func() bool) {
	t.Helper()
	deadline := time.After(OpenWait)
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for !condition() {
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatal("it does not come about")
		}
	}
}

func BenchmarkIndexedDBRoom(b *testing.B) { benchRoom(b, openDurable(b, freshName())) }
func BenchmarkIndexedDBPut(b *testing.B)  { benchPut(b, openDurable(b, freshName())) }
