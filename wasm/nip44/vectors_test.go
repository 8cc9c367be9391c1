package nip44

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/btcsuite/btcd/btcec/v2"
	"github.com/btcsuite/btcd/btcec/v2/schnorr"
)

func load(t testing.TB, name string, into any) {
	t.Helper()
	b, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, into); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}

func b32(t testing.TB, s string) (out [32]byte) {
	t.Helper()
	b, err := hex.DecodeString(s)
	if err != nil || len(b) != 32 {
		t.Fatalf("%q is not 32 bytes of hex", s)
	}
	return [32]byte(b)
}

func publicKey(t testing.TB, secret string) string {
	t.Helper()
	s := b32(t, secret)
	_, pub := btcec.PrivKeyFromBytes(s[:])
	return hex.EncodeToString(schnorr.SerializePubKey(pub))
}

func hash(s string) string {
	h := sha256.Sum256([]byte(s))
	return hex.EncodeToString(h[:])
}

type vectors struct {
	V2 struct {
		Valid struct {
			ConversationKeys []struct {
				Sec1 string
				Pub2 string
				Key  string `json:"conversation_key"`
			} `json:"get_conversation_key"`
			MessageKeys struct {
				Key  string `json:"conversation_key"`
				Keys []struct {
					Nonce       string
					ChachaKey   string `json:"chacha_key"`
					ChachaNonce string `json:"chacha_nonce"`
					HMACKey     string `json:"hmac_key"`
				}
			} `json:"get_message_keys"`
			PaddedLen      [][2]int `json:"calc_padded_len"`
			EncryptDecrypt []struct {
				Sec1, Sec2, Nonce, Plaintext, Payload string
				Key                                   string `json:"conversation_key"`
			} `json:"encrypt_decrypt"`
			Long []struct {
				Key           string `json:"conversation_key"`
				Nonce         string
				Pattern       string
				Repeat        int
				PlaintextHash string `json:"plaintext_sha256"`
				PayloadHash   string `json:"payload_sha256"`
			} `json:"encrypt_decrypt_long_msg"`
		}
		Invalid struct {
			Lengths          []int                               `json:"encrypt_msg_lengths"`
			ConversationKeys []struct{ Sec1, Pub2, Note string } `json:"get_conversation_key"`
			Decrypt          []struct {
				Key           string `json:"conversation_key"`
				Payload, Note string
			}
		}
	}
}

func TestValidVectors(t *testing.T) {
	var v vectors
	load(t, "vectors.json", &v)
	valid := v.V2.Valid
	for _, c := range valid.ConversationKeys {
		key, err := ConversationKey(b32(t, c.Sec1), c.Pub2)
		if err != nil || key != b32(t, c.Key) {
			t.Errorf("ConversationKey(%s, %s) = %x, %v", c.Sec1, c.Pub2, key, err)
		}
	}
	conversation := b32(t, valid.MessageKeys.Key)
	for _, c := range valid.MessageKeys.Keys {
		nonce := b32(t, c.Nonce)
		k := messageKeys(&conversation, &nonce)
		if got := hex.EncodeToString(k.cipher[:]); got != c.ChachaKey+c.ChachaNonce {
			t.Errorf("nonce %s: cipher key and nonce %s", c.Nonce, got)
		}
		if got := hex.EncodeToString(k.hmac[:]); got != c.HMACKey {
			t.Errorf("nonce %s: HMAC key %s", c.Nonce, got)
		}
	}
	for _, c := range valid.PaddedLen {
		if got := paddedLen(c[0]); got != c[1] {
			t.Errorf("paddedLen(%d) = %d, want %d", c[0], got, c[1])
		}
	}
	for _, c := range valid.EncryptDecrypt {
		for _, side := range [][2]string{{c.Sec1, c.Sec2}, {c.Sec2, c.Sec1}} {
			key, err := ConversationKey(b32(t, side[0]), publicKey(t, side[1]))
			if err != nil || key != b32(t, c.Key) {
				t.Errorf("conversation key %x, %v, want %s", key, err, c.Key)
			}
		}
		checkBothWays(t, b32(t, c.Key), b32(t, c.Nonce), c.Plaintext, hash(c.Payload))
	}
	for _, c := range valid.Long {
		plaintext := strings.Repeat(c.Pattern, c.Repeat)
		if hash(plaintext) != c.PlaintextHash {
			t.Fatalf("%d times %q is another plaintext", c.Repeat, c.Pattern)
		}
		checkBothWays(t, b32(t, c.Key), b32(t, c.Nonce), plaintext, c.PayloadHash)
	}
}

