package components

import (
	"strconv"

	ui "github.com/maxence-charriere/go-app/v10/pkg/app"
)

// hues is how many colours app.css has for avatars. White on each has a
// contrast of at least 4.5:1.
const hues = 12

// Avatar is the sign of a person or room: a letter on a colour that comes from
// the key, so that nothing is fetched from a stranger's host. Shape is "",
// "room" or "sm", or both.
func Avatar(seed, name string, shape ...string) ui.UI {
	class := append([]string{"av", "hue-" + strconv.Itoa(hue(seed))}, shape...)
	return ui.Span().Class(class...).Aria("hidden", true).Text(initial(name))
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
