package app

import (
	"encoding/json"

	ui "github.com/maxence-charriere/go-app/v10/pkg/app"

	"parley/components"
	"parley/wasm/port"
	"parley/wasm/room"
)

// Limits of what can be attached to one message.
const (
	maxAttached = 20      // files, as room.MaxFiles
	maxFileSize = 4 << 20 // bytes, as the core's MaxUpload
)

// attachment is a file that goes with the next message of a place.
type attachment struct {
	shown components.Attached
	file  room.File // once it is stored
}

// attachments are the files of every place, by the path of its route: they
// wait there like a draft, as long as the page lives.
type attachments struct {
	list map[string][]attachment
	last int
}

// at is what is attached at a place, as the composer shows it.
func (a *attachments) at(place string) []components.Attached {
	var shown []components.Attached
	for _, one := range a.list[place] {
		shown = append(shown, one.shown)
	}
	return shown
}

// add begins a file. It returns its number.
func (a *attachments) add(place, name string, size int64) int {
	if a.list == nil {
		a.list = map[string][]attachment{}
	}
	a.last++
	a.list[place] = append(a.list[place], attachment{shown: components.Attached{N: a.last, Name: name, Size: size, Busy: true}})
	return a.last
}

// finish says what came of a file.
func (a *attachments) finish(place string, n int, file room.File, problem string) {
	for i := range a.list[place] {
		if one := &a.list[place][i]; one.shown.N == n {
			one.shown.Busy, one.shown.Problem, one.file = false, problem, file
		}
	}
}

func (a *attachments) remove(place string, n int) {
	var kept []attachment
	for _, one := range a.list[place] {
		if one.shown.N != n {
			kept = append(kept, one)
		}
	}
	a.list[place] = kept
}

// take takes the files of a place for its message. It takes none and says why
// while one is still on its way or has failed: nobody is to send words about a
// file that is not there.
func (a *attachments) take(place string) (files []room.File, why string) {
	for _, one := range a.list[place] {
		switch {
		case one.shown.Busy:
			return nil, "A file is still on its way. Send again in a moment."
		case one.shown.Problem != "":
			return nil, one.shown.Name + " is not attached (" + one.shown.Problem + "). Take it off, then send again."
		}
		files = append(files, one.file)
	}
	delete(a.list, place)
	return files, ""
}

// giveBack puts files back whose message was not taken.
func (a *attachments) giveBack(place string, files []room.File) {
	for _, f := range files {
		a.finish(place, a.add(place, f.Name, f.Size), f, "")
	}
}

// chooseFiles lets the browser ask for files.
func chooseFiles() {
	if field := fileField(); field.Truthy() {
		field.Call("click")
	}
}

func fileField() ui.Value {
	if !ui.IsClient {
		return ui.Undefined()
	}
	return ui.Window().GetElementByID(components.AttachID)
}

// attach sends the files that were chosen to where files are kept.
func (sh *shell) attach() {
	field := fileField()
	if !field.Truthy() {
		return
	}
	place, chosen := sh.s.route.Path(), field.Get("files")
	free := maxAttached - len(sh.s.files.list[place])
	for i := range chosen.Length() {
		if i >= free {
			sh.say("A message takes "+components.Number(maxAttached)+" files at most.", true)
			break
		}
		sh.attachOne(place, chosen.Index(i))
	}
	field.Set("value", "") // so that the same file can be chosen again
}

func (sh *shell) attachOne(place string, file ui.Value) {
	name, size := file.Get("name").String(), file.Get("size").Int()
	n := sh.s.files.add(place, name, int64(size))
	if size > maxFileSize {
		sh.s.files.finish(place, n, room.File{}, "too large: "+components.Number(maxFileSize>>20)+" MB at most")
		return
	}
	params := port.UploadParams{Room: sh.room(), Name: name, Type: file.Get("type").String()}
	failed := func(why string) {
		sh.s.files.finish(place, n, room.File{}, why)
		sh.changed()
	}
	settle(file.Call("arrayBuffer"), func(buffer ui.Value) {
		bytes := ui.Window().Get("Uint8Array").New(buffer)
		params.Data = make([]byte, bytes.Length())
		ui.CopyBytesToGo(params.Data, bytes)
		sh.inbox.post(func() { sh.upload(place, n, params, failed) })
	}, func(reason ui.Value) {
		why := errorText(reason)
		sh.inbox.post(func() { failed("cannot be read: " + why) })
	})
}

func (sh *shell) upload(place string, n int, params port.UploadParams, failed func(string)) {
	sh.link.Call(port.Upload, params, func(value json.RawMessage, err *port.Error) {
		var stored room.File
		switch {
		case err != nil:
			failed(err.Message)
		case json.Unmarshal(value, &stored) != nil || stored.URL == "":
			failed("was not stored")
		default:
			sh.s.files.finish(place, n, stored, "")
			sh.changed()
		}
	})
}

func (sh *shell) detach(n int) { sh.s.files.remove(sh.s.route.Path(), n) }
