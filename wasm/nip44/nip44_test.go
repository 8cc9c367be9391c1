package nip44

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"
)

var testKey = [32]byte{0xc4, 0x1c, 0x77, 31: 0x2d}

// seal makes a payload with a right MAC around any padded plaintext.
func seal(key [32]byte, padded []byte) string {
	nonce := [32]byte{7}
	keys := messageKeys(&key, &nonce)
	raw := append([]byte{version}, nonce[:]...)
	raw = append(raw, padded...)
	keys.xor(raw[1+NonceSize:])
	m := hmac.New(sha256.New, keys.hmac[:])
	m.Write(raw[1:])
	return base64.StdEncoding.EncodeToString(m.Sum(raw))
}

func TestPlaintextBounds(t *testing.T) {
	for n, want := range map[int]error{
		0: ErrLength, MinPlaintext: nil, ExtendedThreshold - 1: nil, ExtendedThreshold: nil,
		MaxPlaintext: nil, MaxPlaintext + 1: ErrLength,
	} {
		plaintext := strings.Repeat("é", n/2) + strings.Repeat("e", n%2)
		payload, err := Encrypt(plaintext, testKey, [32]byte{1})
		if !errors.Is(err, want) {
			t.Fatalf("Encrypt of %d bytes: %v, want %v", n, err, want)
		}
		if want != nil {
			continue
		}
		if back, err := Decrypt(payload, testKey); err != nil || back != plaintext {
			t.Errorf("Decrypt of %d bytes: %v", n, err)
		}
		if n == MaxPlaintext && len(payload) != MaxPayload {
			t.Errorf("the longest payload has %d characters, MaxPayload is %d", len(payload), MaxPayload)
		}
	}
}

func TestPayloadBounds(t *testing.T) {
	shortest, err := Encrypt("a", testKey, [32]byte{1})
	if err != nil || len(shortest) != MinPayload {
		t.Fatalf("the shortest payload has %d characters, %v", len(shortest), err)
	}
	for _, n := range []int{0, MinPayload - 4, MaxPayload + 4} {
		if _, err := Decrypt(strings.Repeat("A", n), testKey); !errors.Is(err, ErrLength) {
			t.Errorf("%d characters: %v, want ErrLength", n, err)
		}
	}
	raw := append([]byte{version}, make([]byte, minRaw-2)...)
	if _, err := Decrypt(base64.StdEncoding.EncodeToString(raw), testKey); !errors.Is(err, ErrLength) {
		t.Errorf("%d bytes: %v, want ErrLength", len(raw), err)
	}
}

