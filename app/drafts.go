package app

import (
	"encoding/json"
	"time"

	"parley/wasm/port"
)

// draftAfter is how long after the last letter a draft is kept.
const draftAfter = 400 * time.Millisecond

// drafts keeps what is being written. A draft is saved a moment after the last
// letter, and at once when the writer goes elsewhere.
type drafts struct {
	save  func(key, text string)
	after func(time.Duration, func()) (stop func()) // calls on the page's goroutine
	gone  func(key string)                          // a draft became a message

	key, text string
	dirty     bool
	stop      func()
	saves     map[string]int // how often each was handed to the core
}

// typed takes what stands in the composer now.
func (d *drafts) typed(key, text string) {
	if d.dirty && key != d.key {
		d.flush()
	}
	d.key, d.text, d.dirty = key, text, true
	if d.stop != nil {
		d.stop()
	}
	d.stop = d.after(draftAfter, d.flush)
}

// flush saves what is not saved yet.
func (d *drafts) flush() {
	if d.stop != nil {
		d.stop()
		d.stop = nil
	}
	if d.dirty && d.key != "" {
		d.dirty = false
		d.save(d.key, d.text)
	}
}

// sent forgets a draft that became a message: the core clears it.
func (d *drafts) sent(key string) {
	if d.gone != nil {
		d.gone(key)
	}
	if d.key == key {
		d.dirty = false
		if d.stop != nil {
			d.stop()
			d.stop = nil
		}
	}
}

// stashKey is where this tab keeps a draft that no core can take.
func stashKey(key string) string { return "parley:draft " + key }

// saveDraft hands a draft to the core. Until the core says that it has it, the
// tab keeps it: there may be no core, as after an update and before the reload;
// it may not take it; and it may end with the page, before it has written.
func (sh *shell) saveDraft(key, text string) {
	sessionStore().call("setItem", stashKey(key), text)
	if sh.link.State() != LinkReady {
		return
	}
	if sh.drafts.saves == nil {
		sh.drafts.saves = map[string]int{}
	}
	sh.drafts.saves[key]++
	save := sh.drafts.saves[key]
	sh.link.Call(port.SetDraft, port.Draft{Key: key, Text: text}, func(_ json.RawMessage, err *port.Error) {
		if err == nil && save == sh.drafts.saves[key] { // else a newer one is on its way
			unstashed(key)
		}
	})
}

// unstashed forgets what the tab kept of a draft.
func unstashed(key string) { sessionStore().call("removeItem", stashKey(key)) }

// unstash gives the core what the tab kept of a draft, and returns it. It
// returns the core's own text when the tab kept nothing.
func (sh *shell) unstash(key, text string) string {
	kept := sessionStore().call("getItem", stashKey(key))
	if kept == "" {
		return text
	}
	unstashed(key)
	sh.saveDraft(key, kept)
	return kept
}
