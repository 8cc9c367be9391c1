package verify

import (
	"bytes"
	"encoding/csv"
	"encoding/hex"
	"errors"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/btcsuite/btcd/btcec/v2"
	"github.com/btcsuite/btcd/btcec/v2/schnorr"
	"github.com/nbd-wtf/go-nostr"

	"parley/wasm/internal/curve"
)

// vector is a line of the BIP-340 vectors whose message has 32 bytes, as ids do.
type vector struct {
	name        string
	secret, aux []byte // nil where only the verification is of interest
	claim
	valid bool
}

func readVectors(t *testing.T) (out []vector) {
	t.Helper()
	file, err := os.Open("testdata/bip340.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	lines, err := csv.NewReader(file).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range lines[1:] {
		var f [6][]byte
		for i := range f {
			if f[i], err = hex.DecodeString(l[i]); err != nil && i > 0 {
				t.Fatalf("line %s: %v", l[0], err)
			}
		}
		if len(f[4]) != 32 {
			continue
		}
		out = append(out, vector{
			name: l[0] + " " + l[7], secret: f[1], aux: f[3], valid: l[6] == "TRUE",
			claim: claim{pub: [32]byte(f[2]), id: [32]byte(f[4]), sig: [64]byte(f[5])},
		})
	}
	if len(out) < 15 {
		t.Fatalf("only %d vectors", len(out))
	}
	return out
}

func TestVectorsOfBIP340(t *testing.T) {
	for _, v := range readVectors(t) {
		if got := v.holds(); got != v.valid {
			t.Errorf("%s: holds is %v", v.name, got)
		}
		if got := batchHolds([]claim{v.claim}); got != v.valid {
			t.Errorf("%s: in a batch %v", v.name, got)
		}
		if len(v.secret) == 0 {
			continue
		}
		c := claim{id: v.id}
		d, pub, err := keyPair((*[32]byte)(v.secret))
		if err != nil || pub != v.pub {
			t.Fatalf("%s: public key %x, %v", v.name, pub, err)
		}
		c.pub = pub
		if err := c.sign(&d, (*[32]byte)(v.aux)); err != nil || c.sig != v.sig {
			t.Errorf("%s: signature %x, %v", v.name, c.sig, err)
		}
	}
}

func TestBatchOfVectors(t *testing.T) {
	var good []claim
	for _, v := range readVectors(t) {
		if v.valid {
			good = append(good, v.claim)
		}
	}
	if !batchHolds(good) {
		t.Error("the valid vectors do not hold as a batch")
	}
	for _, v := range readVectors(t) {
		if !v.valid && batchHolds(good, v.claim) {
			t.Errorf("%s is not found in a batch", v.name)
		}
	}
}

// batchHolds checks claims at once, whatever their number.
func batchHolds(claims []claim, more ...claim) bool {
	b := &batch{byKey: make(map[[32]byte]int)}
	for _, c := range append(claims[:len(claims):len(claims)], more...) {
		if !b.add(0, &c) {
			return false
		}
	}
	return b.hold(0, len(b.items), newCoefficients([32]byte{1}))
}

func random32(r *rand.Rand) (b [32]byte) {
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}

func TestSignatureChecksAgreeWithBtcec(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	outcomes := map[bool]int{}
	for range 300 {
		secret, aux := random32(r), random32(r)
		key, pub := btcec.PrivKeyFromBytes(secret[:])
		c := claim{id: random32(r), pub: [32]byte(schnorr.SerializePubKey(pub))}
		theirs, err := schnorr.Sign(key, c.id[:], schnorr.CustomNonce(aux))
		if err != nil {
			t.Fatal(err)
		}
		d, _, _ := keyPair(&secret)
		if err := c.sign(&d, &aux); err != nil || !bytes.Equal(c.sig[:], theirs.Serialize()) {
			t.Fatalf("signature %x, %v, want %x", c.sig, err, theirs.Serialize())
		}
		switch r.IntN(4) {
		case 0:
			c.sig[r.IntN(64)] ^= 1 << r.IntN(8)
		case 1:
			c.id[r.IntN(32)] ^= 1 << r.IntN(8)
		case 2:
			c.pub[r.IntN(32)] ^= 1 << r.IntN(8)
		}
		want := false
		if p, err := schnorr.ParsePubKey(c.pub[:]); err == nil {
			sig, err := schnorr.ParseSignature(c.sig[:])
			want = err == nil && sig.Verify(c.id[:], p)
		}
		if c.holds() != want || batchHolds([]claim{c}) != want {
			t.Fatalf("%+v: holds %v, in a batch %v, btcec %v", c, c.holds(), batchHolds([]claim{c}), want)
		}
		outcomes[want]++
	}
	if outcomes[true] == 0 || outcomes[false] == 0 {
		t.Errorf("only one outcome: %v", outcomes)
	}
}

