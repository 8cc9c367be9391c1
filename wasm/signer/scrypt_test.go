package signer

import (
	"context"
	"encoding/hex"
	"errors"
	"testing"

	"golang.org/x/crypto/scrypt"
)

func TestScryptIsTheOneOfRFC7914(t *testing.T) {
	for logN := 1; logN <= 11; logN++ {
		want, err := scrypt.Key([]byte("pass phrase"), []byte("salt of 16 bytes"), 1<<logN, 8, 1, 32)
		if err != nil {
			t.Fatal(err)
		}
		got, err := scryptKey(t.Context(), "pass phrase", []byte("salt of 16 bytes"), logN)
		if err != nil || hex.EncodeToString(got[:]) != hex.EncodeToString(want) {
			t.Errorf("2^%d rounds: %x, %v, want %x", logN, got, err, want)
		}
	}
}

func TestScryptEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := scryptKey(ctx, "", nil, LogN); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func BenchmarkScrypt16(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := scryptKey(b.Context(), "pass phrase", []byte("salt of 16 bytes"), LogN); err != nil {
			b.Fatal(err)
		}
	}
}
