package store

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/nbd-wtf/go-nostr"
)

// byNewest orders records newest first: created_at descending, id ascending.
func byNewest(a, b Record) int {
	if a.Event.CreatedAt != b.Event.CreatedAt {
		return cmp.Compare(b.Event.CreatedAt, a.Event.CreatedAt)
	}
	return cmp.Compare(a.Event.ID, b.Event.ID)
}

// merged gives the one record of two arrivals of the same event, and whether
// it differs from the first.
func merged(old, more Record) (Record, bool) {
	changed := more.Seen < old.Seen
	if changed {
		old.Seen = more.Seen
	}
	relays := normalRelays(append(slices.Clone(old.Relays), more.Relays...))
	if len(relays) != len(old.Relays) {
		old.Relays, changed = relays, true
	}
	return old, changed
}

// normalRelays gives the list sorted and each URL once.
func normalRelays(urls []string) []string {
	slices.Sort(urls)
	return slices.Compact(urls)
}

// checkRecords refuses what could not be read back.
func checkRecords(records []Record) error {
	for _, r := range records {
		switch {
		case r.Event == nil || !isHex64(r.Event.ID):
			return errors.New("store: a record needs a signed event with an id of 64 hex digits")
		case slices.ContainsFunc(r.Relays, func(url string) bool {
			return url == "" || strings.ContainsFunc(url, func(c rune) bool { return c <= ' ' })
		}):
			return fmt.Errorf("store: event %s names a relay that is not a URL in normal form", r.Event.ID)
		}
	}
	return nil
}

func isHex64(s string) bool {
	if len(s) != 64 {
		return false
	}
	for i := range len(s) {
		if c := s[i]; (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}

// encodeRecord writes a record for IndexedDB: seen and relays on one line,
// separated by spaces, then the event's JSON.
func encodeRecord(r Record) (string, error) {
	raw, err := r.Event.MarshalJSON()
	if err != nil {
		return "", fmt.Errorf("store: write event %s: %w", r.Event.ID, err)
	}
	var b strings.Builder
	b.WriteString(strconv.FormatInt(r.Seen, 10))
	for _, url := range r.Relays {
		b.WriteByte(' ')
		b.WriteString(url)
	}
	b.WriteByte('\n')
	b.Write(raw)
	return b.String(), nil
}

// decodeRecord reads what encodeRecord wrote.
func decodeRecord(text string) (Record, error) {
	head, raw, found := strings.Cut(text, "\n")
	fields := strings.Split(head, " ")
	seen, err := strconv.ParseInt(fields[0], 10, 64)
	if !found || err != nil {
		return Record{}, errors.New("store: a kept event is damaged")
	}
	ev := new(nostr.Event)
	if err := ev.UnmarshalJSON([]byte(raw)); err != nil {
		return Record{}, fmt.Errorf("store: a kept event is damaged: %w", err)
	}
	r := Record{Event: ev, Seen: seen}
	if len(fields) > 1 {
		r.Relays = fields[1:]
	}
	return r, nil
}

// sortKey is the place of an event under a path in IndexedDB, where strings
// are compared: a hash of the path, the time with the newest first, and the
// start of the id. Hashes may collide and ids share a start, so whoever reads
// by these keys still checks matches and puts equal keys in order.
func sortKey(path string, createdAt int64, id string) string {
	return pathKey(path) + timeKey(createdAt) + id[:idInKey]
}

const (
	idInKey   = 8
	keyDigits = 13 // 64 bits in base 32
)

func pathKey(path string) string {
	// FNV-1a: it need not be secure, see sortKey.
	const offset, prime = 14695981039346656037, 1099511628211
	h := uint64(offset)
	for i := range len(path) {
		h = (h ^ uint64(path[i])) * prime
	}
	return base32(h)
}

// timeKey orders the whole range of int64, the newest first.
func timeKey(createdAt int64) string {
	return base32(^(uint64(createdAt) ^ 1<<63))
}

// base32 writes 64 bits so that text order is number order.
func base32(n uint64) string {
	const digits = "0123456789abcdefghijklmnopqrstuv"
	var out [keyDigits]byte
	for i := keyDigits - 1; i >= 0; i-- {
		out[i] = digits[n&31]
		n >>= 5
	}
	return string(out[:])
}
