// Package store keeps the events of the embedded relay in SQLite: one writer
// that commits in groups, a few readers, and answers read page by page, so that
// a slow client never holds a query open.
//
// What Update has returned without an error survives the death of the process
// (WAL; a power cut can take the last moments with it).
package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"sync"

	"modernc.org/sqlite" // the driver "sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"parley/server/folder"
)

const (
	// Readers is how many queries run at once.
	Readers = 4
	// File is the database's name in its folder.
	File = "relay.db"
)

// Why an event is not kept.
var (
	// ErrDuplicate tells of an event that is here already.
	ErrDuplicate = errors.New("this event is here already")
	// ErrOlder tells of a replaceable event that a newer one has replaced.
	ErrOlder = errors.New("a newer version is here already")
	// ErrDeleted tells of an event whose deletion was asked for (NIP-09), or
	// that a moderator removed (NIP-29), before or after it first came.
	ErrDeleted = errors.New("this event was deleted")
	// ErrExpired tells of an event past its expiration (NIP-40).
	ErrExpired = errors.New("this event has expired")
	// ErrClosed is returned once Close was called.
	ErrClosed = errors.New("the store is closed")
)

// Store is an open database. Its methods may be called from any goroutine.
type Store struct {
	write *sql.DB
	tx    *Tx // the writer's one connection
	read  *sql.DB
	lock  *os.File // held while it is open
	jobs  chan *job
	stop  chan struct{} // closed by Close
	done  chan struct{} // closed by the writer

	closing sync.RWMutex
	closed  bool
}

// A column `ord` is the negated created_at, so that the order of NIP-01 (newest
// first, then lowest id) is ascending in every index.
const schema = `
CREATE TABLE IF NOT EXISTS events (
	seq     INTEGER PRIMARY KEY,  -- order of arrival
	id      BLOB NOT NULL UNIQUE,
	pubkey  BLOB NOT NULL,
	kind    INTEGER NOT NULL,
	ord     INTEGER NOT NULL,
	room    TEXT,                 -- the h tag
	address TEXT,                 -- kind:pubkey:d of a replaceable event
	expires INTEGER,              -- unix seconds
	raw     BLOB NOT NULL         -- the event as JSON
);
CREATE INDEX IF NOT EXISTS events_time   ON events (ord, id);
CREATE INDEX IF NOT EXISTS events_kind   ON events (kind, ord, id);
CREATE INDEX IF NOT EXISTS events_author ON events (pubkey, kind, ord, id);
CREATE INDEX IF NOT EXISTS events_room   ON events (room, kind, ord, id) WHERE room IS NOT NULL;
CREATE UNIQUE INDEX IF NOT EXISTS events_address ON events (address) WHERE address IS NOT NULL;
CREATE INDEX IF NOT EXISTS events_expires ON events (expires) WHERE expires IS NOT NULL;
CREATE TABLE IF NOT EXISTS tags (
	name  TEXT NOT NULL,
	value BLOB NOT NULL,          -- 64 hex digits as 32 bytes, all else as text
	ord   INTEGER NOT NULL,
	id    BLOB NOT NULL,
	kind  INTEGER NOT NULL,
	PRIMARY KEY (name, value, ord, id)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS deletions (
	target BLOB NOT NULL,         -- an id or an address
	owner  BLOB NOT NULL,         -- who may delete it: a key, or a room
	until  INTEGER NOT NULL,      -- created_at of the newest version meant
	PRIMARY KEY (target, owner)
) WITHOUT ROWID;
`

// Open opens the database in a folder, which it makes if need be. One that
// another process has open, and one that is damaged, is an error.
func Open(dir string) (*Store, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("store: making the folder: %w", err)
	}
	held, err := folder.Lock(dir)
	if err != nil {
		return nil, fmt.Errorf("store: %w", err)
	}
	s, err := openFile(filepath.Join(dir, File))
	if err != nil {
		return nil, errors.Join(err, folder.Unlock(held))
	}
	s.lock = held
	go s.writer() // ended by Close
	return s, nil
}

func openFile(path string) (*Store, error) {
	write, err := open(path, 1, "")
	if err != nil {
		return nil, fmt.Errorf("store: opening %s: %w", path, explained(err))
	}
	if _, err := write.Exec(schema); err != nil {
		return nil, errors.Join(fmt.Errorf("store: preparing %s: %w", path, explained(err)), write.Close())
	}
	read, err := open(path, Readers, "&_pragma=query_only(1)")
	if err != nil {
		return nil, errors.Join(fmt.Errorf("store: opening %s: %w", path, explained(err)), write.Close())
	}
	conn, err := write.Conn(context.Background())
	if err != nil {
		return nil, errors.Join(fmt.Errorf("store: opening %s: %w", path, err), read.Close(), write.Close())
	}
	return &Store{
		write: write, read: read, tx: &Tx{conn: conn, ready: map[string]*sql.Stmt{}},
		jobs: make(chan *job, maxBatch), stop: make(chan struct{}), done: make(chan struct{}),
	}, nil
}

// explained says what to do about a database that SQLite does not take.
func explained(err error) error {
	var failed *sqlite.Error
	if !errors.As(err, &failed) {
		return err
	}
	switch failed.Code() & 0xff { // the rest says where
	case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB:
		return fmt.Errorf("the database is damaged: put a copy of it in its place, or move it away to begin with an empty one (%w)", err)
	case sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM, sqlite3.SQLITE_READONLY:
		return fmt.Errorf("the database cannot be opened for writing: see whether its folder and all files in it are this user's (%w)", err)
	case sqlite3.SQLITE_FULL:
		return fmt.Errorf("there is no room left on the disk (%w)", err)
	}
	return err
}

func open(path string, conns int, more string) (*sql.DB, error) {
	dsn := (&url.URL{Scheme: "file", Opaque: (&url.URL{Path: path}).EscapedPath()}).String() +
		"?_pragma=journal_mode(WAL)&_pragma=busy_timeout(5000)&_pragma=synchronous(NORMAL)&_pragma=journal_size_limit(67108864)" + more
	db, err := sql.Open("sqlite", dsn)
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(conns)
	db.SetMaxIdleConns(conns)
	if err := db.Ping(); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return db, nil
}

// Close waits for what is being written and closes the database. Call it once.
func (s *Store) Close() error {
	s.closing.Lock()
	s.closed = true
	s.closing.Unlock()
	close(s.stop)
	<-s.done
	var errs []error
	for _, stmt := range s.tx.ready {
		errs = append(errs, stmt.Close())
	}
	errs = append(errs, s.tx.conn.Close(), s.read.Close(), s.write.Close(), folder.Unlock(s.lock))
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("store: closing: %w", err)
	}
	return nil
}
