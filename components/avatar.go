package components

import (
	"strconv"
	"strings"

	ui "github.com/maxence-charriere/go-app/v10/pkg/app"

	"parley/wasm/room"
)

// LoadPictures says that the person lets pictures of others be fetched without
// being asked each time. The page sets it, before it draws anything by it.
var LoadPictures bool

// Limits of the pictures of people and rooms.
const (
	maxFaceURL    = 2048 // bytes
	maxFacePixels = 4096 * 4096
)

// hues is how many colours app.css has for avatars. White on each has a
// contrast of at least 4.5:1.
const hues = 12

// Avatar is the sign of a person or room: a letter on a colour that comes from
// the key, so that nothing is fetched from a stranger's host. Shape is "",
// "room" or "sm", or both.
func Avatar(seed, name string, shape ...string) ui.UI {
	return ui.Span().Class(signOf(seed, shape)...).Aria("hidden", true).Text(initial(name))
}

// Face is the sign of somebody: their own picture over their letter, where
// pictures may be loaded.
func Face(who room.Person, shape ...string) ui.UI {
	return pictured(who.PubKey, who.Name, who.Picture, shape...)
}

// RoomFace is the sign of a room.
func RoomFace(m room.Meta, shape ...string) ui.UI {
	return pictured(m.Ref.Relay+m.Ref.ID, m.Name, m.Picture, shape...)
}

// pictured is Avatar with a picture over the letter, where pictures may be
// loaded. Until it is there, and where it cannot be had, the letter shows.
func pictured(seed, name, picture string, shape ...string) ui.UI {
	source := faceSource(picture)
	if source == "" {
		return Avatar(seed, name, shape...)
	}
	return ui.Span().Class(signOf(seed, shape)...).Aria("hidden", true).Body(
		ui.Text(initial(name)),
		ui.Img().Src(source).Alt("").Attr("referrerpolicy", "no-referrer").
			Attr("decoding", "async").Attr("loading", "lazy").On("load", onFace),
	)
}

func signOf(seed string, shape []string) []string {
	return append([]string{"av", "hue-" + strconv.Itoa(hue(seed))}, shape...)
}

// faceSource is the address that a picture of somebody may be fetched from now,
// "" for none: https only.
func faceSource(picture string) string {
	if !LoadPictures || len(picture) > maxFaceURL || !strings.HasPrefix(picture, "https://") {
		return ""
	}
	source, ok := pictureSource(picture)
	if !ok {
		return ""
	}
	return source
}

// onFace shows a picture that has come, unless it is of a size that only
// fills the memory.
func onFace(ctx ui.Context, _ ui.Event) {
	ctx.PreventUpdate()
	img := ctx.JSSrc()
	if w, h := img.Get("naturalWidth").Float(), img.Get("naturalHeight").Float(); w*h > maxFacePixels {
		img.Call("removeAttribute", "src")
		return
	}
	img.Get("classList").Call("add", "here")
}

// hue is FNV-1a over the seed: the same key has the same colour everywhere.
func hue(seed string) int {
	h := uint32(2166136261)
	for i := range len(seed) {
		h = (h ^ uint32(seed[i])) * 16777619
	}
	return int(h % hues)
}

// Name is a person's name as they wrote it, kept from turning the text around
// it.
func Name(name string) ui.UI { return ui.Bdi().Text(name) }
