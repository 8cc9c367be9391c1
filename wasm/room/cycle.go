package room

import "slices"

// Ids are hashes over what an event references, so no verified event references
// itself in a circle. A fold must not hang on forged ones all the same: the
// references inside a circle do not count for the order.

// closeCycles names the cycles that new messages may have closed: strongly
// connected parts of the graph of parents (Tarjan). Only a message with both
// parents and children can close one, so a room that fills from either end is
// never searched.
func (f *Fold) closeCycles(added []*node) {
	s := cycleSearch{fold: f, index: map[*node]int{}, low: map[*node]int{}}
	for _, n := range added {
		_, known := s.index[n]
		if !known && len(f.children[n.e.ID]) > 0 && f.hasParent(n) {
			s.visit(n)
		}
	}
}

func (f *Fold) hasParent(n *node) bool {
	return slices.ContainsFunc(n.parents, func(id string) bool { return f.message(id) != nil })
}

// openCycle forgets the cycle that a removed message was part of, and searches
// for what is left of it.
func (f *Fold) openCycle(removed *node) {
	if removed.cycle == "" {
		return
	}
	var members []*node
	for _, n := range f.events {
		if n.cycle == removed.cycle {
			n.cycle = ""
			members = append(members, n)
		}
	}
	f.closeCycles(members)
	f.pending = append(f.pending, members...)
}

// cycleSearch is one run of Tarjan's algorithm.
type cycleSearch struct {
	fold       *Fold
	index, low map[*node]int // low is absent once a node's part is known
	stack      []*node
}

func (s *cycleSearch) visit(n *node) {
	at := len(s.index)
	s.index[n], s.low[n] = at, at
	base := len(s.stack)
	s.stack = append(s.stack, n)
	for _, id := range n.parents {
		p := s.fold.message(id)
		if p == nil {
			continue
		}
		if _, known := s.index[p]; !known {
			s.visit(p)
		}
		if low, open := s.low[p]; open {
			s.low[n] = min(s.low[n], low)
		}
	}
	if s.low[n] != at {
		return
	}
	part := s.stack[base:]
	s.stack = s.stack[:base]
	s.name(part)
}

// name gives the members of a part its name, their lowest id, and has those
// that were already placed without it placed again.
func (s *cycleSearch) name(part []*node) {
	name := part[0].e.ID
	for _, n := range part {
		name = min(name, n.e.ID)
		delete(s.low, n)
	}
	if len(part) == 1 {
		return
	}
	for _, n := range part {
		if n.cycle != name {
			n.cycle = name
			s.fold.pending = append(s.fold.pending, n)
		}
	}
}
