package idb

import (
	"context"
	"errors"
	"syscall/js"
	"testing"
	"time"
)

// short is enough for what happens, and for what does not.
const short = 300 * time.Millisecond

func open(t *testing.T, name string, version int) *DB {
	t.Helper()
	db, err := Open(t.Context(), name, version, func(old int, u Upgrade) {
		if old == 0 {
			u.Store("things", "id")
			u.Store("loose", "")
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	return db
}

func isNamed(err error, name string) bool {
	var e *Error
	return errors.As(err, &e) && e.Name == name
}

// stubborn opens a database and does not give way to anybody.
func stubborn(t *testing.T, name string) (closeIt func()) {
	t.Helper()
	db := open(t, name, 1)
	for _, remove := range db.remove {
		remove()
	}
	db.remove = nil
	return db.Close
}

func TestAnUpgradeThatIsBlockedSaysSoAndStandsInNobodysWay(t *testing.T) {
	release := stubborn(t, "blocked")
	ctx, cancel := context.WithTimeout(t.Context(), short)
	defer cancel()
	if _, err := Open(ctx, "blocked", 2, func(int, Upgrade) {}); !isNamed(err, Blocked) {
		t.Fatal(err)
	}
	release()
	// The late grant was closed, so a third version is not blocked by it.
	open(t, "blocked", 3)
}

func TestDeletingWhatAnotherHoldsIsAnErrorInTime(t *testing.T) {
	release := stubborn(t, "held")
	ctx, cancel := context.WithTimeout(t.Context(), short)
	defer cancel()
	if err := Delete(ctx, "held"); !errors.Is(err, context.DeadlineExceeded) {
		t.Fatal(err)
	}
	release()
	if err := Delete(t.Context(), "held"); err != nil {
		t.Fatal(err)
	}
}

func TestAnOlderVersionIsRefused(t *testing.T) {
	open(t, "versions", 5).Close()
	if _, err := Open(t.Context(), "versions", 4, nil); !isNamed(err, "VersionError") {
		t.Fatal(err)
	}
}

func TestAFailedTransactionKeepsNothing(t *testing.T) {
	db := open(t, "atomic", 1)
	refused := errors.New("not today")
	err := db.Do(t.Context(), ReadWrite, []string{"things"}, func(tx Tx) error {
		tx.Store("things").Put(map[string]any{"id": "a"})
		return refused
	})
	if !errors.Is(err, refused) {
		t.Fatal(err)
	}
	err = db.Do(t.Context(), ReadWriteStrict, []string{"things"}, func(tx Tx) error {
		tx.Store("things").Put(map[string]any{"id": "b"})
		tx.Store("things").Put(map[string]any{"no": "key"})
		return nil
	})
	if !isNamed(err, "DataError") {
		t.Fatal(err)
	}
	var all Request
	if err := db.Do(t.Context(), ReadOnly, []string{"things"}, func(tx Tx) error {
		all = tx.Store("things").All(Range{}, 0)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if n := all.Result().Length(); n != 0 {
		t.Fatalf("%d things were kept", n)
	}
}

func TestBytesGoThereAndBack(t *testing.T) {
	db := open(t, "bytes", 1)
	if err := db.Do(t.Context(), ReadWrite, []string{"loose"}, func(tx Tx) error {
		tx.Store("loose").PutAt("k", Bytes([]byte{0, 255}))
		tx.Store("loose").PutAt("gone", js.Null())
		tx.Store("loose").Delete("gone")
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	var one, none Request
	if err := db.Do(t.Context(), ReadOnly, []string{"loose"}, func(tx Tx) error {
		one, none = tx.Store("loose").Get("k"), tx.Store("loose").Get("gone")
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if got := GoBytes(one.Result()); len(got) != 2 || got[1] != 255 || !none.Result().IsUndefined() {
		t.Fatal(got, none.Result())
	}
}

func TestAClosedDatabaseAndAnEndedContextAreErrors(t *testing.T) {
	db := open(t, "closed", 1)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	nothing := func(Tx) error { return nil }
	if err := db.Do(ctx, ReadOnly, []string{"things"}, nothing); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	if err := db.Do(t.Context(), ReadOnly, []string{"unknown"}, nothing); !isNamed(err, "NotFoundError") {
		t.Fatal(err)
	}
	db.Close()
	db.Close()
	if err := db.Do(t.Context(), ReadOnly, []string{"things"}, nothing); !errors.Is(err, ErrClosed) {
		t.Fatal(err)
	}
}
