//go:build !js

package signer

import "golang.org/x/text/unicode/norm"

// nfkc is Unicode normalisation form KC, as NIP-49 wants of a passphrase.
func nfkc(s string) string { return norm.NFKC.String(s) }
