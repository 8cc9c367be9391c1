package app

import (
	"encoding/json"

	ui "github.com/maxence-charriere/go-app/v10/pkg/app"
)

// anchor is a place in a log: an entry and where its top stands below the
// log's, in CSS pixels.
type anchor struct {
	ID  string  `json:"id"`
	Top float64 `json:"top"`
}

// logID is the log's id in the document.
const logID = "log"

// logElement is the log in the document; its value is not truthy when there is
// none.
func logElement() ui.Value {
	if !ui.IsClient {
		return ui.Undefined()
	}
	return ui.Window().GetElementByID(logID)
}

// measure is what can be seen of the log now.
func measure() (view, bool) {
	log := logElement()
	if !log.Truthy() {
		return view{}, false
	}
	return view{
		top:    log.Get("scrollTop").Float(),
		height: log.Get("clientHeight").Float(),
		full:   log.Get("scrollHeight").Float(),
	}, true
}

// probes is where below the log's top an entry is looked for: the first may
// hit the space between two.
var probes = []float64{8, 40, 80, 160}

// hold is the entry at the log's top, to come back to.
func hold() (anchor, bool) {
	log := logElement()
	if !log.Truthy() {
		return anchor{}, false
	}
	box := log.Call("getBoundingClientRect")
	x, y := box.Get("left").Float()+box.Get("width").Float()/2, box.Get("top").Float()
	for _, below := range probes {
		hit := ui.Window().Get("document").Call("elementFromPoint", x, y+below)
		if !hit.Truthy() {
			continue
		}
		if entry := hit.Call("closest", "[data-event]"); entry.Truthy() {
			return anchor{
				ID:  entry.Get("dataset").Get("event").String(),
				Top: entry.Call("getBoundingClientRect").Get("top").Float() - y,
			}, true
		}
	}
	return anchor{}, false
}

// restore scrolls so that an entry stands where it stood. It reports false when
// the entry is not mounted. Where the browser has held the place itself there
// is nothing left to do.
func restore(a anchor) bool {
	log := logElement()
	entry := entryElement(a.ID)
	if !entry.Truthy() {
		return false
	}
	now := entry.Call("getBoundingClientRect").Get("top").Float() - log.Call("getBoundingClientRect").Get("top").Float()
	if off := now - a.Top; off > 0.5 || off < -0.5 {
		log.Set("scrollTop", log.Get("scrollTop").Float()+off)
	}
	return true
}

// entryElement is the article of an entry of the log by its event's id.
func entryElement(id string) ui.Value {
	log := logElement()
	if !log.Truthy() || !isHex(id) {
		return ui.Undefined()
	}
	return log.Call("querySelector", `[data-event="`+id+`"]`)
}

// isHex reports whether an id can stand in a selector as it is.
func isHex(id string) bool {
	for i := range len(id) {
		if c := id[i]; (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return id != ""
}

// toEnd scrolls the log to its end.
func toEnd() {
	if log := logElement(); log.Truthy() {
		log.Set("scrollTop", log.Get("scrollHeight").Float())
	}
}

// keepAnchor and keptAnchor keep where a log was left, in this tab.
func keepAnchor(place string, a anchor) {
	text, err := json.Marshal(a)
	if err != nil || !ui.IsClient {
		return
	}
	store := sessionStore()
	if a.ID == "" {
		store.call("removeItem", "parley:at "+place)
		return
	}
	store.call("setItem", "parley:at "+place, string(text))
}

func keptAnchor(place string) (anchor, bool) {
	var a anchor
	text := sessionStore().call("getItem", "parley:at "+place)
	if text == "" || json.Unmarshal([]byte(text), &a) != nil {
		return anchor{}, false
	}
	return a, a.ID != ""
}

// webStorage is the tab's storage, which a browser may refuse.
type webStorage struct{ value ui.Value }

func sessionStore() (s webStorage) {
	defer func() { _ = recover() }() // a browser that forbids storage throws
	if ui.IsClient {
		s.value = ui.Window().Get("sessionStorage")
	}
	return s
}

func (s webStorage) call(method string, args ...any) (text string) {
	defer func() { _ = recover() }() // full or forbidden: only the place is lost
	if s.value == nil || !s.value.Truthy() {
		return ""
	}
	if v := s.value.Call(method, args...); v.Truthy() {
		return v.String()
	}
	return ""
}
