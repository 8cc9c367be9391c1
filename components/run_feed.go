package components

import (
	"strings"

	"parley/wasm/run"
)

// RunShown is a run as it stands now.
type RunShown struct {
	View     run.View
	Delivery Delivery // of the prompt
	CanStop  bool
	Retry    bool // sending it again makes sense
	Decrypt  bool // asking the signer again, which has refused, makes sense
}

// RunFeed holds the newest of one run. It brings news to the Run that shows it
// without drawing anything else anew: 200 pieces a second may come.
type RunFeed struct {
	// Alone takes back that whatever stands around the Run is drawn, too. It
	// may be nil.
	Alone func()

	shown    RunShown
	text     growing
	thinking growing
	reader   *Run // the mounted one, else nil
}

// Shown is the newest of the run.
func (f *RunFeed) Shown() *RunShown { return &f.shown }

// Take takes news. The texts of the view are appended to the first bytes of
// those that are here: as many as from and thinkingFrom say.
func (f *RunFeed) Take(s RunShown, from, thinkingFrom int) {
	s.View.Text = f.text.patch(from, s.View.Text)
	s.View.Thinking = f.thinking.patch(thinkingFrom, s.View.Thinking)
	f.shown = s
	if f.reader != nil {
		f.reader.wake()
	}
}

// growing is a text that is mostly appended to. Its strings share one buffer,
// so that a long answer is not copied for each new word.
type growing struct{ b strings.Builder }

func (g *growing) patch(from int, tail string) string {
	if from != g.b.Len() {
		kept := g.b.String()[:min(max(from, 0), g.b.Len())]
		g.b = strings.Builder{}
		g.b.WriteString(kept)
	}
	g.b.WriteString(tail)
	return g.b.String()
}
