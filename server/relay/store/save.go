package store

import (
	"encoding/hex"
	"errors"
	"strconv"
	"strings"

	"github.com/nbd-wtf/go-nostr"
)

const (
	kindDelete   = 5    // NIP-09
	kindGiftWrap = 1059 // NIP-59

	// MaxTagValue is the longest tag value that filters find, in bytes.
	MaxTagValue = 1024
)

// Save keeps an event that was found good. now is unix seconds. It returns
// ErrDuplicate, ErrDeleted, ErrExpired or ErrOlder when the event is not kept,
// and does what a kind 5 asks for.
func (t *Tx) Save(ev *nostr.Event, now int64) error {
	id, pubkey, err := keysOf(ev)
	if err != nil {
		return err
	}
	if found, err := t.has("SELECT 1 FROM events WHERE id = ?", id); err != nil || found {
		return cmpErr(err, ErrDuplicate)
	}
	address := Address(ev)
	if deleted, err := t.deleted(ev, id, pubkey, address); err != nil || deleted {
		return cmpErr(err, ErrDeleted)
	}
	expires := Expires(ev)
	if expires != 0 && expires <= now {
		return ErrExpired
	}
	if address != "" {
		if err := t.replace(ev, address); err != nil {
			return err
		}
	}
	if err := t.insert(ev, id, pubkey, address, expires); err != nil {
		return err
	}
	if ev.Kind == kindDelete {
		return t.withdraw(ev, pubkey)
	}
	return nil
}

func keysOf(ev *nostr.Event) (id, pubkey []byte, err error) {
	id, err = hex.DecodeString(ev.ID)
	if err == nil {
		pubkey, err = hex.DecodeString(ev.PubKey)
	}
	if err != nil || len(id) != 32 || len(pubkey) != 32 {
		return nil, nil, errors.New("the id or the key is not 64 hex digits")
	}
	return id, pubkey, nil
}

func cmpErr(err, otherwise error) error {
	if err != nil {
		return err
	}
	return otherwise
}

// replace makes way for a new version of a replaceable event: the newest stays,
// of two with one date the one with the lowest id (NIP-01).
func (t *Tx) replace(ev *nostr.Event, address string) error {
	var id []byte
	var ord int64
	found, err := t.row("SELECT id, ord FROM events WHERE address = ?", []any{address}, &id, &ord)
	if err != nil || !found {
		return err
	}
	created := int64(ev.CreatedAt)
	if -ord > created || -ord == created && hex.EncodeToString(id) < ev.ID {
		return ErrOlder
	}
	return t.remove(id)
}

func (t *Tx) insert(ev *nostr.Event, id, pubkey []byte, address string, expires int64) error {
	raw, err := ev.MarshalJSON()
	if err != nil {
		return err
	}
	ord := -int64(ev.CreatedAt)
	_, err = t.exec("INSERT INTO events (id, pubkey, kind, ord, room, address, expires, raw) VALUES (?,?,?,?,?,?,?,?)",
		id, pubkey, ev.Kind, ord, orNull(Room(ev)), orNull(address), orNull(expires), raw)
	if err != nil {
		return err
	}
	var values []any
	for name, value := range indexed(ev) {
		values = append(values, name, value, ord, id, ev.Kind)
		if len(values) == tagsAtOnce*5 {
			if err := t.insertTags(values); err != nil {
				return err
			}
			values = values[:0]
		}
	}
	if len(values) == 0 {
		return nil
	}
	return t.insertTags(values)
}

const tagsAtOnce = 100 // rows of one INSERT

func (t *Tx) insertTags(values []any) error {
	rows := strings.Repeat(",(?,?,?,?,?)", len(values)/5)[1:]
	_, err := t.exec("INSERT OR IGNORE INTO tags (name, value, ord, id, kind) VALUES "+rows, values...)
	return err
}

func orNull[T comparable](v T) any {
	var zero T
	if v == zero {
		return nil
	}
	return v
}

// indexed yields the tags that filters find: those of one letter with a value.
func indexed(ev *nostr.Event) func(yield func(string, any) bool) {
	return func(yield func(string, any) bool) {
		for _, tag := range ev.Tags {
			if len(tag) < 2 || len(tag[0]) != 1 || !letter(tag[0][0]) || len(tag[1]) > MaxTagValue {
				continue
			}
			if !yield(tag[0], tagValue(tag[1])) {
				return
			}
		}
	}
}

func letter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }

// tagValue is a tag's value as it is stored: ids and keys take half the room as
// bytes, and a blob never equals a text.
func tagValue(v string) any {
	if len(v) == 64 && v == strings.ToLower(v) {
		if b, err := hex.DecodeString(v); err == nil {
			return b
		}
	}
	return v
}

// Room is the room an event belongs to: the value of its first h tag, or "".
func Room(ev *nostr.Event) string {
	if tag := ev.Tags.Find("h"); tag != nil {
		return tag[1]
	}
	return ""
}

// Address is what a newer version of ev shares with it: kind:pubkey:d for
// addressable events, kind:pubkey: for replaceable ones, "" for all others.
func Address(ev *nostr.Event) string {
	switch k := ev.Kind; {
	case k == 0, k == 3, k >= 10000 && k < 20000:
		return strconv.Itoa(k) + ":" + ev.PubKey + ":"
	case k >= 30000 && k < 40000:
		return strconv.Itoa(k) + ":" + ev.PubKey + ":" + ev.Tags.GetD()
	}
	return ""
}

// Expires is when an event expires, in unix seconds, or 0 (NIP-40). An event
// with a `request` tag does not: its expiration is the deadline for answers.
func Expires(ev *nostr.Event) int64 {
	for _, tag := range ev.Tags {
		if len(tag) > 0 && tag[0] == "request" {
			return 0
		}
	}
	tag := ev.Tags.Find("expiration")
	if tag == nil {
		return 0
	}
	at, err := strconv.ParseInt(tag[1], 10, 64)
	if err != nil || at < 0 {
		return 0
	}
	return max(at, 1)
}

func (t *Tx) has(query string, args ...any) (bool, error) {
	var one int
	return t.row(query, args, &one)
}
