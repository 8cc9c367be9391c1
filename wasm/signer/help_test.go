package signer

import (
	"testing"

	"github.com/btcsuite/btcd/btcutil/bech32"
)

func sealText(t *testing.T, raw []byte) string {
	t.Helper()
	bits, err := bech32.ConvertBits(raw, 8, 5, true)
	if err != nil {
		t.Fatal(err)
	}
	text, err := bech32.Encode("ncryptsec", bits)
	if err != nil {
		t.Fatal(err)
	}
	return text
}
