package run

import (
	"cmp"
	"slices"
	"strings"
)

// MaxDiagnostics is how many diagnostics a view holds, the oldest.
const MaxDiagnostics = 50

// faults keeps the diagnostics of a run: all of them, and the oldest sorted.
type faults struct {
	all []Diagnostic
	top []Diagnostic
}

func compareDiagnostics(a, b Diagnostic) int {
	return cmp.Or(cmp.Compare(a.At, b.At), strings.Compare(a.Event, b.Event),
		strings.Compare(a.Field, b.Field), strings.Compare(a.Text, b.Text))
}

func (f *faults) add(d Diagnostic) {
	f.all = append(f.all, d)
	f.rank(d)
}

// rank puts d among the oldest. The list is copied: views share it.
func (f *faults) rank(d Diagnostic) {
	i, _ := slices.BinarySearchFunc(f.top, d, compareDiagnostics)
	if i == MaxDiagnostics {
		return
	}
	top := make([]Diagnostic, 0, min(len(f.top)+1, MaxDiagnostics))
	top = append(append(top, f.top[:i]...), d)
	f.top = append(top, f.top[i:min(len(f.top), MaxDiagnostics-1)]...)
}

// drop forgets what was said about an event.
func (f *faults) drop(event string) {
	f.all = slices.DeleteFunc(f.all, func(d Diagnostic) bool { return d.Event == event })
	f.top = nil
	for _, d := range f.all {
		f.rank(d)
	}
}
