package app

// Sizes of the parts of a log.
const (
	// chunkSize is how many entries a part gets when it is filled.
	chunkSize = 20
	// chunkMax is how many entries a part may hold after late ones were put
	// in between; past it everything is laid out anew.
	chunkMax = 3 * chunkSize
	// headroom is how many empty places a log begins with, to be filled by
	// older parts.
	headroom = 64
	// slotsMax is how many slots, most of them empty by then, a log may have
	// before it is laid out anew.
	slotsMax = 1024
)

// chunk is a part of a log: a run of neighbouring entries, with "" in the place
// of one that is gone, so that the others keep theirs. Chunks are never changed
// once made, so a part with the same pointer shows the same entries.
type chunk struct{ ids []string }

// first and last are the outermost entries of a chunk.
func (c *chunk) first() string {
	for _, id := range c.ids {
		if id != "" {
			return id
		}
	}
	return ""
}

func (c *chunk) last() string {
	for i := len(c.ids) - 1; i >= 0; i-- {
		if c.ids[i] != "" {
			return c.ids[i]
		}
	}
	return ""
}

// slots lays a log out so that entries keep their places. go-app matches
// children by index, so without this an older message put on top, or the oldest
// taken away, would build every other one anew. A slot is nil or a chunk; only
// chunks are filled, slots stay where they are.
type slots []*chunk

// arrange lays out order, keeping every chunk that can be kept.
func (s slots) arrange(order []string) slots {
	at := make(map[string]int, len(order))
	for i, id := range order {
		at[id] = i
	}
	kept, ok := s.keep(at)
	if !ok {
		return layOut(order)
	}
	return kept.fill(order, at)
}

// keep empties the places of entries that are gone. It reports false when
// nothing is left to build on, or when the order of what is left has changed.
func (s slots) keep(at map[string]int) (slots, bool) {
	next := make(slots, len(s))
	last, any := -1, false
	for i, c := range s {
		if c == nil {
			continue
		}
		ids := make([]string, len(c.ids))
		changed, left := false, false
		for k, id := range c.ids {
			p, there := at[id]
			if id == "" || !there {
				changed = changed || id != ""
				continue
			}
			if p < last {
				return nil, false
			}
			last, ids[k], left = p, id, true
		}
		switch {
		case !left:
		case changed:
			next[i] = &chunk{ids}
		default:
			next[i] = c
		}
		any = any || left
	}
	return next, any
}

// fill puts the new entries of order in: older ones into the empty slots before
// the first chunk, newer ones behind the last, others beside their neighbour.
func (s slots) fill(order []string, at map[string]int) slots {
	known := make(map[string]bool, len(order))
	first, last := -1, -1
	for i, c := range s {
		if c == nil {
			continue
		}
		if first < 0 {
			first = i
		}
		last = i
		for _, id := range c.ids {
			if id != "" {
				known[id] = true
			}
		}
	}
	begin, end := at[s[first].first()], at[s[last].last()]
	if end-begin+1 != len(known) {
		s = s.between(order[begin:end+1], known)
	}
	if s == nil || len(s) > slotsMax {
		return layOut(order)
	}
	s = s.append(order[end+1:], last)
	return s.prepend(order[:begin], first, order)
}

// between puts late entries into the chunk of the entry before them. It returns
// nil when a chunk would get too large.
func (s slots) between(order []string, known map[string]bool) slots {
	next := 0
	for i, c := range s {
		if c == nil {
			continue
		}
		var ids []string
		inserted := false
		for _, id := range c.ids {
			if id == "" {
				continue
			}
			for next < len(order) && order[next] != id {
				ids, inserted = append(ids, order[next]), true
				next++
			}
			ids = append(ids, id)
			next++
		}
		for next < len(order) && !known[order[next]] {
			ids, inserted = append(ids, order[next]), true
			next++
		}
		if len(ids) > chunkMax {
			return nil
		}
		if inserted {
			s[i] = &chunk{ids}
		}
	}
	return s
}

func (s slots) append(ids []string, last int) slots {
	if len(ids) == 0 {
		return s
	}
	s = s[:last+1]
	if room := chunkSize - len(s[last].ids); room > 0 {
		n := min(room, len(ids))
		s[last] = &chunk{append(append([]string(nil), s[last].ids...), ids[:n]...)}
		ids = ids[n:]
	}
	return append(s, chunks(ids)...)
}

func (s slots) prepend(ids []string, first int, order []string) slots {
	parts := chunks(ids)
	if len(parts) > first {
		return layOut(order)
	}
	copy(s[first-len(parts):first], parts)
	return s
}

// layOut begins anew, with room for older entries.
func layOut(order []string) slots {
	if len(order) == 0 {
		return nil
	}
	return append(make(slots, headroom), chunks(order)...)
}

func chunks(ids []string) slots {
	var parts slots
	for len(ids) > 0 {
		n := min(chunkSize, len(ids))
		parts = append(parts, &chunk{append([]string(nil), ids[:n]...)})
		ids = ids[n:]
	}
	return parts
}
