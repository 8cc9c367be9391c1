package store

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/nbd-wtf/go-nostr"
)

// maxArms is into how many ordered index walks a filter is split. With more
// combinations of values the matching rows are sorted instead.
const maxArms = 24

// arm is one SELECT over one index: it gives ord and id.
type arm struct {
	table string
	ord   string // the table's alias and a dot
	where []string
	args  []any
}

func (a *arm) and(condition string, args ...any) {
	a.where = append(a.where, condition)
	a.args = append(a.args, args...)
}

// clone leaves room for the conditions that differ between arms.
func (a arm) clone() arm {
	a.where, a.args = slices.Clone(a.where), slices.Clone(a.args)
	return a
}

// plan turns a filter into arms. Which index leads is decided here and not by
// SQLite, which knows nothing of the sizes: the most telling condition first.
func plan(f nostr.Filter) []arm {
	var lead arm
	var dims []dim
	kinds := dim{"", anys(f.Kinds)}
	tags := tagDims(f.Tags)
	switch {
	case f.IDs != nil:
		lead = arm{table: "events e", ord: "e."}
		lead.and("e.id IN ("+marks(len(f.IDs))+")", keys(f.IDs)...)
		lead.filter(f, tags, true, true)
		return []arm{lead}
	case len(tags) > 0 && (tags[0].name != "h" || len(f.Kinds) == 0):
		lead = arm{table: "tags t", ord: "t."}
		if len(f.Authors) > 0 || len(f.Tags["h"]) > 0 && tags[0].name != "h" {
			lead.table += " CROSS JOIN events e ON e.id = t.id"
		}
		lead.and("t.name = ?", tags[0].name)
		dims = []dim{{"t.value", tags[0].values}}
		if len(f.Kinds) > 0 {
			lead.and("t.kind IN ("+marks(len(f.Kinds))+")", kinds.values...)
		}
		lead.filter(f, tags[1:], false, true)
	case len(tags) > 0: // a room, of some kinds
		lead = arm{table: "events e INDEXED BY events_room", ord: "e."}
		dims = []dim{{"e.room", tags[0].texts()}, {"e.kind", kinds.values}}
		lead.and("e.room IS NOT NULL")
		lead.filter(f, tags[1:], false, true)
	case len(f.Authors) > 0 && len(f.Kinds) > 0:
		lead = arm{table: "events e INDEXED BY events_author", ord: "e."}
		dims = []dim{{"e.pubkey", keys(f.Authors)}, {"e.kind", kinds.values}}
	case len(f.Authors) > 0:
		lead = arm{table: "events e INDEXED BY events_author", ord: "e."}
		lead.filter(f, nil, false, true)
	case len(f.Kinds) > 0:
		lead = arm{table: "events e INDEXED BY events_kind", ord: "e."}
		dims = []dim{{"e.kind", kinds.values}}
	default:
		lead = arm{table: "events e INDEXED BY events_time", ord: "e."}
	}
	return lead.split(dims)
}

// dim is a column and the values it may have.
type dim struct {
	name   string
	values []any
}

// texts are the values as the column room has them.
func (d dim) texts() []any {
	out := make([]any, len(d.values))
	for i, v := range d.values {
		out[i] = v
		if b, ok := v.([]byte); ok {
			out[i] = hexOf(b)
		}
	}
	return out
}

// filter adds the conditions that no index leads.
func (a *arm) filter(f nostr.Filter, tags []dim, kinds, authors bool) {
	if kinds && len(f.Kinds) > 0 {
		a.and("e.kind IN ("+marks(len(f.Kinds))+")", anys(f.Kinds)...)
	}
	if authors && len(f.Authors) > 0 {
		a.and("e.pubkey IN ("+marks(len(f.Authors))+")", keys(f.Authors)...)
	}
	for _, tag := range tags {
		if tag.name == "h" {
			a.and("e.room IN ("+marks(len(tag.values))+")", tag.texts()...)
			continue
		}
		args := append([]any{tag.name}, tag.values...)
		a.and("EXISTS (SELECT 1 FROM tags x WHERE x.name = ? AND x.value IN ("+marks(len(tag.values))+
			") AND x.ord = "+a.ord+"ord AND x.id = "+a.ord+"id)", args...)
	}
}

// split makes one arm for each combination of values, so that each walks its
// index in order and stops early.
func (a arm) split(dims []dim) []arm {
	n := 1
	for _, d := range dims {
		n *= len(d.values)
	}
	if n > maxArms {
		for _, d := range dims {
			a.and(d.name+" IN ("+marks(len(d.values))+")", d.values...)
		}
		return []arm{a}
	}
	arms := []arm{a}
	for _, d := range dims {
		var next []arm
		for _, base := range arms {
			for _, v := range d.values {
				one := base.clone()
				one.and(d.name+" = ?", v)
				next = append(next, one)
			}
		}
		arms = next
	}
	return arms
}

// tagDims are the tag conditions, the most telling first.
func tagDims(tags nostr.TagMap) []dim {
	var out []dim
	for name, values := range tags {
		d := dim{name: name}
		for _, v := range values {
			d.values = append(d.values, tagValue(v))
		}
		out = append(out, d)
	}
	// Many events share a room, a person, a kind or a topic; few share the
	// event they answer or the address they have.
	const common = "pPkKth"
	slices.SortFunc(out, func(a, b dim) int {
		return cmp.Or(cmp.Compare(strings.Index(common, a.name), strings.Index(common, b.name)), cmp.Compare(a.name, b.name))
	})
	return out
}

// sql is the query for the next keys of the arms after a cursor.
func selectKeys(arms []arm, f nostr.Filter, after Key, limit int) (string, []any) {
	from, to := int64(math.MinInt64), int64(math.MaxInt64)
	if f.Until != nil {
		from = negate(int64(*f.Until))
	}
	if f.Since != nil {
		to = negate(int64(*f.Since))
	}
	var b strings.Builder
	var args []any
	for i, a := range arms {
		if i > 0 {
			b.WriteString(" UNION ")
		}
		if len(arms) > 1 {
			b.WriteString("SELECT * FROM (")
		}
		b.WriteString("SELECT " + a.ord + "ord AS ord, " + a.ord + "id AS id FROM " + a.table + " WHERE ")
		for _, w := range a.where {
			b.WriteString(w + " AND ")
		}
		args = append(args, a.args...)
		if after.id != nil {
			b.WriteString("(" + a.ord + "ord, " + a.ord + "id) > (?, ?) AND ")
			args = append(args, after.ord, after.id)
		}
		b.WriteString(a.ord + "ord BETWEEN ? AND ? ORDER BY " + a.ord + "ord, " + a.ord + "id LIMIT ?")
		args = append(args, from, to, limit)
		if len(arms) > 1 {
			b.WriteString(")")
		}
	}
	if len(arms) > 1 {
		b.WriteString(" ORDER BY ord, id LIMIT ?")
		args = append(args, limit)
	}
	return b.String(), args
}

// negate turns a date into an ord, for any number a client may send.
func negate(at int64) int64 {
	if at == math.MinInt64 {
		return math.MaxInt64
	}
	return -at
}
