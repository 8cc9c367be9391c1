package store

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"

	"parley/wasm/internal/idb"
)

// The database. A change to any of these needs a new version and an upgrade.
const (
	dbVersion    = 1
	eventStore   = "events" // {id, k: sort keys under every path, v: encodeRecord}
	byPathIndex  = "k"
	outboxStore  = "outbox" // {id, v: JSON of Entry}
	valueStore   = "values" // bytes under bucket NUL key
	valueKeyLast = "\uffff" // after every key of a bucket
)

// idbStore keeps everything in IndexedDB. Its errors are Failures when the
// browser is to blame.
type idbStore struct {
	name string
	db   *idb.DB // nil when it could not be opened

	mu      sync.Mutex
	closed  bool
	broken  *Failure // the first failed write; no later one may overtake it
	queue   []*write
	running chan struct{} // closed when the writer has nothing left; nil if idle
}

var _ Store = (*idbStore)(nil)

// open opens the database and says what stood in the way.
func (s *idbStore) open(ctx context.Context) *Failure {
	ctx, cancel := context.WithTimeout(ctx, OpenWait)
	defer cancel()
	db, err := idb.Open(ctx, s.name, dbVersion, func(_ int, u idb.Upgrade) {
		u.Store(eventStore, "id", idb.Index{Name: byPathIndex, Path: "k", Multi: true})
		u.Store(outboxStore, "id")
		u.Store(valueStore, "")
	})
	if err != nil {
		return openFailure(err)
	}
	s.db = db
	return nil
}

func openFailure(err error) *Failure {
	code := FailedOther
	var e *idb.Error
	if errors.As(err, &e) {
		switch e.Name {
		case idb.Missing, "SecurityError", "InvalidStateError", "NotAllowedError":
			code = FailedRefused
		case idb.Blocked:
			code = FailedBlocked
		case "VersionError":
			code = FailedNewer
		case "QuotaExceededError":
			code = FailedQuota
		}
	}
	return &Failure{Code: code, Op: "open the database", Err: err}
}

// failure gives what a caller sees of an error inside a transaction.
func failure(op string, err error) error {
	var e *idb.Error
	switch {
	case err == nil:
		return nil
	case errors.Is(err, idb.ErrClosed):
		return ErrClosed
	case !errors.As(err, &e):
		return err
	}
	code := FailedOther
	switch e.Name {
	case "QuotaExceededError":
		code = FailedQuota
	case idb.Lost, "InvalidStateError":
		code = FailedLost
	}
	return &Failure{Code: code, Op: op, Err: err}
}

// read runs a read-only transaction.
func (s *idbStore) read(ctx context.Context, op, store string, body func(tx idb.Tx) error) error {
	if err := s.usable(); err != nil {
		return err
	}
	return failure(op, s.db.Do(ctx, idb.ReadOnly, []string{store}, body))
}

func (s *idbStore) usable() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.closed:
		return ErrClosed
	case s.db == nil:
		return &Failure{Code: FailedLost, Op: "use the database", Err: errors.New("it is not open")}
	}
	return nil
}

func (s *idbStore) Outbox(ctx context.Context) ([]Entry, error) {
	var all idb.Request
	err := s.read(ctx, "read the outbox", outboxStore, func(tx idb.Tx) error {
		all = tx.Store(outboxStore).All(idb.Range{}, 0)
		return nil
	})
	if err != nil {
		return nil, err
	}
	var entries []Entry
	for _, value := range idb.Values(all.Result()) {
		var e Entry
		// A damaged entry must not take the others with it.
		if json.Unmarshal([]byte(value.Get("v").String()), &e) == nil {
			entries = append(entries, e)
		}
	}
	slices.SortFunc(entries, byOrder)
	return entries, nil
}

func (s *idbStore) Get(ctx context.Context, bucket, key string) ([]byte, error) {
	var request idb.Request
	err := s.read(ctx, "read a value", valueStore, func(tx idb.Tx) error {
		request = tx.Store(valueStore).Get(valueKey(bucket, key))
		return nil
	})
	switch {
	case err != nil:
		return nil, err
	case request.Result().IsUndefined():
		return nil, ErrNotFound
	}
	return idb.GoBytes(request.Result()), nil
}

func (s *idbStore) List(ctx context.Context, bucket string) (map[string][]byte, error) {
	var keys, values idb.Request
	err := s.read(ctx, "read values", valueStore, func(tx idb.Tx) error {
		all := idb.Range{From: valueKey(bucket, ""), To: valueKey(bucket, valueKeyLast)}
		keys = tx.Store(valueStore).AllKeys(all, 0)
		values = tx.Store(valueStore).All(all, 0)
		return nil
	})
	if err != nil {
		return nil, err
	}
	list := map[string][]byte{}
	found := idb.Values(values.Result())
	for i, key := range idb.Values(keys.Result()) {
		list[strings.TrimPrefix(key.String(), valueKey(bucket, ""))] = idb.GoBytes(found[i])
	}
	return list, nil
}

// Wipe empties the object stores, and where that fails deletes the database,
// also one that could not be opened.
func (s *idbStore) Wipe(ctx context.Context) error {
	if s.usable() == nil {
		stores := []string{eventStore, outboxStore, valueStore}
		err := s.db.Do(ctx, idb.ReadWriteStrict, stores, func(tx idb.Tx) error {
			for _, name := range stores {
				tx.Store(name).Clear()
			}
			return nil
		})
		if err == nil {
			return nil
		}
		s.db.Close()
	}
	ctx, cancel := context.WithTimeout(ctx, OpenWait)
	defer cancel()
	if err := idb.Delete(ctx, s.name); err != nil {
		return &Failure{Code: FailedOther, Op: "wipe the database", Err: err}
	}
	return nil
}

func (s *idbStore) Close() error {
	s.mu.Lock()
	s.closed = true
	running := s.running
	s.mu.Unlock()
	if running != nil {
		<-running
	}
	if s.db != nil {
		s.db.Close()
	}
	return nil
}

func (s *idbStore) Durable() (bool, string) { return true, "" }
