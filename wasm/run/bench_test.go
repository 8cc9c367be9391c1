package run

import (
	"fmt"
	"math/rand"
	"testing"
)

const manyDeltas = 20_000

func deltas(n int) []Input {
	inputs := make([]Input, n)
	for i := range inputs {
		inputs[i] = delta(i, t0+int64(i/200), fmt.Sprintf("word%d ", i))
	}
	return inputs
}

// BenchmarkFold20000Deltas adds them all and looks once.
func BenchmarkFold20000Deltas(b *testing.B) {
	inputs := deltas(manyDeltas)
	b.ReportAllocs()
	for b.Loop() {
		fold(inputs...).View(At{})
	}
}

// BenchmarkFold20000DeltasViewEach looks after each, as a page would that is
// never behind.
func BenchmarkFold20000DeltasViewEach(b *testing.B) {
	inputs := deltas(manyDeltas)
	b.ReportAllocs()
	for b.Loop() {
		viewEach(inputs)
	}
}

// BenchmarkFold20000DeltasShuffled adds them in random order and looks once.
func BenchmarkFold20000DeltasShuffled(b *testing.B) {
	inputs := deltas(manyDeltas)
	rand.New(rand.NewSource(1)).Shuffle(len(inputs), func(i, j int) { inputs[i], inputs[j] = inputs[j], inputs[i] })
	b.ReportAllocs()
	for b.Loop() {
		fold(inputs...).View(At{})
	}
}

// BenchmarkFold20000DeltasSwappedViewEach looks after each while every second
// pair comes the wrong way round.
func BenchmarkFold20000DeltasSwappedViewEach(b *testing.B) {
	inputs := deltas(manyDeltas)
	for i := 0; i+1 < len(inputs); i += 4 {
		inputs[i], inputs[i+1] = inputs[i+1], inputs[i]
	}
	b.ReportAllocs()
	for b.Loop() {
		viewEach(inputs)
	}
}

// BenchmarkFold20000DeltasWithoutSeqViewEach is the stream of a runtime that
// sends no seq: within a second the ids decide.
func BenchmarkFold20000DeltasWithoutSeqViewEach(b *testing.B) {
	inputs := make([]Input, manyDeltas)
	for i := range inputs {
		inputs[i] = loose(fmt.Sprint(i), t0+int64(i/200), fmt.Sprintf("word%d ", i))
	}
	b.ReportAllocs()
	for b.Loop() {
		viewEach(inputs)
	}
}

// BenchmarkFold20000DeltasBackwardsViewEach is the worst an agent can do.
func BenchmarkFold20000DeltasBackwardsViewEach(b *testing.B) {
	inputs := deltas(manyDeltas)
	for i, j := 0, len(inputs)-1; i < j; i, j = i+1, j-1 {
		inputs[i], inputs[j] = inputs[j], inputs[i]
	}
	b.ReportAllocs()
	for b.Loop() {
		viewEach(inputs)
	}
}

// BenchmarkFold20000ToolEventsViewEach is an agent that never stops.
func BenchmarkFold20000ToolEventsViewEach(b *testing.B) {
	inputs := make([]Input, manyDeltas)
	for i := range inputs {
		phase := []string{PhaseStart, PhaseResult}[i%2]
		inputs[i] = tool(fmt.Sprint("tool", i/2), t0+int64(i/200), phase)
	}
	b.ReportAllocs()
	for b.Loop() {
		viewEach(inputs)
	}
}

func viewEach(inputs []Input) {
	r := New(question, me, bot)
	for _, in := range inputs {
		r.Add(in)
		r.View(At{})
	}
}
