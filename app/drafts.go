package app

import "time"

// draftAfter is how long after the last letter a draft is kept.
const draftAfter = 400 * time.Millisecond

// drafts keeps what is being written. A draft is saved a moment after the last
// letter, and at once when the writer goes elsewhere.
type drafts struct {
	save  func(key, text string)
	after func(time.Duration, func()) (stop func()) // calls on the page's goroutine

	key, text string
	dirty     bool
	stop      func()
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
	if d.key == key {
		d.dirty = false
		if d.stop != nil {
			d.stop()
			d.stop = nil
		}
	}
}