func checkBothWays(t *testing.T, key, nonce [32]byte, plaintext, payloadHash string) {
	t.Helper()
	payload, err := Encrypt(plaintext, key, nonce)
	if err != nil || hash(payload) != payloadHash {
		t.Errorf("Encrypt of %d bytes: %v, payload of hash %s, want %s", len(plaintext), err, hash(payload), payloadHash)
	}
	back, err := Decrypt(payload, key)
	if err != nil || back != plaintext {
		t.Errorf("Decrypt of %d characters: %v, %d bytes of %d", len(payload), err, len(back), len(plaintext))
	}
}

func TestInvalidVectors(t *testing.T) {
	var v vectors
	load(t, "vectors.json", &v)
	for _, n := range v.V2.Invalid.Lengths {
		_, err := Encrypt(strings.Repeat("a", n), [32]byte{1}, [32]byte{2})
		if extended := n >= ExtendedThreshold && n <= MaxPlaintext; extended != (err == nil) {
			t.Errorf("Encrypt of %d bytes: %v", n, err)
		}
	}
	for _, c := range v.V2.Invalid.ConversationKeys {
		if _, err := ConversationKey(b32(t, c.Sec1), c.Pub2); !errors.Is(err, ErrKey) {
			t.Errorf("%s: %v, want ErrKey", c.Note, err)
		}
	}
	reasons := map[string]error{
		"unknown encryption version": ErrVersion, "unknown encryption version 0": ErrVersion,
		"invalid base64": ErrPayload, "invalid MAC": ErrMAC, "invalid padding": ErrPayload,
	}
	for _, c := range v.V2.Invalid.Decrypt {
		want := reasons[c.Note]
		if strings.HasPrefix(c.Note, "invalid payload length") {
			want = ErrLength
		}
		if _, err := Decrypt(c.Payload, b32(t, c.Key)); !errors.Is(err, want) || want == nil {
			t.Errorf("%s: %v, want %v", c.Note, err, want)
		}
	}
}

func TestExtendedVectors(t *testing.T) {
	var v struct {
		Key   string `json:"conversation_key"`
		Cases []struct {
			Len           int `json:"plaintext_len"`
			Nonce         string
			PayloadLen    int    `json:"payload_len"`
			PayloadHash   string `json:"payload_sha256"`
			PlaintextHash string `json:"plaintext_sha256"`
		}
	}
	load(t, "extended.json", &v)
	const pattern = "abcdefghijklmnopqrstuvwxyz0123456789"
	for _, c := range v.Cases {
		plaintext := strings.Repeat(pattern, c.Len/len(pattern)+1)[:c.Len]
		if hash(plaintext) != c.PlaintextHash {
			t.Fatalf("%d bytes are another plaintext", c.Len)
		}
		checkBothWays(t, b32(t, v.Key), b32(t, c.Nonce), plaintext, c.PayloadHash)
	}
}

func TestExtendedVectorsOfTheNIP(t *testing.T) {
	var v struct {
		Key   string `json:"conversation_key"`
		Nonce string
		Cases []struct {
			Len           int    `json:"plaintext_len"`
			Padded        int    `json:"padded_len"`
			PlaintextHash string `json:"plaintext_sha256"`
			PayloadHash   string `json:"payload_sha256"`
		}
	}
	load(t, "nip.json", &v)
	for _, c := range v.Cases {
		plaintext := strings.Repeat("a", c.Len)
		if paddedLen(c.Len) != c.Padded || hash(plaintext) != c.PlaintextHash {
			t.Errorf("%d bytes: padded to %d, want %d", c.Len, paddedLen(c.Len), c.Padded)
		}
		checkBothWays(t, b32(t, v.Key), b32(t, v.Nonce), plaintext, c.PayloadHash)
	}
}
