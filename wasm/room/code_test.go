package room

import (
	"reflect"
	"strings"
	"testing"
)

// The codes of NIP-19's examples.
func TestCodesOfNIP19(t *testing.T) {
	const (
		npub     = "npub10elfcs4fr0l0r8af98jlmgdh9c8tcxjvz9qkw038js35mp4dma8qzvjptg"
		key      = "7e7e9c42a91bfef19fa929e5fda1b72e0ebc1a4c1141673e2794234d86addf4e"
		nprofile = "nprofile1qqsrhuxx8l9ex335q7he0f09aej04zpazpl0ne2cgukyawd24mayt8gpp4mhxue69uhhytnc9e3k7mgpz4mhxue69uhkg6nzv9ejuumpv34kytnrdaksjlyr9p"
		nsec     = "nsec1vl029mgpspedva04g90vltkh6fvh240zqtv9k0t9af8935ke9laqsnlfe5"
	)
	if got := NPub(key); got != npub {
		t.Errorf("%s", got)
	}
	for code, want := range map[string]Code{
		npub:                  {Prefix: "npub", PubKey: key, Kind: -1},
		strings.ToUpper(npub): {Prefix: "npub", PubKey: key, Kind: -1},
		nprofile: {Prefix: "nprofile", Kind: -1, PubKey: "3bf0c63fcb93463407af97a5e5ee64fa883d107ef9e558472c4eb9aaaefa459d",
			Relays: []string{"wss://r.x.com", "wss://djbas.sadkb.com"}},
	} {
		if got, err := DecodeCode(code); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, %v", code, got, err)
		}
	}
	for _, code := range []string{nsec, "", "npub", "npub1", npub[:60], npub + "q", "N" + npub[1:], strings.Replace(npub, "e", "b", 1),
		strings.Repeat("q", MaxCode+1), encodeBech32("npub", make([]byte, 31)), encodeBech32("nevent", nil),
		encodeBech32("nevent", []byte{0, 3, 1, 2, 3}), encodeBech32("nevent", []byte{0, 32, 1}), encodeBech32("nevent", []byte{9}),
		encodeBech32("naddr", []byte{0, 1, 'x'})} {
		if got, err := DecodeCode(code); err == nil {
			t.Errorf("%q reads as %+v", code, got)
		}
	}
}

func TestCodesComeBack(t *testing.T) {
	for code, want := range map[string]Code{
		NEvent(id(1), "wss://x", bob, 9): {Prefix: "nevent", ID: id(1), PubKey: bob, Kind: 9, Relays: []string{"wss://x"}},
		NEvent(id(1), "", "", -1):        {Prefix: "nevent", ID: id(1), Kind: -1},
		NAddr(39000, relay, "room", "wss://x"): {Prefix: "naddr", D: "room", PubKey: relay, Kind: 39000,
			Relays: []string{"wss://x"}},
		NAddr(39000, relay, "", ""):        {Prefix: "naddr", PubKey: relay, Kind: 39000},
		encodeBech32("note", unhex(id(3))): {Prefix: "note", ID: id(3), Kind: -1},
		// A field of an unknown type is skipped.
		encodeBech32("nevent", append([]byte{77, 1, 5, 0, 32}, unhex(id(4))...)): {Prefix: "nevent", ID: id(4), Kind: -1},
	} {
		if got, err := DecodeCode(code); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, %v", code, got, err)
		}
	}
	if NPub("x") != "" || NEvent("x", "", "", 1) != "" || NAddr(1, "x", "", "") != "" || NAddr(1, bob, strings.Repeat("d", maxField+1), "") != "" {
		t.Error("what is no key or id has no code")
	}
	if NAddr(1, bob, strings.Repeat("d", maxField), "") == "" {
		t.Error("so many bytes fit")
	}
	if NEvent(id(1), strings.Repeat("r", maxField+1), "", 1) != NEvent(id(1), "", "", 1) {
		t.Error("a hint that does not fit is left out")
	}
	if c, err := DecodeCode(NEvent(id(1), strings.Repeat("r", maxField), "", 1)); err != nil || len(c.Relays) != 1 {
		t.Errorf("a hint that fits is kept: %v", err)
	}
}

func TestCodesAreReadUpToTheirLimit(t *testing.T) {
	// Eight bits a byte, five a letter: 3117 bytes after "naddr1" make 5000.
	for size, reads := range map[int]bool{3117: true, 3118: false} {
		data := appendField(nil, tlvSpecial, []byte("x"))
		data = appendField(data, tlvAuthor, unhex(bob))
		data = appendField(data, tlvKind, []byte{0, 0, 0, 1})
		for left := size - len(data); left > 0; left = size - len(data) {
			data = appendRelay(data, strings.Repeat("r", min(left-2, maxField-2)))
		}
		code := encodeBech32("naddr", data)
		if _, err := DecodeCode(code); (err == nil) != reads || (len(code) <= MaxCode) != reads {
			t.Errorf("%d characters: %v", len(code), err)
		}
	}
}

func FuzzDecodeCode(f *testing.F) {
	f.Add(NPub(ana))
	f.Add(NEvent(id(1), "wss://x", bob, 9))
	f.Add(NAddr(39000, relay, "room", "wss://x"))
	f.Add("nevent1qqqqqqqq")
	f.Add("1")
	f.Fuzz(func(t *testing.T, s string) {
		c, err := DecodeCode(s)
		if err != nil {
			return
		}
		if c.Prefix != "naddr" && !isHex32(c.ID) && !isHex32(c.PubKey) {
			t.Errorf("%q names nothing: %+v", s, c)
		}
		again := ""
		switch c.Prefix {
		case "npub":
			again = NPub(c.PubKey)
		case "note":
			again = encodeBech32("note", unhex(c.ID))
		}
		if again != "" && again != strings.ToLower(s) {
			t.Errorf("%q comes back as %q", s, again)
		}
	})
}
