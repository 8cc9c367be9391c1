package sha256

import (
	"crypto/hmac"
	"crypto/sha256"
	"math/rand/v2"
	"testing"
)

func randomBytes(r *rand.Rand, n int) []byte {
	p := make([]byte, n)
	for i := range p {
		p[i] = byte(r.Uint32())
	}
	return p
}

func TestSumIsTheStandardOneAtEveryLength(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for n := range 400 {
		p := randomBytes(r, n)
		if got, want := Sum(p), sha256.Sum256(p); got != want {
			t.Fatalf("Sum of %d bytes: %x, want %x", n, got, want)
		}
		if got, want := Start().Finish(0, p), sha256.Sum256(p); got != want {
			t.Fatalf("Finish of %d bytes: %x, want %x", n, got, want)
		}
	}
}

func TestBlocksAreThePortableOnes(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 50 {
		p := randomBytes(r, BlockSize*(1+r.IntN(5)))
		var a State
		for i := range a {
			a[i] = r.Uint32()
		}
		b := a
		blocks(&a, p)
		portable(&b, p)
		if a != b {
			t.Fatalf("blocks %x, portable %x", a, b)
		}
	}
}

func TestAbsorbedPrefixChangesNothing(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	p := randomBytes(r, 1000)
	for cut := 0; cut <= len(p); cut += BlockSize {
		s := Start()
		s.Absorb(p[:cut])
		if got, want := s.Finish(cut, p[cut:]), sha256.Sum256(p); got != want {
			t.Fatalf("cut at %d: %x, want %x", cut, got, want)
		}
	}
}

func TestTaggedHashOfBIP340(t *testing.T) {
	tag := sha256.Sum256([]byte("BIP0340/challenge"))
	msg := randomBytes(rand.New(rand.NewPCG(7, 8)), 96)
	want := sha256.Sum256(append(append(tag[:], tag[:]...), msg...))
	if got := Tagged("BIP0340/challenge").Finish(BlockSize, msg); got != want {
		t.Fatalf("%x, want %x", got, want)
	}
}

func TestHMACIsTheStandardOne(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	for _, keyLen := range []int{0, 1, 32, 63, 64, 65, 200} {
		key := randomBytes(r, keyLen)
		m := NewHMAC(key)
		for _, n := range []int{0, 1, 32, 55, 56, 64, 119, 120, 300} {
			msg := randomBytes(r, n)
			std := hmac.New(sha256.New, key)
			std.Write(msg)
			if got := m.Sum(msg); !hmac.Equal(got[:], std.Sum(nil)) {
				t.Fatalf("key of %d, message of %d bytes: %x, want %x", keyLen, n, got, std.Sum(nil))
			}
		}
	}
}

func BenchmarkSum256(b *testing.B)      { benchSum(b, 256, Sum) }
func BenchmarkSum16k(b *testing.B)      { benchSum(b, 16<<10, Sum) }
func BenchmarkStandard16k(b *testing.B) { benchSum(b, 16<<10, sha256.Sum256) }

func benchSum(b *testing.B, n int, f func([]byte) [Size]byte) {
	p := make([]byte, n)
	b.SetBytes(int64(n))
	b.ReportAllocs()
	for b.Loop() {
		f(p)
	}
}
