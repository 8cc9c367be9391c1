package relay

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/gorilla/websocket"
	"github.com/nbd-wtf/go-nostr"
)

// malformed are messages that no honest client sends.
func malformed() []string {
	id, sig := strings.Repeat("a", 64), strings.Repeat("b", 128)
	event := func(field, value string) string {
		fields := map[string]string{
			"id": `"` + id + `"`, "pubkey": `"` + id + `"`, "created_at": "1", "kind": "1", "tags": "[]",
			"content": `""`, "sig": `"` + sig + `"`,
		}
		fields[field] = value
		var b strings.Builder
		for name, v := range fields {
			fmt.Fprintf(&b, ",%q:%s", name, v)
		}
		return `["EVENT",{` + b.String()[1:] + `}]`
	}
	return []string{
		``, `x`, `null`, `{}`, `[]`, `[1]`, `[""]`, `["d"]`, `[["EVENT"]]`, `["EVENT"]`, `["EVENT",null]`, `["EVENT",[]]`,
		`["EVENT",{}]`, `["EVENT","x"]`, `["EVENT",{"id":1}]`, `["REQ"]`, `["REQ",1]`, `["REQ",""]`, `["REQ","a"]`, `["REQ","a",null]`,
		`["REQ","a",[]]`, `["REQ","a",{"kinds":"1"}]`, `["REQ","a",{"kinds":[1.5]}]`, `["REQ","a",{"kinds":null}]`,
		`["REQ","a",{"ids":["ab"]}]`, `["REQ","a",{"authors":[1]}]`, `["REQ","a",{"limit":-1}]`, `["REQ","a",{"limit":"5"}]`,
		`["REQ","a",{"since":"x"}]`, `["REQ","a",{"#e":["zz"]}]`, `["REQ","a",{"#hh":["zz"]}]`, `["REQ","a",{"search":"x"}]`,
		`["REQ","` + strings.Repeat("i", MaxSubID+1) + `",{}]`, `["CLOSE"]`, `["CLOSE",1]`, `["CLOSE","none"]`,
		`["COUNT"]`, `["COUNT","c"]`, `["AUTH"]`, `["AUTH","x"]`, `["AUTH",{}]`, `["OK","x"]`, `["` + strings.Repeat("L", 9000) + `",1]`,
		event("kind", `"1"`), event("kind", "-1"), event("kind", "65536"), event("kind", "1e99"), event("created_at", "-5"),
		event("tags", `[["d"]]`), event("tags", `[[]]`), event("tags", `null`), event("tags", `{"a":1}`), event("tags", `[[1]]`),
		event("content", "5"), event("sig", `""`), event("pubkey", `"`+strings.Repeat("A", 64)+`"`), event("id", "null"),
		`["EVENT",` + strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000) + `]`,
		`["REQ","deep",{"x":` + strings.Repeat(`{"x":`, 11_000) + "1" + strings.Repeat("}", 11_000) + `}]`,
		"[\"REQ\",\"\xff\",{}]",
		`["REQ","many"` + strings.Repeat(`,{}`, MaxFilters+1) + `]`,
	}
}

// TestHostileMessages: each bad message is answered or dropped, and the same
// connection goes on working after all of them.
func TestHostileMessages(t *testing.T) {
	p := openPlace(t, nil)
	c := p.dial(t)
	for _, m := range malformed() {
		c.sendRaw([]byte(m))
		c.sync()
	}
	if err := c.ws.WriteMessage(websocket.BinaryMessage, []byte{1, 2}); err != nil {
		t.Fatal(err)
	}
	c.want(func(h heard) bool {
		return h.label == msgNotice && strings.Contains(h.words, "messages must be text")
	})
	c.accept(newPerson(t, 1).sign(t, 1, "still here"))
	for _, h := range c.got {
		prefix, _, _ := strings.Cut(h.words, ":")
		if h.label != msgEOSE && !slices.Contains(append(prefixes, "unsupported"), prefix) {
			t.Errorf("an answer without a prefix: %+v", h)
		}
	}
}

// TestShortTags: a tag of one item is no reason to fall, stored or asked for.
func TestShortTags(t *testing.T) {
	p := openPlace(t, nil)
	ann, c := newPerson(t, 1), p.dial(t)
	short := nostr.Tags{{"d"}, {"e"}, {"p"}, {"a"}, {"expiration"}, {"request"}, {"k"}, {"-x"}}
	for _, kind := range []int{0, 1, 5, 7, 1059, 1111, 10002, 20500, 30023, 31340} {
		c.accept(ann.sign(t, kind, "", short...))
	}
	if got := c.ask("all", obj{"authors": []string{ann.key}}); len(got) != 8 {
		t.Errorf("got %d events of 8, without the wrap or what is passed on", len(got))
	}
	c.refuse(invalid, ann.sign(t, 9, "", nostr.Tag{"h"}))
}

