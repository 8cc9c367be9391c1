package relay

import (
	"testing"
	"unicode/utf8"
)

// FuzzMessage: whatever a client sends is read or refused, and what is read is
// within the limits.
func FuzzMessage(f *testing.F) {
	for _, m := range malformed() {
		if len(m) < 1000 {
			f.Add([]byte(m))
		}
	}
	f.Add([]byte(`["REQ","a",{"ids":["` + randomKey(1) + `"],"kinds":[1],"#t":["x"],"since":1,"until":2,"limit":0}]`))
	f.Fuzz(func(t *testing.T, data []byte) {
		label, parts, err := splitMessage(data)
		if err != nil || label != msgReq {
			return
		}
		id, filters, err := readRequest(parts)
		if err != nil {
			return
		}
		if n := utf8.RuneCountInString(id); n < 1 || n > MaxSubID || len(filters) < 1 || len(filters) > MaxFilters {
			t.Errorf("id %q, %d filters", id, len(filters))
		}
		for _, filter := range filters {
			for _, v := range append(filter.IDs, filter.Authors...) {
				if !isHex(v, 64) {
					t.Errorf("%q was taken for an id or key", v)
				}
			}
			if filter.LimitZero && filter.Limit != 0 || filter.Limit < 0 {
				t.Errorf("limit %d", filter.Limit)
			}
		}
	})
}
