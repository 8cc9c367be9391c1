package lean

import (
	"slices"
	"strings"
	"testing"
)

const source = `// Package p has a bit of everything.
package p

import (
	"fmt"
	other "example.com/one"
	_ "example.com/side"

	"example.com/two/v2"
	"example.com/go-three"
)

import "os"

// Kept stays.
type Kept struct{ n int }

// M is a method.
func (k *Kept) M() { two.F(k.n) }

// M is a function of the same name.
func M() { fmt.Println(three.X) }

var (
	// a has a comment.
	a = other.A // and one more
	b = os.Args
)

const c = 1
`

func TestPrune(t *testing.T) {
	for _, c := range []struct {
		what string
		drop []string
		want string
	}{
		{"nothing", nil, source},
		{"all but a type", []string{"Kept.M", "M", "a", "b", "c"}, `// Package p has a bit of everything.
package p
import (
	_ "example.com/side"
)
// Kept stays.
type Kept struct{ n int }
`},
	} {
		got, err := prune([]byte(source), func(name string) bool { return slices.Contains(c.drop, name) })
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Fields(string(got)); !slices.Equal(got, strings.Fields(c.want)) {
			t.Errorf("%s: %q", c.what, got)
		}
	}
}

func TestPruneKeepsTheImportsThatAreUsed(t *testing.T) {
	got, err := prune([]byte(source), func(name string) bool { return name == "M" })
	if err != nil {
		t.Fatal(err)
	}
	for _, kept := range []string{`other "example.com/one"`, `"example.com/two/v2"`, `import "os"`, "func (k *Kept) M()"} {
		if !contains(got, kept) {
			t.Errorf("%s is gone", kept)
		}
	}
	for _, gone := range []string{`"fmt"`, `go-three`, "func M()", "M is a function"} {
		if contains(got, gone) {
			t.Errorf("%s is left", gone)
		}
	}
}

func TestPruneRefusesWhatIsNoGo(t *testing.T) {
	if _, err := prune([]byte("no go"), func(string) bool { return true }); err == nil {
		t.Error("no error")
	}
}