func TestSignSetsWhatEventChecks(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	secret := random32(r)
	e := &nostr.Event{Kind: 9, CreatedAt: 1700000000, Content: "hello \"you\"\n", ID: "old", Sig: "old"}
	if err := Sign(e, secret, random32(r)); err != nil {
		t.Fatal(err)
	}
	if pub, err := PublicKey(secret); err != nil || e.PubKey != pub {
		t.Errorf("public key %s, want %s, %v", e.PubKey, pub, err)
	}
	if e.Tags == nil {
		t.Error("the tags are nil")
	}
	if err := Event(e); err != nil {
		t.Error(err)
	}
	if ok, err := e.CheckSignature(); !ok || err != nil || !e.CheckID() {
		t.Errorf("go-nostr says %v, %v", ok, err)
	}
}

func TestSignRefusesBadKeysAndNumbers(t *testing.T) {
	order, _ := hex.DecodeString("fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141")
	before := nostr.Event{Kind: 1, Content: "as it was"}
	for _, secret := range [][32]byte{{}, [32]byte(order), [32]byte(bytes.Repeat([]byte{0xff}, 32))} {
		e := before
		if err := Sign(&e, secret, [32]byte{1}); !errors.Is(err, ErrSecret) {
			t.Errorf("secret %x: %v, want ErrSecret", secret, err)
		}
		if e.String() != before.String() || e.Tags != nil {
			t.Errorf("the event became %v", e)
		}
		if _, err := PublicKey(secret); !errors.Is(err, ErrSecret) {
			t.Errorf("public key of %x: %v, want ErrSecret", secret, err)
		}
	}
	order[31]--
	if _, err := PublicKey([32]byte(order)); err != nil {
		t.Errorf("the greatest secret: %v", err)
	}
	e := nostr.Event{Kind: MaxKind + 1}
	if err := Sign(&e, [32]byte{31: 1}, [32]byte{}); !errors.Is(err, ErrForm) {
		t.Errorf("kind %d: %v, want ErrForm", e.Kind, err)
	}
}

// The coefficients are what keeps two wrong signatures from making up for each
// other.
func TestWrongSignaturesDoNotCancelOut(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 20 {
		a, b := signed(t, r, 0), signed(t, r, 1)
		ca, _ := readClaim(a, nil)
		cb, _ := readClaim(b, nil)
		sa, _, _ := ca.scalars()
		sb, _, _ := cb.scalars()
		var off curve.Scalar
		off.SetBytes(&[32]byte{31: byte(1 + r.IntN(255))})
		sa.Add(&off)
		off.Negate()
		sb.Add(&off)
		ca.sig, cb.sig = withS(ca.sig, &sa), withS(cb.sig, &sb)
		if batchHolds([]claim{ca, cb}) {
			t.Fatal("two wrong signatures hold together")
		}
	}
}

func withS(sig [64]byte, s *curve.Scalar) [64]byte {
	b := s.Bytes()
	copy(sig[32:], b[:])
	return sig
}

func TestGeneratorIsAPublicKeyToo(t *testing.T) {
	// Secret 1: the author's point and the generator meet in one sum.
	var claims []claim
	for i := range 5 {
		c := claim{id: [32]byte{byte(i)}, pub: curve.Generator.X()}
		one := [32]byte{31: 1}
		d, _, _ := keyPair(&one)
		if err := c.sign(&d, &[32]byte{byte(i)}); err != nil {
			t.Fatal(err)
		}
		claims = append(claims, c)
	}
	if !batchHolds(claims) {
		t.Error("they do not hold")
	}
}
