package store

import (
	"database/sql"
	"encoding/hex"
	"errors"
	"math"
	"strconv"
	"strings"

	"github.com/nbd-wtf/go-nostr"
)

// forever is the `until` of a deletion by id.
const forever = math.MaxInt64

// roomOwner is a room as the owner of a deletion. It is a text, keys are blobs.
func roomOwner(room string) any { return "room:" + room }

// deleted says whether somebody who may has asked for the deletion of an event.
func (t *Tx) deleted(ev *nostr.Event, id, pubkey []byte, address string) (bool, error) {
	owners := []any{pubkey}
	if room := Room(ev); room != "" {
		owners = append(owners, roomOwner(room))
	}
	if ev.Kind == kindGiftWrap { // its author is nobody: the addressee may
		for tag := range ev.Tags.FindAll("p") {
			owners = append(owners, tagValue(tag[1]))
		}
	}
	if ev.Kind != kindDelete {
		for _, owner := range owners {
			found, err := t.has("SELECT 1 FROM deletions WHERE target = ? AND owner = ?", id, owner)
			if found || err != nil {
				return found, err
			}
		}
	}
	if address == "" {
		return false, nil
	}
	return t.has("SELECT 1 FROM deletions WHERE target = ? AND owner = ? AND until >= ?", address, pubkey, int64(ev.CreatedAt))
}

// withdraw does what a kind 5 asks for: it removes what its author wrote, and
// remembers, so that it stays away. What others wrote stays.
func (t *Tx) withdraw(ev *nostr.Event, pubkey []byte) error {
	for _, tag := range ev.Tags {
		if len(tag) < 2 {
			continue
		}
		var err error
		switch tag[0] {
		case "e":
			err = t.withdrawID(tag[1], pubkey)
		case "a":
			err = t.withdrawAddress(tag[1], ev, pubkey)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (t *Tx) withdrawID(target string, pubkey []byte) error {
	id, ok := tagValue(target).([]byte)
	if !ok {
		return nil
	}
	if err := t.mark(id, pubkey, forever); err != nil {
		return err
	}
	ev, err := t.Event(target)
	if err != nil || ev == nil || !mayWithdraw(ev, hex.EncodeToString(pubkey)) {
		return err
	}
	return t.remove(id)
}

// mayWithdraw: one's own events, and gift wraps addressed to one (NIP-59), but
// no kind 5 (NIP-09), and nothing that made a room what it is (NIP-29), since
// rooms are rebuilt from it; invitations can be taken back.
func mayWithdraw(ev *nostr.Event, pubkey string) bool {
	switch {
	case ev.Kind == kindDelete, Moderation(ev.Kind) && ev.Kind != kindInvite:
		return false
	case ev.Kind == kindGiftWrap && ev.Tags.FindWithValue("p", pubkey) != nil:
		return true
	}
	return ev.PubKey == pubkey
}

// withdrawAddress: all versions up to the date of the deletion.
func (t *Tx) withdrawAddress(target string, by *nostr.Event, pubkey []byte) error {
	parts := strings.SplitN(target, ":", 3)
	if len(parts) != 3 || parts[1] != by.PubKey {
		return nil
	}
	if kind, err := strconv.Atoi(parts[0]); err != nil || strconv.Itoa(kind) != parts[0] {
		return nil
	}
	until := int64(by.CreatedAt)
	if err := t.mark(target, pubkey, until); err != nil {
		return err
	}
	var id []byte
	found, err := t.row("SELECT id FROM events WHERE address = ? AND ord >= ?", []any{target, -until}, &id)
	if err != nil || !found {
		return err
	}
	return t.remove(id)
}

// mark remembers a deletion.
func (t *Tx) mark(target, owner any, until int64) error {
	_, err := t.exec(`INSERT INTO deletions (target, owner, until) VALUES (?,?,?)
		ON CONFLICT DO UPDATE SET until = max(until, excluded.until)`, target, owner, until)
	return err
}

// DeleteInRoom removes an event of a room and keeps it away (NIP-29 kind 9005).
// An event of another room, or of none, stays.
func (t *Tx) DeleteInRoom(room, target string) error {
	id, ok := tagValue(target).([]byte)
	if !ok {
		return errors.New("the id is not 64 hex digits")
	}
	ev, err := t.Event(target)
	if err != nil || ev != nil && Room(ev) != room {
		return err
	}
	if err := t.mark(id, roomOwner(room), forever); err != nil {
		return err
	}
	if ev == nil {
		return nil
	}
	return t.remove(id)
}

// DeleteRoom removes all events of a room, and what the relay's key said about
// it, but not the event keep (NIP-29 kind 9008).
func (t *Tx) DeleteRoom(room, relayKey, keep string) error {
	var ids [][]byte
	err := t.each("SELECT id FROM events WHERE room = ?", []any{room}, func(rows *sql.Rows) error {
		var id []byte
		err := rows.Scan(&id)
		if hex.EncodeToString(id) != keep {
			ids = append(ids, id)
		}
		return err
	})
	if err != nil {
		return err
	}
	for kind := kindMeta; kind <= kindMetaLast; kind++ {
		var id []byte
		address := strconv.Itoa(kind) + ":" + relayKey + ":" + room
		found, err := t.row("SELECT id FROM events WHERE address = ?", []any{address}, &id)
		if err != nil {
			return err
		}
		if found {
			ids = append(ids, id)
		}
	}
	for _, id := range ids {
		if err := t.remove(id); err != nil {
			return err
		}
	}
	return nil
}

// remove takes an event out of all tables.
func (t *Tx) remove(id []byte) error {
	var raw []byte
	found, err := t.row("SELECT raw FROM events WHERE id = ?", []any{id}, &raw)
	if err != nil || !found {
		return err
	}
	ev, err := parse(raw)
	if err != nil {
		return t.fail(err)
	}
	for name, value := range indexed(ev) {
		if _, err := t.exec("DELETE FROM tags WHERE name = ? AND value = ? AND ord = ? AND id = ?",
			name, value, -int64(ev.CreatedAt), id); err != nil {
			return err
		}
	}
	_, err = t.exec("DELETE FROM events WHERE id = ?", id)
	return err
}

// Expire removes up to some events that have expired at a time (unix seconds)
// and returns how many there were.
func (t *Tx) Expire(now int64, some int) (int, error) {
	var ids [][]byte
	err := t.each("SELECT id FROM events WHERE expires <= ? LIMIT ?", []any{now, some}, func(rows *sql.Rows) error {
		var id []byte
		err := rows.Scan(&id)
		ids = append(ids, id)
		return err
	})
	if err != nil {
		return 0, err
	}
	for _, id := range ids {
		if err := t.remove(id); err != nil {
			return 0, err
		}
	}
	return len(ids), nil
}
