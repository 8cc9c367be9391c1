package room

import "slices"

// blockSize is how many messages a block of a list holds before it is split:
// small enough to insert into, large enough that few blocks are to be counted.
const blockSize = 512

// list is messages in order of their places: inserting, removing, finding a
// rank and walking from it stay cheap at 50,000 in any order of arrival.
type list struct {
	blocks [][]*node
	size   int
}

// find returns the block and the index in it of the first message whose place
// is not before p.
func (l *list) find(p place) (block, index int) {
	block, _ = slices.BinarySearchFunc(l.blocks, p, func(b []*node, p place) int {
		return b[len(b)-1].place.compare(p)
	})
	if block == len(l.blocks) {
		return block, 0
	}
	index, _ = slices.BinarySearchFunc(l.blocks[block], p, func(n *node, p place) int {
		return n.place.compare(p)
	})
	return block, index
}

func (l *list) insert(n *node) {
	l.size++
	if len(l.blocks) == 0 {
		l.blocks = [][]*node{{n}}
		return
	}
	b, i := l.find(n.place)
	if b == len(l.blocks) {
		b--
		i = len(l.blocks[b])
	}
	block := slices.Insert(l.blocks[b], i, n)
	l.blocks[b] = block
	if len(block) <= blockSize {
		return
	}
	// Messages mostly come at one of the ends: leave the other part nearly full.
	cut := len(block) / 2
	if b == len(l.blocks)-1 && i == len(block)-1 {
		cut = i
	} else if b == 0 && i == 0 {
		cut = 1
	}
	rest := slices.Clone(block[cut:])
	clear(block[cut:])
	l.blocks[b] = block[:cut:cut]
	l.blocks = slices.Insert(l.blocks, b+1, rest)
}

// remove takes out a message whose place has not changed since its insertion.
func (l *list) remove(n *node) {
	b, i := l.find(n.place)
	if b == len(l.blocks) || l.blocks[b][i] != n {
		return
	}
	l.size--
	if l.blocks[b] = slices.Delete(l.blocks[b], i, i+1); len(l.blocks[b]) == 0 {
		l.blocks = slices.Delete(l.blocks, b, b+1)
	}
}

// rank returns how many messages stand before p.
func (l *list) rank(p place) int {
	b, i := l.find(p)
	for _, block := range l.blocks[:b] {
		i += len(block)
	}
	return i
}

// from walks the messages from a rank on.
func (l *list) from(rank int) func(yield func(*node) bool) {
	return func(yield func(*node) bool) {
		for _, block := range l.blocks {
			if rank >= len(block) {
				rank -= len(block)
				continue
			}
			for _, n := range block[rank:] {
				if !yield(n) {
					return
				}
			}
			rank = 0
		}
	}
}

// at returns the message of a rank, nil when there is none.
func (l *list) at(rank int) *node {
	for n := range l.from(rank) {
		return n
	}
	return nil
}
