package store

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"testing"
)

func TestSortKeysOrderLikeRecords(t *testing.T) {
	var all []Record
	for i, at := range []int64{0, 1, -1, 1700000000, 1700000001, math.MaxInt64, math.MinInt64} {
		for _, n := range []int{0x100 + i, 0x200} {
			ev := event(0, at, 9, "a")
			ev.ID = strings.Repeat("0", 5) + string("0123456789abcdef"[n>>4%16]) + strings.Repeat("0", 58)
			all = append(all, Record{Event: ev})
		}
	}
	key := func(r Record) string { return sortKey("path", int64(r.Event.CreatedAt), r.Event.ID) }
	slices.SortFunc(all, byNewest)
	if !slices.IsSortedFunc(all, func(a, b Record) int { return cmp.Compare(key(a), key(b)) }) {
		t.Fatal("keys sort differently")
	}
	if len(key(all[0])) != 2*keyDigits+idInKey {
		t.Fatalf("key %q", key(all[0]))
	}
}

func TestDamagedRecordsAreErrors(t *testing.T) {
	for _, text := range []string{"", "5", "x\n{}", "5\n", "5\n{", "\n{}"} {
		if _, err := decodeRecord(text); err == nil {
			t.Errorf("%q was read", text)
		}
	}
}
