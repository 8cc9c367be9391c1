package verify

import (
	"encoding/hex"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/nbd-wtf/go-nostr"
)

func TestEventForm(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	good := signed(t, r, 0)
	for name, c := range map[string]struct {
		change func(e *nostr.Event)
		want   error
	}{
		"as signed":                 {func(e *nostr.Event) {}, nil},
		"id is 32-bytes lowercase":  {func(e *nostr.Event) { e.ID = strings.ToUpper(e.ID) }, ErrForm},
		"id too short":              {func(e *nostr.Event) { e.ID = e.ID[:62] }, ErrForm},
		"id not hex":                {func(e *nostr.Event) { e.ID = "g" + e.ID[1:] }, ErrForm},
		"pubkey in uppercase":       {func(e *nostr.Event) { e.PubKey = strings.ToUpper(e.PubKey) }, ErrForm},
		"pubkey with its 02 before": {func(e *nostr.Event) { e.PubKey = "02" + e.PubKey }, ErrForm},
		"sig of 64 digits":          {func(e *nostr.Event) { e.Sig = e.Sig[:64] }, ErrForm},
		"no sig":                    {func(e *nostr.Event) { e.Sig = "" }, ErrForm},
		"other content":             {func(e *nostr.Event) { e.Content = "x" }, ErrID},
		"other tags":                {func(e *nostr.Event) { e.Tags = nostr.Tags{} }, ErrID},
		"other time":                {func(e *nostr.Event) { e.CreatedAt++ }, ErrID},
		"other kind":                {func(e *nostr.Event) { e.Kind++ }, ErrID},
		"other signature":           {func(e *nostr.Event) { e.Sig = flip(r, e.Sig) }, ErrSignature},
		"pubkey not on the curve": {func(e *nostr.Event) {
			e.PubKey = strings.Repeat("0", 64)
			rehash(e)
		}, ErrSignature},
	} {
		e := *good
		c.change(&e)
		if err := Event(&e); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
	if err := Event(nil); !errors.Is(err, ErrForm) {
		t.Errorf("nil: %v", err)
	}
}

func TestKindAndTimeBounds(t *testing.T) {
	for _, c := range []struct {
		kind int
		at   nostr.Timestamp
		ok   bool
	}{
		{0, 0, true}, {MaxKind, 0, true}, {0, MaxCreatedAt, true},
		{-1, 0, false}, {MaxKind + 1, 0, false}, {0, -1, false}, {0, MaxCreatedAt + 1, false},
	} {
		e := &nostr.Event{Kind: c.kind, CreatedAt: c.at}
		err := Sign(e, [32]byte{31: 1}, [32]byte{})
		if err == nil {
			err = Event(e)
		}
		if (err == nil) != c.ok || err != nil && !errors.Is(err, ErrForm) {
			t.Errorf("kind %d, created_at %d: %v", c.kind, c.at, err)
		}
	}
}

func TestIDIsThatOfGoNostr(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	text := func() string {
		b := make([]rune, r.IntN(20))
		for i := range b {
			switch r.IntN(3) {
			case 0:
				b[i] = r.Int32N(0x80)
			case 1:
				b[i] = []rune("\"\\\b\t\n\f\r\u2028<&😀é\x7f")[r.IntN(13)]
			default:
				b[i] = 'a' + r.Int32N(26)
			}
		}
		return string(b)
	}
	for range 3000 {
		e := &nostr.Event{PubKey: "aa", CreatedAt: nostr.Timestamp(r.Int64N(1 << 40)), Kind: r.IntN(65536), Content: text()}
		for range r.IntN(4) {
			tag := nostr.Tag{}
			for range r.IntN(4) {
				tag = append(tag, text())
			}
			e.Tags = append(e.Tags, tag)
		}
		if id := ID(e); hex.EncodeToString(id[:]) != e.GetID() {
			t.Fatalf("%s\nwant %s", appendSerial(nil, e), e.Serialize())
		}
	}
}

func TestSerialisationOfNIP01(t *testing.T) {
	e := &nostr.Event{
		PubKey: "ab", CreatedAt: 7, Kind: 1, Tags: nostr.Tags{{"e", "x", ""}, {}},
		Content: "\n\"\\\r\t\b\f" + "\x00\x1f\x7f/é\u2028",
	}
	const want = `[0,"ab",7,1,[["e","x",""],[]],"\n\"\\\r\t\b\f` + `\u0000\u001f` + "\x7f/é\u2028\"]"
	if got := string(appendSerial(nil, e)); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}

func TestIDsAndPublicKeysAsTheyAreWritten(t *testing.T) {
	key, err := PublicKey([32]byte{31: 3})
	if err != nil {
		t.Fatal(err)
	}
	fieldSize := strings.Repeat("f", 55) + "efffffc2f"
	for _, c := range []struct {
		what, text string
		id, key    bool
	}{
		{"a key", key, true, true},
		{"no x of a point", strings.Repeat("0", 63) + "5", true, false},
		{"zero", strings.Repeat("0", 64), true, false},
		{"p", fieldSize, true, false},
		{"uppercase", strings.ToUpper(key), false, false},
		{"a digit short", key[1:], false, false},
		{"a digit long", key + "0", false, false},
		{"no hex", key[:63] + "g", false, false},
		{"nothing", "", false, false},
	} {
		if IsID(c.text) != c.id || IsPublicKey(c.text) != c.key {
			t.Errorf("%s: id %v, key %v", c.what, IsID(c.text), IsPublicKey(c.text))
		}
	}
}
