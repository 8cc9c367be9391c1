package signer

import "syscall/js"

// nfkc is Unicode normalisation form KC, as NIP-49 wants of a passphrase. The
// browser has the tables for it.
func nfkc(s string) string {
	return js.Global().Get("String").New(s).Call("normalize", "NFKC").String()
}