func TestSizes(t *testing.T) {
	p := openPlace(t, nil)
	ann, c := newPerson(t, 1), p.dial(t)
	room := nostr.Tag{"h", lobbyID}
	longest := ann.sign(t, 9, strings.Repeat("x", MaxContent), room)
	c.accept(longest)
	if got := c.ask("back", obj{"ids": []string{longest.ID}}); len(got) != 1 || len(got[0].Content) != MaxContent {
		t.Error("2 MiB of content did not come back")
	}
	wide := ann.sign(t, 9, strings.Repeat("é", MaxContent/2+1), room) // more bytes, fewer characters
	c.accept(wide)
	c.refuse(invalid, ann.sign(t, 9, strings.Repeat("x", MaxContent+1), room))
	tags := slices.Repeat(nostr.Tags{{"t", "x"}}, MaxTags)
	c.accept(ann.sign(t, 1, "", tags...))
	c.refuse(invalid, ann.sign(t, 1, "", append(tags, nostr.Tag{"t", "x"})...))
	other := p.dial(t)
	other.sendRaw(padded(MaxMessage))
	other.sync()
	other.sendRaw(padded(MaxMessage + 1))
	other.waitEnd()
	if !websocket.IsCloseError(other.end, websocket.CloseMessageTooBig) {
		t.Errorf("a message over the limit ended with %v", other.end)
	}
	c.sync()
}

// padded is a CLOSE of so many bytes.
func padded(bytes int) []byte {
	m := []byte(`["CLOSE","x"` + strings.Repeat(" ", bytes) + `]`)
	return append(m[:bytes-1:bytes-1], ']')
}

func TestSubscriptionLimit(t *testing.T) {
	p := openPlace(t, nil)
	c := p.dial(t)
	for i := range MaxSubs {
		if words := c.closed(fmt.Sprint(i), obj{"kinds": []int{1}}); words != "" {
			t.Fatalf("subscription %d: %s", i, words)
		}
	}
	if words := c.closed("one more", obj{}); !strings.HasPrefix(words, rateLimited) {
		t.Errorf("over the limit: %q", words)
	}
	if words := c.closed("0", obj{"kinds": []int{2}}); words != "" {
		t.Errorf("replacing a subscription: %s", words)
	}
	c.send(msgClose, "1")
	if words := c.closed("one more", obj{}); words != "" {
		t.Errorf("after a CLOSE: %s", words)
	}
}

func TestFilterLimits(t *testing.T) {
	p := openPlace(t, nil)
	c := p.dial(t)
	filters := slices.Repeat([]any{obj{"kinds": []int{1}}}, MaxFilters)
	if words := c.closed("a", filters...); words != "" {
		t.Error(words)
	}
	if words := c.closed("a", append(filters, obj{})...); !strings.HasPrefix(words, invalid) {
		t.Errorf("too many filters: %q", words)
	}
	values := make([]string, MaxFilterValues)
	for i := range values {
		values[i] = fmt.Sprint(i)
	}
	if words := c.closed("a", obj{"#t": values}); words != "" {
		t.Error(words)
	}
	if words := c.closed("a", obj{"#t": append(values, "x")}); !strings.HasPrefix(words, invalid) {
		t.Errorf("too many values: %q", words)
	}
}

func TestConnectionsPerIP(t *testing.T) {
	p := openPlace(t, func(c *Config) { c.Limits.ConnsPerIP = 2 })
	first := p.dial(t)
	p.dial(t).sync()
	_, response, err := websocket.DefaultDialer.Dial(p.url, nil)
	if err == nil || response.StatusCode != http.StatusTooManyRequests {
		t.Fatalf("a third connection: %v %v", response, err)
	}
	first.ws.Close()
	deadline := newDeadline(t)
	for {
		ws, _, err := websocket.DefaultDialer.Dial(p.url, nil)
		if err == nil {
			ws.Close()
			return
		}
		deadline.check("there is no place after one has left")
	}
}

