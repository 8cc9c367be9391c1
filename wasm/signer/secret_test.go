package signer

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"errors"
	mrand "math/rand/v2"
	"strings"
	"testing"
)

func TestImportSaysWhatIsWrong(t *testing.T) {
	costly := reseal(t, func(raw []byte) { raw[1] = MaxLogN + 1 })
	for name, c := range map[string]struct {
		text, passphrase string
		want             error
		words            string // in the error
	}{
		"nothing":                 {" \n", "", ErrNotKey, "nothing was given"},
		"words":                   {"my dog's name", "", ErrNotKey, "nsec1"},
		"one word":                {"password", "", ErrNotKey, "nsec1"},
		"recovery words":          {strings.Repeat("abandon ", 11) + "about", "", ErrNotKey, "recovery words"},
		"a public key":            {"npub180cvv07tjdrrgpa0j7j7tmnyl2yr6yr7l8j4s3evf6u64th6gkwsyjh6w6", "", ErrPublicKey, "npub"},
		"a mistyped public key":   {"npub180cvv", "", ErrPublicKey, "npub"},
		"a profile":               {"nostr:nprofile1qqsrhuxx8l9ex335q7he0f09aej04zpazpl0ne2cgukyawd24mayt8gpp4mhxue69uhhytnc9e3k7mgpz4mhxue69uhkg6nzv9ejuumpv34kytnrdaksjlyr9p", "", ErrPublicKey, "nprofile"},
		"an event":                {"note1fntxtkcy9pjwucqwa9mddn7v03wwwsu9j330jj350nvhpky2tuaspk6nqc", "", ErrNotKey, "a message"},
		"something else":          {encodeBech32("lnurl", []byte{1}), "", ErrNotKey, "lnurl1"},
		"a typing error":          {vectorNsec[:len(vectorNsec)-1] + "6", "", ErrChecksum, ""},
		"a foreign character":     {vectorNsec[:len(vectorNsec)-1] + "b", "", ErrChecksum, "'b'"},
		"mixed capitals":          {"Nsec" + vectorNsec[4:], "", ErrChecksum, "mixed"},
		"a short nsec":            {encodeBech32("nsec", make([]byte, 31)), "", ErrNotKey, "31 bytes"},
		"63 digits":               {vectorSecret[1:], "", ErrNotKey, "64 hex"},
		"65 digits":               {vectorSecret + "0", "", ErrNotKey, "64 hex"},
		"zero":                    {strings.Repeat("0", 64), "", ErrNotKey, "out of range"},
		"more than the order":     {strings.Repeat("f", 64), "", ErrNotKey, "out of range"},
		"two keys":                {vectorNsec + " " + vectorSealed, "", ErrNotKey, "several"},
		"a wrong passphrase":      {vectorSealed, "nostr ", ErrPassphrase, ""},
		"no passphrase":           {vectorSealed, "", ErrPassphrase, "its passphrase"},
		"a cost over MaxLogN":     {costly, "x", ErrTooCostly, "21"},
		"no cost":                 {reseal(t, func(raw []byte) { raw[1] = 0 }), "x", ErrTooCostly, ""},
		"another version":         {reseal(t, func(raw []byte) { raw[0] = 1 }), "x", ErrNotKey, "version 1"},
		"a changed security byte": {reseal(t, func(raw []byte) { raw[2+saltSize+24] ^= 1 }), "nostr", ErrPassphrase, ""},
		"a cut ncryptsec":         {"ncryptsec1qqqqqq", "x", ErrChecksum, ""},
		"a short ncryptsec":       {encodeBech32("ncryptsec", make([]byte, ncryptsecSize-1)), "x", ErrNotKey, "90 bytes"},
		"over MaxSecret":          {vectorNsec + strings.Repeat(" ", MaxSecret-len(vectorNsec)+1), "", ErrNotKey, "bytes long"},
	} {
		_, _, err := Import(t.Context(), newWrapper(t), rand.Reader, c.text, c.passphrase, 1)
		if !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.words) {
			t.Errorf("%s: got %v, want %v", name, err, c.want)
		}
		if err != nil && (strings.Contains(err.Error(), vectorSecret[1:20]) || strings.Contains(err.Error(), vectorNsec[5:20])) {
			t.Errorf("%s: the error tells the key", name)
		}
	}
}

// reseal is the vector of NIP-49 with its bytes changed and a right checksum.
func reseal(t *testing.T, change func(raw []byte)) string {
	t.Helper()
	_, raw, err := decodeBech32(vectorSealed)
	if err != nil {
		t.Fatal(err)
	}
	change(raw)
	return encodeBech32(ncryptsecPrefix, raw)
}

func TestEveryFormOfASecretKeyIsRead(t *testing.T) {
	for name, text := range map[string]string{
		"hex":               nsecSecret,
		"upper-case hex":    strings.ToUpper(nsecSecret),
		"nsec":              vectorNsec,
		"upper-case nsec":   strings.ToUpper(vectorNsec),
		"nsec with space":   " " + vectorNsec + "\n",
		"nostr:":            "nostr:" + vectorNsec,
		"a backup file":     "Parley backup\n\nsecret key: " + vectorNsec + "\nnpub1xyz\n",
		"the same twice":    vectorNsec + "\n" + vectorNsec,
		"as long as it may": vectorNsec + strings.Repeat(" ", MaxSecret-len(vectorNsec)),
	} {
		_, s, err := Import(t.Context(), newWrapper(t), rand.Reader, text, "", 1)
		if err != nil || secretOf(s) != nsecSecret {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestNsecIsThatOfNIP19(t *testing.T) {
	raw, err := hex.DecodeString(nsecSecret)
	if err != nil {
		t.Fatal(err)
	}
	if got := nsec([32]byte(raw)); got != vectorNsec {
		t.Errorf("%s, want %s", got, vectorNsec)
	}
}

func TestBech32GoesBothWays(t *testing.T) {
	r := mrand.New(mrand.NewPCG(1, 2))
	for n := range 120 {
		data := make([]byte, n)
		for i := range data {
			data[i] = byte(r.Uint32())
		}
		text := encodeBech32("test", data)
		prefix, back, err := decodeBech32(text)
		if err != nil || prefix != "test" || !bytes.Equal(back, data) {
			t.Fatalf("%x: %s, %x, %v", data, prefix, back, err)
		}
		for range 10 {
			wrong := []byte(text)
			at := 5 + r.IntN(len(wrong)-5)
			wrong[at] = bech32Digits[(strings.IndexByte(bech32Digits, wrong[at])+1+r.IntN(31))%32]
			if _, _, err := decodeBech32(string(wrong)); !errors.Is(err, ErrChecksum) {
				t.Fatalf("%s for %s: %v", wrong, text, err)
			}
		}
	}
}

func FuzzReadSecret(f *testing.F) {
	for _, text := range []string{"", vectorNsec, vectorSealed, nsecSecret, "npub1", "a b", "nsec1", "1", "é1q"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		g, err := readSecret(text)
		if err != nil {
			if !errors.Is(err, ErrNotKey) && !errors.Is(err, ErrPublicKey) && !errors.Is(err, ErrChecksum) {
				t.Errorf("%q: %v", text, err)
			}
			return
		}
		if g.ncryptsec != "" && !strings.Contains(strings.ToLower(text), g.ncryptsec) {
			t.Errorf("%q holds no %s", text, g.ncryptsec)
		}
	})
}
