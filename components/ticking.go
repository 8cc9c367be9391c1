package components

import (
	"time"

	ui "github.com/maxence-charriere/go-app/v10/pkg/app"
)

// What a Ticking counts.
const (
	TickElapsed = "elapsed" // since At, until End when that is set
	TickLeft    = "left"    // until At
	TickSilence = "silence" // since At, said only once it is long
)

// Times in seconds from which a length is said otherwise.
const (
	minute = 60
	hour   = 60 * minute
	// quietAfter is how long a silence may be before it is worth a word.
	quietAfter = minute
	// secondsUnder is the time left under which seconds are counted.
	secondsUnder = 2 * minute
)

// Ticking is a length of time that goes on by itself. It writes into its own
// text node, so that a second passing draws nothing else anew. What it counts
// does not change while it is mounted.
type Ticking struct {
	ui.Compo

	Kind   string
	At     int64 // unix seconds
	End    int64 // unix seconds, 0 while it goes on
	Before string
	After  string

	ctx   ui.Context
	timer *time.Timer
}

// unixNow is the clock of everything that counts time here.
var unixNow = func() int64 { return time.Now().Unix() }

// OnMount implements ui.Mounter.
func (t *Ticking) OnMount(ctx ui.Context) {
	t.ctx = ctx
	t.wind()
}

// OnUpdate implements ui.Updater.
func (t *Ticking) OnUpdate(ctx ui.Context) {
	t.wind()
	ctx.Defer(func(ui.Context) { t.write() }) // go-app knows only what it wrote itself
}

// OnDismount implements ui.Dismounter.
func (t *Ticking) OnDismount() { t.halt() }

// Render implements ui.Composer.
func (t *Ticking) Render() ui.UI {
	text, _ := t.words(unixNow())
	return ui.Span().Class("ticking").Body(ui.Text(text))
}

// wind sets the timer for the moment at which other words are due.
func (t *Ticking) wind() {
	t.halt()
	if _, wait := t.words(unixNow()); wait > 0 && t.ctx.Context != nil {
		t.timer = time.AfterFunc(time.Duration(wait)*time.Second, func() { t.ctx.Dispatch(t.tick) })
	}
}

func (t *Ticking) halt() {
	if t.timer != nil {
		t.timer.Stop()
		t.timer = nil
	}
}

// tick writes the new words where go-app put the old ones.
func (t *Ticking) tick(ctx ui.Context) {
	ctx.PreventUpdate()
	t.write()
	t.wind()
}

func (t *Ticking) write() {
	if !ui.IsClient {
		return
	}
	text, _ := t.words(unixNow())
	if node := t.JSValue().Get("firstChild"); node.Truthy() {
		node.Set("nodeValue", text)
	}
}

// words is what to say now, and after how many seconds to look again; never
// when that is 0.
func (t *Ticking) words(now int64) (text string, wait int64) {
	switch t.Kind {
	case TickLeft:
		text, wait = left(t.At - now)
	case TickSilence:
		text, wait = silence(now - t.At)
	default:
		if t.End > 0 {
			return t.Before + Lasting(t.End-t.At) + t.After, 0
		}
		text, wait = Lasting(now-t.At), 1
		if past := now - t.At; past >= hour {
			wait = minute - past%minute
		}
	}
	if text == "" {
		return "", wait
	}
	return t.Before + text + t.After, wait
}

// left says how long something is still open: to the second only when the end
// is near.
func left(seconds int64) (string, int64) {
	switch {
	case seconds <= 0:
		return "0 s", 0
	case seconds < secondsUnder:
		return Lasting(seconds), 1
	case seconds < hour:
		return Number(int(seconds/minute)) + " min", min(seconds%minute+1, seconds-secondsUnder+1)
	case seconds < 48*hour:
		return Number(int(seconds/hour)) + " h", minute
	}
	return Number(int(seconds/(24*hour))) + " days", hour
}

// silence says how long nothing was heard, once that is long.
func silence(seconds int64) (string, int64) {
	if seconds < quietAfter {
		return "", quietAfter - seconds
	}
	return "no sign of life for " + roughly(seconds), minute - seconds%minute
}

// roughly writes a length of time without seconds.
func roughly(seconds int64) string {
	if seconds < hour {
		return Number(int(seconds/minute)) + " min"
	}
	return Number(int(seconds/hour)) + " h " + Number(int(seconds%hour/minute)) + " min"
}