func TestRates(t *testing.T) {
	p := openPlace(t, func(c *Config) {
		c.Limits = Limits{EventRate: 1, EventBurst: 3, RequestRate: 1, RequestBurst: 5, ByteRate: 1, ByteBurst: 4000}
	})
	ann, c := newPerson(t, 1), p.dial(t)
	for range 3 {
		c.accept(ann.sign(t, 1, fmt.Sprint(serial.Add(1))))
	}
	c.refuse(rateLimited, ann.sign(t, 1, "a fourth"))
	for i := range 5 {
		if words := c.closed(fmt.Sprint(i), obj{"kinds": []int{1}}); words != "" {
			t.Error(words)
		}
	}
	if words := c.closed("6", obj{}); !strings.HasPrefix(words, rateLimited) {
		t.Errorf("over the limit: %q", words)
	}
}

// TestBuckets: a bucket fills by its rate up to its burst.
func TestBuckets(t *testing.T) {
	clock := newClock()
	g := newGates(Limits{EventRate: 10, EventBurst: 20, ByteRate: 100, ByteBurst: 1000}.withDefaults(), clock.now)
	take := func() int {
		n := 0
		for {
			if _, ok := g.event("ip", 1, 1); !ok {
				return n
			}
			n++
		}
	}
	if n := take(); n != 20 {
		t.Errorf("at once: %d", n)
	}
	clock.pass(1)
	if n := take(); n != 10 {
		t.Errorf("after a second: %d", n)
	}
	if wait, ok := g.event("ip", 1, 1); ok || wait.Milliseconds() < 1 || wait.Milliseconds() > 101 {
		t.Errorf("the wait for the next: %v", wait)
	}
	if _, ok := g.event("other", 1, 1000); !ok {
		t.Error("another address must wait, too")
	}
	if _, ok := g.event("other", 1, 1); ok {
		t.Error("there are bytes left after the burst")
	}
	clock.pass(3600)
	g.sweep()
	if len(g.buckets) != 0 {
		t.Errorf("%d buckets are kept for nobody", len(g.buckets))
	}
	g.limits.Off = true
	if _, ok := g.event("other", 1, 1<<30); !ok {
		t.Error("lifted limits still hold")
	}
}

// TestCosts: an event that makes more work counts as more.
func TestCosts(t *testing.T) {
	tags := func(n int) nostr.Tags { return slices.Repeat(nostr.Tags{{"t", "x"}}, n) }
	for _, test := range []struct {
		ev   nostr.Event
		want int
	}{
		{nostr.Event{Kind: 9, Tags: tags(tagsPerEvent - 1)}, 1},
		{nostr.Event{Kind: 9, Tags: tags(tagsPerEvent)}, 2},
		{nostr.Event{Kind: 9, Tags: tags(MaxTags)}, 1 + MaxTags/tagsPerEvent},
		{nostr.Event{Kind: kindCreateRoom, Tags: tags(1)}, 1 + roomCost},
	} {
		if got := costOf(&test.ev); got != test.want {
			t.Errorf("kind %d with %d tags: %d, want %d", test.ev.Kind, len(test.ev.Tags), got, test.want)
		}
	}
}

// TestTurns: one address never has all looks into the store.
func TestTurns(t *testing.T) {
	turns := newTurns()
	for range ReadsPerIP {
		turns.take("a")
	}
	more := make(chan string, 2)
	go func() { turns.take("a"); more <- "a" }() // ends with a turn
	turns.take("b")
	turns.give("b")
	select {
	case who := <-more:
		t.Errorf("%s has more than its share", who)
	default:
	}
	turns.give("a")
	if who := <-more; who != "a" {
		t.Error(who)
	}
}

func TestLongMessagePlaces(t *testing.T) {
	g := newGates(Limits{}.withDefaults(), newClock().now)
	for i := range LongPerIP {
		if !g.enterLong("a") {
			t.Fatalf("no place for long message %d", i)
		}
	}
	if g.enterLong("a") {
		t.Error("an address has more places than its own")
	}
	for i := range LongMessages - LongPerIP {
		if !g.enterLong(fmt.Sprint(i)) {
			t.Fatalf("no place for long message %d of others", i)
		}
	}
	if g.enterLong("b") {
		t.Error("there is no end of places")
	}
	g.leaveLong("a")
	if !g.enterLong("b") {
		t.Error("a place that was left is not free")
	}
}

// TestAnswersAreJSON: words with quotes in them stay in their string.
func TestAnswersAreJSON(t *testing.T) {
	var parts []any
	if err := json.Unmarshal(message(msgClosed, `a"b`, "x\n<>"), &parts); err != nil || parts[1] != `a"b` {
		t.Errorf("%v %v", parts, err)
	}
}
