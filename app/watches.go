package app

import (
	"strconv"

	"parley/wasm/port"
)

// watches are what the page is kept up to date about, by a name of our own.
type watches struct {
	link *Link
	next int
	ids  map[string]string // name to the watch's id
}

// keep begins a watch under a name, in place of the one that had it.
func (w *watches) keep(name string, p port.WatchParams) (id string) {
	w.drop(name)
	w.next++
	id = strconv.Itoa(w.next)
	if w.ids == nil {
		w.ids = map[string]string{}
	}
	w.ids[name] = id
	p.Watch = id
	w.link.Watch(p)
	return id
}

// drop ends the watch of a name.
func (w *watches) drop(name string) {
	if id, ok := w.ids[name]; ok {
		delete(w.ids, name)
		w.link.Unwatch(id)
	}
}

// name is the name that a watch has, or "".
func (w *watches) name(id string) string {
	for name, other := range w.ids {
		if other == id {
			return name
		}
	}
	return ""
}
