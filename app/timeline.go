package app

import (
	"cmp"
	"slices"

	"parley/components"
	"parley/wasm/port"
	"parley/wasm/room"
)

// joinWithin is the time in seconds within which two messages of one author
// stand under one name.
const joinWithin = 5 * 60

// timeline is a room or thread as the page shows it: the newest of what the
// core said about a watch. Items are never changed once taken in.
type timeline struct {
	watch    string
	me       string         // my public key
	info     *port.RoomInfo // nil until it is known
	infos    int            // how often it came
	items    map[string]*port.Item
	order    []string
	slots    slots
	parts    map[*chunk]*part
	mounted  mounting
	loading  bool
	empty    bool // the room has nothing: whatever comes is new
	problem  string
	older    bool
	newer    int
	divider  string
	unread   int
	draft    string
	draftKey string
	typing   []string
	root     string // threads
	resets   int    // how often everything was forgotten
}

// part is a run of rows that is drawn as one, with empty ones in the place of
// those that are gone. It is never changed: rows that differ come as a new part.
type part struct{ rows []row }

// row is one entry with what stands around it.
type row struct {
	id     string
	item   *port.Item
	day    int64 // a moment of the day that begins here, else 0
	first  bool  // the first unread one
	joined bool  // under the name of the one before
	write  bool  // the person may write here
	me     string
	path   string
}

func newTimeline(watch string) *timeline {
	return &timeline{watch: watch, loading: true}
}

// take merges an update. It returns the messages that are new at the end,
// oldest first; none when everything was forgotten before.
func (t *timeline) take(u port.Timeline) (fresh []*port.Item) {
	if u.Reset {
		*t = timeline{watch: t.watch, info: t.info, infos: t.infos, resets: t.resets + 1, draft: u.Draft, draftKey: u.DraftKey}
	}
	if u.Info != nil {
		t.info = u.Info
		t.infos++
	}
	known := t.items
	last := ""
	if len(t.order) > 0 {
		last = t.order[len(t.order)-1]
	}
	t.items = make(map[string]*port.Item, len(u.Order))
	changed := make(map[string]*port.Item, len(u.Items))
	for i := range u.Items {
		changed[u.Items[i].Message.ID] = &u.Items[i]
	}
	t.order = t.order[:0:0]
	behind := t.empty
	for _, id := range u.Order {
		item := changed[id]
		if item == nil {
			item = known[id]
		}
		if item == nil {
			continue // an entry whose item has not come is not there yet
		}
		t.order = append(t.order, id)
		t.items[id] = item
		if _, had := known[id]; behind && !had {
			fresh = append(fresh, item)
		}
		behind = behind || id == last
	}
	t.loading, t.problem, t.older, t.newer = u.Loading, u.Problem, u.Older, u.Newer
	t.empty = len(u.Order) == 0 && !u.Loading
	t.divider, t.unread, t.typing, t.root = u.Divider, u.Unread, u.Typing, u.RootID
	t.layOut()
	return fresh
}

// layOut makes the parts anew, keeping those that have not changed.
func (t *timeline) layOut() {
	t.slots = t.slots.arrange(t.order)
	parts := make(map[*chunk]*part, len(t.parts))
	var before *port.Item
	for _, c := range t.slots {
		if c == nil {
			continue
		}
		p := &part{rows: make([]row, 0, len(c.ids))}
		for _, id := range c.ids {
			if id == "" {
				p.rows = append(p.rows, row{})
				continue
			}
			p.rows = append(p.rows, t.row(id, before))
			before = t.items[id]
		}
		if old := t.parts[c]; old != nil && sameRows(old.rows, p.rows) {
			p = old
		}
		parts[c] = p
	}
	t.parts = parts
}

func (t *timeline) row(id string, before *port.Item) row {
	item := t.items[id]
	r := row{id: id, item: item, first: id == t.divider, write: t.info != nil && t.info.CanWrite, me: t.me}
	m := &item.Message
	if before == nil || components.DayOf(before.Message.At) != components.DayOf(m.At) {
		r.day = m.At
	}
	r.joined = before != nil && r.day == 0 && !r.first &&
		before.Message.Author.PubKey == m.Author.PubKey && m.At-before.Message.At < joinWithin &&
		m.ReplyTo == nil && m.Subject == "" && !isCard(item) && !isCard(before)
	if t.info != nil && t.root == "" {
		r.path = Route{Page: Thread, Room: t.info.Meta.Ref, ID: cmp.Or(m.Root, id)}.Path()
	}
	return r
}

// isCard reports whether an entry is drawn as a form or a card, with its own
// name above it.
func isCard(item *port.Item) bool { return item.Ask != nil || item.Task != nil }

func sameRows(a, b []row) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// authors are those who wrote what is loaded, whoever wrote last first.
func (t *timeline) authors() []room.Person {
	var list []room.Person
	known := map[string]bool{}
	for _, id := range slices.Backward(t.order) {
		if who := t.items[id].Message.Author; !known[who.PubKey] {
			known[who.PubKey] = true
			list = append(list, who)
		}
	}
	return list
}

// last is the id of the newest entry of the window, or "".
func (t *timeline) last() string {
	if len(t.order) == 0 {
		return ""
	}
	return t.order[len(t.order)-1]
}

// lastOwn is the id of the newest message of mine whose words can be changed,
// or "".
func (t *timeline) lastOwn() string {
	for i := len(t.order) - 1; i >= 0; i-- {
		item := t.items[t.order[i]]
		if item.Own && !isCard(item) && item.Message.Kind != 43001 {
			return item.Message.ID
		}
	}
	return ""
}
