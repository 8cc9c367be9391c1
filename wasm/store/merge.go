package store

import "container/heap"

// stream gives the records under one path, newest first.
type stream interface {
	// peek gives the next record; ok is false at the end.
	peek() (r Record, ok bool, err error)
	// skip goes past the record peek gave.
	skip()
}

// merge answers a query from streams that together hold every match.
func merge(q Query, streams []stream) ([]Record, error) {
	h := make(heads, 0, len(streams))
	for _, s := range streams {
		if err := h.add(s); err != nil {
			return nil, err
		}
	}
	heap.Init(&h)
	var found []Record
	last := ""
	for len(h) > 0 && (q.Limit <= 0 || len(found) < q.Limit) {
		top := &h[0]
		// An event under several paths comes out of several streams in a row.
		if id := top.record.Event.ID; id != last && matches(q, top.record) {
			found = append(found, top.record)
			last = id
		}
		top.from.skip()
		next, ok, err := top.from.peek()
		switch {
		case err != nil:
			return nil, err
		case ok:
			top.record = next
			heap.Fix(&h, 0)
		default:
			heap.Pop(&h)
		}
	}
	return found, nil
}

type head struct {
	record Record
	from   stream
}

// heads is a heap of streams by their next record.
type heads []head

func (h *heads) add(s stream) error {
	r, ok, err := s.peek()
	if ok {
		*h = append(*h, head{r, s})
	}
	return err
}

func (h heads) Len() int           { return len(h) }
func (h heads) Less(i, j int) bool { return byNewest(h[i].record, h[j].record) < 0 }
func (h heads) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *heads) Push(x any)        { *h = append(*h, x.(head)) }
func (h *heads) Pop() any {
	old := *h
	last := old[len(old)-1]
	*h = old[:len(old)-1]
	return last
}

// finish sorts an unordered answer and cuts it to the query.
func finish(q Query, records []Record) []Record {
	s := &sliceStream{records: records}
	s.sort()
	found, _ := merge(q, []stream{s}) // a slice cannot fail
	return found
}
