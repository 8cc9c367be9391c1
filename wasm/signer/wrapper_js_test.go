package signer

import (
	"bytes"
	"syscall/js"
	"testing"

	"parley/wasm/internal/idb"
)

func TestTheKeyIsKeptAcrossWrappers(t *testing.T) {
	one, two := newWrapper(t), newWrapper(t)
	sealed, err := one.Wrap(t.Context(), []byte("secret"))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := two.Unwrap(t.Context(), sealed); err != nil || string(got) != "secret" {
		t.Errorf("%q, %v", got, err)
	}
	again, err := one.Wrap(t.Context(), []byte("secret"))
	if err != nil || bytes.Equal(sealed, again) {
		t.Errorf("sealed twice alike, %v", err)
	}
}

func TestTheKeyCannotBeExported(t *testing.T) {
	w := newWrapper(t).(*webWrapper)
	if w.value.Get("extractable").Bool() {
		t.Error("the key is extractable")
	}
	subtle, err := subtle()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := promised(t.Context(), func() js.Value { return subtle.Call("exportKey", "raw", w.value) }); err == nil {
		t.Error("the key was exported")
	}
}

func TestTheFirstOfTwoNewKeysStands(t *testing.T) {
	if err := Wipe(t.Context(), newWrapper(t)); err != nil {
		t.Fatal(err)
	}
	first := newWrapper(t)
	sealed, err := first.Wrap(t.Context(), []byte("secret"))
	if err != nil {
		t.Fatal(err)
	}
	// Another tab that found no key a moment ago makes its own now.
	subtle, err := subtle()
	if err != nil {
		t.Fatal(err)
	}
	db, err := idb.Open(t.Context(), keyDatabase, 1, func(int, idb.Upgrade) {})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	value, err := makeKey(t.Context(), db, subtle)
	if err != nil {
		t.Fatal(err)
	}
	second := &webWrapper{value: value}
	if got, err := second.Unwrap(t.Context(), sealed); err != nil || string(got) != "secret" {
		t.Errorf("%q, %v", got, err)
	}
}
