package app

import (
	ui "github.com/maxence-charriere/go-app/v10/pkg/app"

	"parley/wasm/port"
)

// dividerTop is where the first unread message is put when a room is opened, in
// CSS pixels below the log's top: the mark above it can be seen.
const dividerTop = 96

// aim is an entry that the log is to be brought to.
type aim struct {
	anchor
	focus bool // and the keyboard with it
}

// aimAtOpening looks for where a log that was just opened is to stand: where it
// was left, else at the first unread message, else at its end.
func (sh *shell) aimAtOpening() {
	t := sh.s.main
	if id := fragment(); isHex(id) {
		sh.jump(id)
		return
	}
	if a, ok := keptAnchor(sh.s.route.Path()); ok {
		sh.aim = &aim{anchor: a}
		sh.scroll.follow = false
		if t.items[a.ID] == nil {
			sh.window(sh.scroll.jump(a.ID))
		}
		return
	}
	if t.divider != "" {
		sh.aim = &aim{anchor: anchor{ID: t.divider, Top: dividerTop}}
		sh.scroll.follow = false
		if t.items[t.divider] == nil {
			sh.window(sh.scroll.jump(t.divider))
		}
	}
}

// takeAim brings the log to where it is to stand, once that entry is there.
func (sh *shell) takeAim() {
	if !restore(sh.aim.anchor) || sh.s.main.mounted.pending {
		return // what is still to be mounted may move it
	}
	if sh.aim.focus {
		focusArticle(entryElement(sh.aim.ID))
	}
	sh.aim = nil
	if v, ok := measure(); ok && v.atEnd() && sh.s.main.newer == 0 {
		sh.scroll.follow = true // all of it can be seen
	}
}

// looked takes what can be seen of the log after it was drawn or scrolled.
func (sh *shell) looked() {
	v, ok := measure()
	t := sh.s.main
	if !ok || t == nil {
		return
	}
	sh.scroll.lastAt, sh.scroll.lastFull = v.top, v.full
	sh.wantMore(v)
	sh.markRead()
}

// wantMore asks for another window where what can be seen calls for one, unless
// the log is still on its way to where it is to stand.
func (sh *shell) wantMore(v view) {
	if sh.aim != nil || sh.s.main.mounted.pending {
		return
	}
	if p, need := sh.scroll.want(v, sh.s.main); need {
		sh.window(p)
	}
}

// window moves the log's window.
func (sh *shell) window(p port.WindowParams) {
	if sh.s.main == nil {
		return
	}
	p.Watch = sh.s.main.watch
	sh.link.Call(port.Window, p, nil)
}

func (sh *shell) onScroll(ctx ui.Context, _ ui.Event) {
	v, ok := measure()
	t := sh.s.main
	if !ok || t == nil {
		ctx.PreventUpdate()
		return
	}
	before := sh.scroll.follow
	sh.scroll.moved(v, t)
	sh.wantMore(v)
	if before == sh.scroll.follow {
		ctx.PreventUpdate() // the button to the end neither comes nor goes
	}
	sh.markRead()
}

// markRead marks what is at the end of a room as read, while somebody looks.
func (sh *shell) markRead() {
	t := sh.s.main
	if t == nil || sh.s.route.Page != Room || t.info == nil || !sh.scroll.follow || t.newer > 0 || !visible() {
		return
	}
	last := t.last()
	if last == "" || last == sh.marked {
		return
	}
	sh.marked = last
	sh.link.Call(port.MarkRead, port.MarkParams{Room: t.info.Meta.Ref, ID: last}, nil)
}

// jump shows a message of the log: at once when it is mounted, else the window
// is moved to it.
func (sh *shell) jump(id string) {
	t := sh.s.main
	if t == nil || !isHex(id) {
		return
	}
	_, height := ui.Window().Size()
	sh.aim = &aim{anchor: anchor{ID: id, Top: float64(height) / 4}, focus: true}
	sh.scroll.follow = false
	if t.items[id] == nil {
		sh.window(sh.scroll.jump(id))
		return
	}
	sh.drawn(func() { sh.takeAim(); sh.looked() })
}

// toLatest brings the log to its end.
func (sh *shell) toLatest() {
	t := sh.s.main
	if t == nil {
		return
	}
	sh.aim = nil
	sh.window(sh.scroll.latest())
	sh.drawn(func() { toEnd(); sh.looked() })
}
