package components

import (
	"strings"

	ui "github.com/maxence-charriere/go-app/v10/pkg/app"

	"parley/wasm/room"
)

// files are the files that a message names. Pictures wait to be asked for,
// everything else opens in a new tab.
func files(list []room.File) ui.UI {
	items := make([]ui.UI, 0, len(list))
	for _, f := range list {
		items = append(items, ui.Li().Body(file(f)))
	}
	return ui.Ul().Class("files").Aria("label", "Files").Body(items...)
}

func file(f room.File) ui.UI {
	name := f.Name
	if name == "" {
		name = f.URL[strings.LastIndex(f.URL, "/")+1:]
	}
	if source, ok := pictureSource(f.URL); ok && strings.HasPrefix(f.Type, "image/") {
		alt := f.Alt
		if alt == "" {
			alt = name
		}
		return &Picture{Source: source, Alt: alt}
	}
	words := []ui.UI{Icon("file"), ui.Span().Class("file-name").Dir("auto").Text(name)}
	if f.Size > 0 {
		words = append(words, ui.Span().Class("file-size").Text(bytesText(f.Size)))
	}
	href, ok := safeHref(f.URL)
	if !ok {
		return ui.Span().Class("file").Body(words...)
	}
	return link(href).Class("file").Body(words...)
}

// bytesText writes a size: "12 kB".
func bytesText(n int64) string {
	switch {
	case n < 1000:
		return Plural(int(n), "byte", "bytes")
	case n < 1000*1000:
		return Number(int((n+500)/1000)) + " kB"
	}
	return Number(int((n+500*1000)/(1000*1000))) + " MB"
}
