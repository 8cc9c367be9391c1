package signer

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/nbd-wtf/go-nostr"

	"parley/wasm/verify"
)

// The vector of NIP-49: a key of known text under the passphrase "nostr".
const (
	vectorSealed = "ncryptsec1qgg9947rlpvqu76pj5ecreduf9jxhselq2nae2kghhvd5g7dgjtcxfqtd67p9m0w57lspw8gsq6yphnm8623nsl8xn9j4jdzz84zm3frztj3z7s35vpzmqf6ksu8r89qk5z2zxfmu5gv8th8wclt0h4p"
	vectorSecret = "3501454135014541350145413501453fefb02227e449e57cf4d3a3ce05378683"
	// The vector of NIP-19.
	vectorNsec = "nsec1vl029mgpspedva04g90vltkh6fvh240zqtv9k0t9af8935ke9laqsnlfe5"
	nsecSecret = "67dea2ed018072d675f5415ecfaed7d2597555e202d85b3d65ea4e58d2d92ffa"
)

func wrapper(t *testing.T) Wrapper {
	t.Helper()
	w, err := NewWrapper(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func TestNIP49VectorOpens(t *testing.T) {
	account, s, err := Import(t.Context(), nil, rand.Reader, vectorSealed, "nostr", 1)
	if err != nil {
		t.Fatal(err)
	}
	if got := s.(*Local).secretHex(); got != vectorSecret {
		t.Errorf("the vector opens to %s", got)
	}
	if account.NCryptSec != vectorSealed {
		t.Error("an imported ncryptsec does not keep its passphrase")
	}
}

func TestWhatIsStoredNeverHoldsTheKey(t *testing.T) {
	for _, passphrase := range []string{"", "correct horse"} {
		account, s, err := Create(t.Context(), wrapper(t), rand.Reader, passphrase, 1)
		if err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(account)
		if err != nil {
			t.Fatal(err)
		}
		local := s.(*Local)
		nsec, err := encodeNsec(local.secret)
		if err != nil {
			t.Fatal(err)
		}
		for _, plain := range []string{local.secretHex(), nsec, string(local.secret[:])} {
			if strings.Contains(string(text), plain) {
				t.Errorf("with passphrase %q the stored account holds the key", passphrase)
			}
		}
	}
}

func TestAKeyOpensAgain(t *testing.T) {
	w := wrapper(t)
	for _, passphrase := range []string{"", "correct horse"} {
		account, s, err := Create(t.Context(), w, rand.Reader, passphrase, 1)
		if err != nil {
			t.Fatal(err)
		}
		again, err := Unlock(t.Context(), w, account, passphrase)
		if err != nil {
			t.Fatal(err)
		}
		if again.PublicKey() != s.PublicKey() {
			t.Error("another key came out")
		}
	}
}

func TestPassphrasesAreComparedAfterNFKC(t *testing.T) {
	account, _, err := Create(t.Context(), nil, rand.Reader, "ÅΩẛ̣", 1)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Unlock(t.Context(), nil, account, "\u0041\u030a\u03a9\u1e69"); err != nil {
		t.Errorf("the same passphrase in other code points: %v", err)
	}
}

func TestImportSaysWhatIsWrong(t *testing.T) {
	const npub = "npub180cvv07tjdrrgpa0j7j7tmnyl2yr6yr7l8j4s3evf6u64th6gkwsyjh6w6"
	costly := costlyNcryptsec(t)
	for name, c := range map[string]struct {
		text, passphrase string
		want             error
	}{
		"nothing":                 {"", "", ErrNotKey},
		"words":                   {"my dog's name", "", ErrNotKey},
		"a public key":            {npub, "", ErrPublicKey},
		"a typing error":          {vectorNsec[:len(vectorNsec)-1] + "6", "", ErrChecksum},
		"an event":                {"note1fntxtkcy9pjwucqwa9mddn7v03wwwsu9j330jj350nvhpky2tuaspk6nqc", "", ErrNotKey},
		"63 digits":               {vectorSecret[1:], "", ErrNotKey},
		"65 digits":               {vectorSecret + "0", "", ErrNotKey},
		"zero":                    {strings.Repeat("0", 64), "", ErrNotKey},
		"more than the order":     {strings.Repeat("f", 64), "", ErrNotKey},
		"a wrong passphrase":      {vectorSealed, "nostr ", ErrPassphrase},
		"no passphrase":           {vectorSealed, "", ErrPassphrase},
		"a cost nobody can pay":   {costly, "x", ErrNotKey},
		"a cut ncryptsec":         {"ncryptsec1qqqqqq", "x", ErrChecksum},
		"over the longest text":   {strings.Repeat("a", MaxSecret+1), "", ErrNotKey},
		"over the longest sealed": {"ncryptsec1" + strings.Repeat("q", MaxSecret), "", ErrNotKey},
	} {
		if _, _, err := Import(t.Context(), wrapper(t), rand.Reader, c.text, c.passphrase, 1); !errors.Is(err, c.want) {
			t.Errorf("%s: got %v, want %v", name, err, c.want)
		}
	}
	for name, text := range map[string]string{"hex": nsecSecret, "upper-case hex": strings.ToUpper(nsecSecret), "nsec": vectorNsec, "nsec with space": " " + vectorNsec + "\n", "nostr:": "nostr:" + vectorNsec} {
		_, s, err := Import(t.Context(), wrapper(t), rand.Reader, text, "", 1)
		if err != nil || s.(*Local).secretHex() != nsecSecret {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestWithoutWebCryptoOnlyAPassphraseWillDo(t *testing.T) {
	if _, _, err := Create(t.Context(), nil, rand.Reader, "", 1); !errors.Is(err, ErrNoWebCrypto) {
		t.Errorf("got %v", err)
	}
	if _, _, err := Create(t.Context(), nil, rand.Reader, "x", 1); err != nil {
		t.Errorf("got %v", err)
	}
}

func TestBackupIsCheckedByItsKey(t *testing.T) {
	w := wrapper(t)
	for _, passphrase := range []string{"", "correct horse"} {
		account, s, err := Create(t.Context(), w, rand.Reader, passphrase, 1)
		if err != nil {
			t.Fatal(err)
		}
		text, err := Backup(account, s)
		if err != nil {
			t.Fatal(err)
		}
		if err := CheckBackup(account, " "+text+"\n", ""); err != nil {
			t.Errorf("its own backup: %v", err)
		}
		if err := CheckBackup(account, vectorNsec, ""); !errors.Is(err, ErrBackup) {
			t.Errorf("another key's backup: %v", err)
		}
		if err := CheckBackup(account, text[:len(text)-2], ""); err == nil {
			t.Error("a cut backup counts")
		}
	}
}

// costlyNcryptsec is the vector with a cost over MaxLogN.
func costlyNcryptsec(t *testing.T) string {
	t.Helper()
	raw, err := decodeBech32(vectorSealed, "ncryptsec")
	if err != nil {
		t.Fatal(err)
	}
	raw[1] = MaxLogN + 1
	return sealText(t, raw)
}

// fakeExtension is a browser extension that can be made to misbehave.
type fakeExtension struct {
	local  *Local
	other  *Local
	refuse error
	spoil  func(*nostr.Event)
}

func (f *fakeExtension) call(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error) {
	if f.refuse != nil {
		return nil, f.refuse
	}
	var args []json.RawMessage
	if err := json.Unmarshal(params, &args); err != nil {
		return nil, err
	}
	text := func(i int) (s string) {
		_ = json.Unmarshal(args[i], &s) // the test sends strings
		return s
	}
	switch method {
	case "getPublicKey":
		return json.Marshal(f.local.public)
	case "signEvent":
		var e nostr.Event
		if err := json.Unmarshal(args[0], &e); err != nil {
			return nil, err
		}
		if f.spoil != nil {
			f.spoil(&e)
		}
		if err := f.local.Sign(ctx, &e); err != nil {
			return nil, err
		}
		return json.Marshal(e)
	case "nip44.encrypt":
		payload, err := f.local.Encrypt(ctx, text(1), text(0))
		if err != nil {
			return nil, err
		}
		return json.Marshal(payload)
	case "nip44.decrypt":
		plaintext, err := f.local.Decrypt(ctx, text(1), text(0))
		if err != nil {
			return nil, err
		}
		return json.Marshal(plaintext)
	}
	return nil, errors.New("no such method")
}

func newLocal(t *testing.T) *Local {
	t.Helper()
	_, s, err := Create(t.Context(), wrapper(t), rand.Reader, "", 1)
	if err != nil {
		t.Fatal(err)
	}
	return s.(*Local)
}

func TestAnExtensionsAnswersAreChecked(t *testing.T) {
	mine := newLocal(t)
	fake := &fakeExtension{local: mine}
	x := NewExtension(mine.public, fake.call)
	template := nostr.Event{Kind: 9, CreatedAt: 5, Content: "hi", Tags: nostr.Tags{{"h", "lobby"}}}

	signed := template
	if err := x.Sign(t.Context(), &signed); err != nil {
		t.Fatal(err)
	}
	if err := verify.Event(&signed); err != nil {
		t.Error(err)
	}

	for name, c := range map[string]struct {
		change func()
		want   error
	}{
		"it says no":                     {func() { fake.refuse = errors.New("User rejected") }, ErrRefused},
		"it was switched":                {func() { fake.local = newLocal(t) }, ErrOtherKey},
		"it signs other words":           {func() { fake.spoil = func(e *nostr.Event) { e.Content = "pay me" } }, ErrBadSigner},
		"it adds a tag":                  {func() { fake.spoil = func(e *nostr.Event) { e.Tags = append(e.Tags, nostr.Tag{"x"}) } }, ErrBadSigner},
		"it signs another kind of event": {func() { fake.spoil = func(e *nostr.Event) { e.Kind = 1 } }, ErrBadSigner},
	} {
		*fake = fakeExtension{local: mine}
		c.change()
		e := template
		if err := x.Sign(t.Context(), &e); !errors.Is(err, c.want) {
			t.Errorf("%s: got %v, want %v", name, err, c.want)
		}
		if e.Sig != "" || e.Content != template.Content {
			t.Errorf("%s: the event was changed", name)
		}
	}
}

func TestBothSignersReadEachOther(t *testing.T) {
	ana, ben := newLocal(t), newLocal(t)
	outside := NewExtension(ben.public, (&fakeExtension{local: ben}).call)
	payload, err := ana.Encrypt(t.Context(), "secret", ben.public)
	if err != nil {
		t.Fatal(err)
	}
	plaintext, err := outside.Decrypt(t.Context(), payload, ana.public)
	if err != nil || plaintext != "secret" {
		t.Errorf("got %q, %v", plaintext, err)
	}
	if payload, err = outside.Encrypt(t.Context(), "answer", ana.public); err != nil {
		t.Fatal(err)
	}
	if plaintext, err = ana.Decrypt(t.Context(), payload, ben.public); err != nil || plaintext != "answer" {
		t.Errorf("got %q, %v", plaintext, err)
	}
}
