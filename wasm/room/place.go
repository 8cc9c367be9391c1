package room

import (
	"cmp"
	"slices"
)

// maxNest is how many levels of children pushed behind their parents an order
// tells apart. Deeper ones share the last level, still behind their parents, so
// that no chain of odd clocks makes an order expensive.
const maxNest = 32

// step is one level of a place: deeper counts the levels beyond maxNest.
type step struct {
	deeper int
	key    Key
}

func (s step) compare(o step) int {
	if c := cmp.Compare(s.deeper, o.deeper); c != 0 {
		return c
	}
	return s.key.Compare(o.key)
}

// place is where a message stands among all of its room: its own key, or, when
// that would put it before something it references, the place of the last of
// those followed by its own key. Places compare level by level, a prefix first,
// so a pushed child stands right after its parent, before all that follows.
type place []step

func (p place) compare(o place) int { return slices.CompareFunc(p, o, step.compare) }

// mark is the reading position of having read this far: the key of the top
// level, so that a pushed child is read with its parent.
func (p place) mark() Mark { return Mark(p[0].key) }

// under returns the place of a child with that key right after its parent.
func (p place) under(key Key) place {
	if len(p) < maxNest {
		return append(slices.Clip(p), step{key: key})
	}
	child := slices.Clone(p)
	last := &child[len(child)-1]
	last.deeper++
	last.key = key
	return child
}

// flush gives every message that waits for one its place. It waits until
// somebody reads, since a batch is placed faster with parents first.
func (f *Fold) flush() {
	if len(f.pending) == 0 {
		return
	}
	f.closeCycles(f.pending) // may add members of cycles
	sorted := f.parentsFirst(f.pending)
	f.pending = nil
	for _, n := range sorted {
		f.settle(n)
	}
}

// parentsFirst sorts messages so that each stands behind those of its parents
// that are among them.
func (f *Fold) parentsFirst(nodes []*node) []*node {
	waiting := make(map[*node]bool, len(nodes))
	for _, n := range nodes {
		waiting[n] = true
	}
	sorted := make([]*node, 0, len(nodes))
	var visit func(n *node)
	visit = func(n *node) {
		delete(waiting, n)
		for _, id := range n.parents {
			if p := f.message(id); p != nil && waiting[p] {
				visit(p)
			}
		}
		sorted = append(sorted, n)
	}
	for _, n := range nodes {
		if waiting[n] {
			visit(n)
		}
	}
	return sorted
}

// settle gives a message its place, and moves the children that this sends
// elsewhere, until nothing moves any more. A place depends on the places of
// parents only, and references inside a cycle do not count, so this ends, and
// ends the same whatever came first.
func (f *Fold) settle(n *node) {
	for queue := []*node{n}; len(queue) > 0; {
		n, queue = queue[0], queue[1:]
		want := f.wantedPlace(n)
		if n.place != nil && n.place.compare(want) == 0 {
			continue
		}
		f.unlist(n)
		n.place = want
		f.list(n)
		for _, c := range f.children[n.e.ID] {
			if c.place != nil {
				queue = append(queue, c)
			}
		}
	}
}

func (f *Fold) wantedPlace(n *node) place {
	own := place{{key: n.key()}}
	var last place
	for _, id := range n.parents {
		p := f.message(id)
		if p == nil || p.place == nil || p.cycle != "" && p.cycle == n.cycle {
			continue
		}
		if last == nil || last.compare(p.place) < 0 {
			last = p.place
		}
	}
	if last == nil || own.compare(last) > 0 {
		return own
	}
	return last.under(n.key())
}
