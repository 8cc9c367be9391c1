package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
)

// maxBatch is how many jobs share one commit.
const maxBatch = 256

// job is a piece of work for the writer. Its channel gets one result.
type job struct {
	work func(*Tx) error
	done chan error
}

// Update runs work in the writer's transaction and waits for the commit. The
// jobs of many callers share one commit, so work must do its checks before it
// changes anything: an error of its own leaves what it has written so far.
func (s *Store) Update(work func(*Tx) error) error { return <-s.Submit(work) }

// Submit is Update without the wait: the channel gets the result. Jobs run in
// the order they were submitted in.
func (s *Store) Submit(work func(*Tx) error) <-chan error {
	j := &job{work, make(chan error, 1)}
	s.closing.RLock() // Close waits for what is being handed over
	defer s.closing.RUnlock()
	if s.closed {
		j.done <- ErrClosed
	} else {
		s.jobs <- j
	}
	return j.done
}

// writer is the only one who writes. It ends after Close, with what was
// submitted before done.
func (s *Store) writer() {
	defer close(s.done)
	for {
		select {
		case j := <-s.jobs:
			s.commit(s.gather(j))
		case <-s.stop:
			for {
				select {
				case j := <-s.jobs:
					s.commit(s.gather(j))
				default:
					return
				}
			}
		}
	}
}

// gather takes what is waiting.
func (s *Store) gather(first *job) []*job {
	batch := []*job{first}
	for len(batch) < maxBatch {
		select {
		case j := <-s.jobs:
			batch = append(batch, j)
		default:
			return batch
		}
	}
	return batch
}

// commit runs a batch in one transaction and tells each job how it went. A
// failure of the database itself undoes the batch, for all of it.
func (s *Store) commit(batch []*job) {
	results := make([]error, len(batch))
	err := s.inTx(func(tx *Tx) error {
		for i, j := range batch {
			results[i] = run(j.work, tx)
			if tx.broken != nil {
				return tx.broken
			}
		}
		return nil
	})
	for i, j := range batch {
		if err != nil {
			results[i] = fmt.Errorf("store: writing: %w", explained(err))
		}
		j.done <- results[i]
	}
}

func (s *Store) inTx(work func(*Tx) error) error {
	t := s.tx
	t.broken = nil
	if _, err := t.exec("BEGIN IMMEDIATE"); err != nil {
		return err
	}
	err := work(t)
	if err == nil {
		_, err = t.exec("COMMIT")
	}
	if err != nil {
		_, undo := t.exec("ROLLBACK")
		return errors.Join(err, undo)
	}
	return nil
}

// run keeps a panic of one job from taking the relay down. What the job may
// have written is undone with its batch.
func run(work func(*Tx) error, tx *Tx) (err error) {
	defer func() {
		if p := recover(); p != nil {
			tx.broken = fmt.Errorf("panic: %v", p)
		}
	}()
	return work(tx)
}

// Tx is the writer's transaction. It is good only inside Update's function.
type Tx struct {
	conn   *sql.Conn
	ready  map[string]*sql.Stmt // prepared, by their text; there are few
	broken error                // the first failure of the database
}

// stmt prepares a statement once.
func (t *Tx) stmt(query string) (*sql.Stmt, error) {
	if s := t.ready[query]; s != nil {
		return s, nil
	}
	s, err := t.conn.PrepareContext(context.Background(), query)
	if err == nil {
		t.ready[query] = s
	}
	return s, t.fail(err)
}

// exec runs a statement and returns how many rows it changed.
func (t *Tx) exec(query string, args ...any) (int64, error) {
	s, err := t.stmt(query)
	if err != nil {
		return 0, err
	}
	result, err := s.Exec(args...)
	if err != nil {
		return 0, t.fail(err)
	}
	n, err := result.RowsAffected()
	return n, t.fail(err)
}

// row reads the first row of an answer; found is false when there is none.
func (t *Tx) row(query string, args []any, into ...any) (found bool, err error) {
	s, err := t.stmt(query)
	if err != nil {
		return false, err
	}
	err = s.QueryRow(args...).Scan(into...)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	return err == nil, t.fail(err)
}

func (t *Tx) each(query string, args []any, f func(*sql.Rows) error) error {
	s, err := t.stmt(query)
	if err != nil {
		return err
	}
	rows, err := s.Query(args...)
	if err != nil {
		return t.fail(err)
	}
	defer rows.Close()
	for rows.Next() {
		if err := f(rows); err != nil {
			return t.fail(err)
		}
	}
	return t.fail(rows.Err())
}

// fail remembers the first failure: what was begun must then be undone.
func (t *Tx) fail(err error) error {
	if err != nil && t.broken == nil {
		t.broken = err
	}
	return err
}