func TestPaddingIsChecked(t *testing.T) {
	prefix16 := func(n, size int) []byte {
		return append(binary.BigEndian.AppendUint16(nil, uint16(n)), bytes.Repeat([]byte("a"), size)...)
	}
	prefix32 := func(n, size int) []byte {
		return append(binary.BigEndian.AppendUint32([]byte{0, 0}, uint32(n)), bytes.Repeat([]byte("a"), size)...)
	}
	for name, c := range map[string]struct {
		padded []byte
		want   error
	}{
		"32 of 32":                     {prefix16(32, 32), nil},
		"33 of 32":                     {prefix16(33, 32), ErrPayload},
		"length past the end":          {prefix16(65535, 32), ErrPayload},
		"padded one step too far":      {prefix16(1, 64), ErrPayload},
		"zero length":                  {prefix16(0, 32), ErrPayload},
		"extended":                     {prefix32(ExtendedThreshold, ExtendedThreshold), nil},
		"extended below the threshold": {prefix32(ExtendedThreshold-1, ExtendedThreshold), ErrPayload},
		"extended past the end":        {prefix32(ExtendedThreshold, 32), ErrPayload},
		"longer than the maximum":      {prefix32(MaxPlaintext+1, 32), ErrPayload},
		"greatest length":              {prefix32(1<<32-1, 32), ErrPayload},
	} {
		if _, err := Decrypt(seal(testKey, c.padded), testKey); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
}

func TestTextIsUTF8(t *testing.T) {
	if _, err := Encrypt("\xff", testKey, [32]byte{1}); !errors.Is(err, ErrText) {
		t.Errorf("Encrypt: %v, want ErrText", err)
	}
	padded := append([]byte{0, 1, 0xff}, make([]byte, 31)...)
	if _, err := Decrypt(seal(testKey, padded), testKey); !errors.Is(err, ErrText) {
		t.Errorf("Decrypt: %v, want ErrText", err)
	}
}

func TestEveryChangedByteIsFound(t *testing.T) {
	payload, err := Encrypt("a", testKey, [32]byte{1})
	if err != nil {
		t.Fatal(err)
	}
	raw, _ := base64.StdEncoding.DecodeString(payload)
	for i := range raw {
		changed := bytes.Clone(raw)
		changed[i] ^= 1
		want := ErrMAC
		if i == 0 {
			want = ErrVersion
		}
		if _, err := Decrypt(base64.StdEncoding.EncodeToString(changed), testKey); !errors.Is(err, want) {
			t.Errorf("byte %d: %v, want %v", i, err, want)
		}
	}
	if _, err := Decrypt(payload, [32]byte{9}); !errors.Is(err, ErrMAC) {
		t.Errorf("other key: %v, want ErrMAC", err)
	}
}

func TestBase64IsTheStrictStandardOne(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	strict := base64.StdEncoding.Strict()
	for n := 1; n < 200; n++ {
		p := make([]byte, n)
		for i := range p {
			p[i] = byte(r.Uint32())
		}
		s := strict.EncodeToString(p)
		if got, ok := decode64(s); !ok || !bytes.Equal(got, p) {
			t.Fatalf("decode64(%q) = %x, %v", s, got, ok)
		}
		for range 20 {
			b := []byte(s)
			b[r.IntN(len(b))] = "A=+/-_\nz%\xc3"[r.IntN(10)]
			want, err := strict.DecodeString(string(b))
			ok := err == nil && !bytes.ContainsAny(b, "\r\n")
			if got, gotOK := decode64(string(b)); gotOK != ok || ok && !bytes.Equal(got, want) {
				t.Fatalf("decode64(%q) = %x, %v, want %x, %v", b, got, gotOK, want, ok)
			}
		}
	}
}

func TestConversationKeyWantsLowercaseHexOfX(t *testing.T) {
	good := publicKey(t, strings.Repeat("0", 63)+"2")
	for _, pub := range []string{"", "zz", strings.ToUpper(good), "02" + good, good[:62], good + "\n", "é" + good[2:]} {
		if _, err := ConversationKey([32]byte{31: 1}, pub); !errors.Is(err, ErrKey) {
			t.Errorf("%q: %v, want ErrKey", pub, err)
		}
	}
}

func TestEncryptRandDrawsTheNonce(t *testing.T) {
	one, err := EncryptRand("hello", testKey, strings.NewReader(strings.Repeat("n", 32)))
	two, _ := Encrypt("hello", testKey, [32]byte([]byte(strings.Repeat("n", 32))))
	if err != nil || one != two {
		t.Errorf("EncryptRand: %q, %v, want %q", one, err, two)
	}
	for _, r := range []io.Reader{strings.NewReader("short"), iotest.ErrReader(errors.New("no randomness"))} {
		if _, err := EncryptRand("hello", testKey, r); err == nil {
			t.Error("a nonce was made without randomness")
		}
	}
}

func FuzzDecrypt(f *testing.F) {
	var v vectors
	load(f, "vectors.json", &v)
	for _, c := range v.V2.Valid.EncryptDecrypt {
		f.Add(c.Payload, []byte(nil))
	}
	for _, c := range v.V2.Invalid.Decrypt {
		f.Add(c.Payload, []byte(nil))
	}
	f.Add("", append([]byte{0, 5}, "hello"...))
	f.Fuzz(func(t *testing.T, payload string, padded []byte) {
		if len(padded) >= shortPrefix+32 {
			payload = seal(testKey, padded) // past the MAC, to the padding
		}
		plaintext, err := Decrypt(payload, testKey)
		if err != nil {
			return
		}
		raw, _ := base64.StdEncoding.DecodeString(payload)
		again, err := Encrypt(plaintext, testKey, [32]byte(raw[1:]))
		if err != nil || len(again) != len(payload) {
			t.Fatalf("%q decrypts to %q, which makes %q, %v", payload, plaintext, again, err)
		}
	})
}
