package components

import (
	"strings"
	"testing"

	"parley/wasm/room"
)

// pictures lets pictures load for a test.
func pictures(t *testing.T, load bool) {
	t.Helper()
	before := LoadPictures
	LoadPictures = load
	t.Cleanup(func() { LoadPictures = before })
}

func TestPicturesOfPeopleAreFetchedOnlyWhenAllowed(t *testing.T) {
	long := "https://example.org/" + strings.Repeat("a", maxFaceURL-len("https://example.org/"))
	tests := []struct {
		name, picture string
		allowed, want bool
	}{
		{"allowed", "https://example.org/a.png", true, true},
		{"not allowed", "https://example.org/a.png", false, false},
		{"plain http", "http://example.org/a.png", true, false},
		{"another scheme", "javascript:alert(1)", true, false},
		{"data in the address", "data:image/png;base64,AAAA", true, false},
		{"none", "", true, false},
		{"as long as is taken", long, true, true},
		{"longer", long + "a", true, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			pictures(t, tt.allowed)
			m := sampleMessage()
			m.Author.Picture = tt.picture
			d := draw(t, &Message{M: m})
			found := d.all("img", "", "")
			if (len(found) == 1) != tt.want {
				t.Fatalf("%d pictures", len(found))
			}
			if !tt.want {
				return
			}
			for name, want := range map[string]string{"src": tt.picture, "alt": "", "referrerpolicy": "no-referrer", "loading": "lazy"} {
				if got, _ := attr(found[0], name); got != want {
					t.Errorf("%s is %q, want %q", name, got, want)
				}
			}
			if said := words(d.one("span", "class", "av hue-"+hueText("bb"))); said != "S" {
				t.Errorf("the letter below the picture is %q", said)
			}
		})
	}
}

func hueText(seed string) string { return strings.TrimPrefix(signOf(seed, nil)[1], "hue-") }

func TestPicturesInMessagesLoadAtOnceWhenAllowed(t *testing.T) {
	m := sampleMessage()
	m.Files = []room.File{{URL: "https://example.org/c.png", Type: "image/png", Alt: "A chart"}, {URL: "http://example.org/d.png", Type: "image/png"}}
	pictures(t, true)
	d := draw(t, &Message{M: m})
	if n := len(d.all("img", "src", "")); n != 1 {
		t.Errorf("%d pictures are fetched, want the one over https", n)
	}
	if !has(d.buttons(), "Show picture") {
		t.Error("a picture over http is fetched unasked")
	}
}
