package verify

import (
	"fmt"
	"io"
	"iter"
	"math/rand/v2"
	"sync"

	"github.com/nbd-wtf/go-nostr"

	"parley/wasm/internal/curve"
)

const (
	// SliceSize is the number of events Slices checks at once. Larger batches
	// gain little, and the event loop of a worker waits for each.
	SliceSize = 256
	// minBatch is the number of signatures from which on a batch is quicker than
	// one by one.
	minBatch = 4
)

// Batch checks many events at once and returns one error per event, nil where
// the event is good: the same result as Event on each, but for a chance of 1 in
// 2^128. rand gives 32 bytes of cryptographically secure randomness; nobody who
// makes events may foresee them. Where rand fails, each event is checked by
// itself.
//
// A batch costs about a tenth of its events one by one; where some are bad it is
// halved until they are found, which at worst costs about twice as much as one by
// one.
func Batch(events []*nostr.Event, rand io.Reader) []error {
	errs := make([]error, len(events))
	b := batches.Get().(*batch)
	defer batches.Put(b)
	b.read(events, errs)
	var seed [32]byte
	if _, err := io.ReadFull(rand, seed[:]); err != nil {
		b.oneByOne(0, len(b.items), errs)
	} else {
		b.find(0, len(b.items), newCoefficients(seed), errs)
	}
	return errs
}

// Slices checks a long history in slices of SliceSize. Each step gives the index
// of its first event and the errors of the slice, as Batch does; between the
// steps the caller can let its event loop run.
func Slices(events []*nostr.Event, rand io.Reader) iter.Seq2[int, []error] {
	return func(yield func(int, []error) bool) {
		for from := 0; from < len(events); from += SliceSize {
			to := min(from+SliceSize, len(events))
			if !yield(from, Batch(events[from:to], rand)) {
				return
			}
		}
	}
}

// batches keeps the memory of batches for the next ones.
var batches = sync.Pool{New: func() any { return &batch{byKey: make(map[[32]byte]int)} }}

type batch struct {
	items   []item
	authors []author
	byKey   map[[32]byte]int
	sum     curve.Sum
	buf     []byte
}

// item is an event whose form and id are good, and whose signature may be.
type item struct {
	claim
	at     int // index of its event
	author int
	r      curve.Point
	s, e   curve.Scalar
}

type author struct {
	point curve.Point
	valid bool
	// sum is that of the challenges times their coefficients, in one check.
	sum curve.Scalar
}

// read notes the errors that need no batch, and an item for each other event.
func (b *batch) read(events []*nostr.Event, errs []error) {
	b.items, b.authors = b.items[:0], b.authors[:0]
	clear(b.byKey)
	for i, e := range events {
		c, err := readClaim(e, &b.buf)
		if err != nil {
			errs[i] = fmt.Errorf("verify: %w", err)
			continue
		}
		if !b.add(i, &c) {
			errs[i] = errSignature
		}
	}
}

// add adds the claim of event i; false where its signature cannot be one.
func (b *batch) add(i int, c *claim) bool {
	it := item{claim: *c, at: i, author: b.authorOf(&c.pub)}
	var sOK, rOK bool
	it.s, it.e, sOK = c.scalars()
	it.r, rOK = curve.Lift((*[32]byte)(c.sig[:]))
	if !sOK || !rOK || !b.authors[it.author].valid {
		return false
	}
	b.items = append(b.items, it)
	return true
}

// authorOf lifts each public key once.
func (b *batch) authorOf(pub *[32]byte) int {
	i, ok := b.byKey[*pub]
	if !ok {
		i = len(b.authors)
		b.byKey[*pub] = i
		p, valid := curve.Lift(pub)
		b.authors = append(b.authors, author{point: p, valid: valid})
	}
	return i
}

// find checks the items from i to j and halves them where they do not hold.
func (b *batch) find(i, j int, coefficients *coefficients, errs []error) {
	if j-i < minBatch {
		b.oneByOne(i, j, errs)
		return
	}
	if !b.hold(i, j, coefficients) {
		b.halve(i, j, coefficients, errs)
	}
}

// halve finds the bad ones among the items from i to j, which hold one at least.
func (b *batch) halve(i, j int, coefficients *coefficients, errs []error) {
	if j-i < minBatch {
		b.oneByOne(i, j, errs)
		return
	}
	mid := i + (j-i)/2
	if b.hold(i, mid, coefficients) {
		b.halve(mid, j, coefficients, errs)
		return
	}
	b.halve(i, mid, coefficients, errs)
	b.find(mid, j, coefficients, errs)
}

func (b *batch) oneByOne(i, j int, errs []error) {
	for k := range b.items[i:j] {
		if it := &b.items[i+k]; !it.holds() {
			errs[it.at] = errSignature
		}
	}
}

// hold checks the items from i to j at once: BIP-340, "Batch Verification". With
// random a, the sum of a·R + a·e·P over all of them is that of a·s times G. The
// a·e of one author go together.
func (b *batch) hold(i, j int, coefficients *coefficients) bool {
	for k := range b.authors {
		b.authors[k].sum.Zero()
	}
	b.sum.Reset()
	var sG curve.Scalar
	for k := range b.items[i:j] {
		it := &b.items[i+k]
		a := coefficients.next()
		b.sum.Add(&it.r, a)
		s, e := it.s, it.e
		s.MulHalf(a)
		e.MulHalf(a)
		sG.Add(&s)
		b.authors[it.author].sum.Add(&e)
	}
	for k := range b.authors {
		if p := &b.authors[k]; !p.sum.IsZero() {
			b.sum.AddScalar(&p.point, &p.sum)
		}
	}
	sG.Negate()
	b.sum.AddScalar(&curve.Generator, &sG)
	return b.sum.IsZero()
}

// coefficients are random numbers of 128 bits.
type coefficients struct{ source *rand.ChaCha8 }

func newCoefficients(seed [32]byte) *coefficients {
	return &coefficients{rand.NewChaCha8(seed)}
}

func (c *coefficients) next() curve.Half {
	return curve.Half{c.source.Uint64(), c.source.Uint64()}
}
