package store

import (
	"bytes"
	"database/sql"
	"encoding/hex"
	"strings"

	"github.com/nbd-wtf/go-nostr"
)

// Kinds of NIP-29 that the store must know.
const (
	kindPutUser  = 9000
	kindInvite   = 9009
	kindLeave    = 9022
	kindMeta     = 39000
	kindMetaLast = 39009
)

// maxReferring is how many events Referring gives.
const maxReferring = 1000

// Moderation says whether a kind makes or changes a room (NIP-29).
func Moderation(kind int) bool { return kind >= kindPutUser && kind <= kindLeave }

// Event returns a stored event by id, nil when there is none. It sees what
// was written before in the same transaction.
func (t *Tx) Event(id string) (*nostr.Event, error) {
	key, ok := tagValue(id).([]byte)
	if !ok {
		return nil, nil
	}
	return t.one("SELECT raw FROM events WHERE id = ?", key)
}

// Referring returns stored events that name an id in an e tag, of these kinds,
// newest first.
func (t *Tx) Referring(id string, kinds ...int) ([]*nostr.Event, error) {
	key, ok := tagValue(id).([]byte)
	if !ok || len(kinds) == 0 {
		return nil, nil
	}
	args := []any{key}
	for _, k := range kinds {
		args = append(args, k)
	}
	var out []*nostr.Event
	query := `SELECT e.raw FROM tags t CROSS JOIN events e ON e.id = t.id
		WHERE t.name = 'e' AND t.value = ? AND t.kind IN (` + marks(len(kinds)) + `) ORDER BY t.ord, t.id LIMIT ?`
	err := t.each(query, append(args, maxReferring), func(rows *sql.Rows) error {
		var raw []byte
		if err := rows.Scan(&raw); err != nil {
			return err
		}
		ev, err := parse(raw)
		out = append(out, ev)
		return err
	})
	return out, err
}

// Knows says whether there is, or was and is deleted, an event whose id begins
// with 8 hex digits (the `previous` tag of NIP-29).
func (t *Tx) Knows(prefix string) (bool, error) {
	from, err := hex.DecodeString(prefix)
	if err != nil || len(from) != 4 {
		return false, nil
	}
	to := append(bytes.Clone(from), bytes.Repeat([]byte{0xff}, 28)...)
	found, err := t.has("SELECT 1 FROM events WHERE id BETWEEN ? AND ? LIMIT 1", from, to)
	if found || err != nil {
		return found, err
	}
	return t.has("SELECT 1 FROM deletions WHERE target BETWEEN ? AND ? LIMIT 1", from, to)
}

// Replay calls f with the stored events that made and changed rooms, in the
// order of their arrival.
func (s *Store) Replay(f func(*nostr.Event)) error {
	return s.Update(func(t *Tx) error {
		query := "SELECT raw FROM events WHERE kind BETWEEN ? AND ? ORDER BY seq"
		return t.each(query, []any{kindPutUser, kindLeave}, func(rows *sql.Rows) error {
			var raw []byte
			if err := rows.Scan(&raw); err != nil {
				return err
			}
			ev, err := parse(raw)
			if err == nil {
				f(ev)
			}
			return err
		})
	})
}

// AtAddress returns the stored event with an address, nil when there is none.
func (t *Tx) AtAddress(address string) (*nostr.Event, error) {
	return t.one("SELECT raw FROM events WHERE address = ?", address)
}

func (t *Tx) one(query string, arg any) (*nostr.Event, error) {
	var raw []byte
	found, err := t.row(query, []any{arg}, &raw)
	if err != nil || !found {
		return nil, err
	}
	return parse(raw)
}

func parse(raw []byte) (*nostr.Event, error) {
	ev := new(nostr.Event)
	return ev, ev.UnmarshalJSON(raw)
}

// marks is n question marks.
func marks(n int) string {
	return strings.TrimSuffix(strings.Repeat("?,", n), ",")
}
