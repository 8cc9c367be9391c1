package room

import (
	"reflect"
	"strings"
	"testing"

	"github.com/nbd-wtf/go-nostr"
)

// FuzzAdd reads events out of text, a line each: kind, author, created_at, then
// tags divided by "|" with elements divided by ",", where "#n" is the id of
// line n. Whatever they are, the room stands, and reversed it is the same.
func FuzzAdd(f *testing.F) {
	f.Add("\x09\x00\x64|q,#1|h\n\x0c\x01\x63|e,#0,,root")
	f.Add("\x09\x00\x64|q,#1\n\x09\x00\x64|q,#0\n\x05\x00\x01|e,#1|e")
	f.Add("\x07\x00\x64|e,#0|e,|,|p\n\x00\x01\x02")
	f.Add("\x0b\x00\x64|imeta,url https://x,size 9|title,\xff\n\x12\x00\x64|E,#0|e,#0")
	kinds := []int{9, 11, 12, 1111, 43001, 7, 5, 9005, 40003, 9000, 9001, 39000, 39001, 39002, 0, 20001}
	f.Fuzz(func(t *testing.T, text string) {
		var set []seenEvent
		for n, line := range strings.Split(text, "\n") {
			if n == 40 || len(line) < 3 {
				break
			}
			e := ev(n, kinds[int(line[0])%len(kinds)], []string{ana, bob, relay}[line[1]%3], int64(line[2]), line)
			for _, tag := range strings.Split(line[3:], "|") {
				var values nostr.Tag
				for _, v := range strings.Split(tag, ",") {
					if len(v) == 2 && v[0] == '#' {
						v = id(int(v[1] - '0'))
					}
					values = append(values, v)
				}
				e.Tags = append(e.Tags, values)
			}
			if isState(e.Kind) {
				e.Tags = append(e.Tags, nostr.Tag{"d", here.ID})
			}
			set = append(set, seenEvent{e, int64(line[1])})
		}
		forward := fold(set, false)
		backward := New(here, relay, nil)
		for i := range set {
			backward.Add(set[len(set)-1-i].e, set[len(set)-1-i].seen)
			backward.flush()
		}
		if got, want := snap(backward, len(set)), snap(forward, len(set)); !reflect.DeepEqual(got, want) {
			t.Error(difference(got, want))
		}
		for _, s := range set {
			forward.Remove(s.e.ID)
		}
		if forward.timeline.size != 0 || len(forward.events) != 0 || len(forward.children) != 0 {
			t.Error("something is left")
		}
	})
}
