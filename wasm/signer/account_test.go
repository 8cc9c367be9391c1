package signer

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"testing/iotest"
)

// The vector of NIP-49: a key of known text under the passphrase "nostr".
const (
	vectorSealed = "ncryptsec1qgg9947rlpvqu76pj5ecreduf9jxhselq2nae2kghhvd5g7dgjtcxfqtd67p9m0w57lspw8gsq6yphnm8623nsl8xn9j4jdzz84zm3frztj3z7s35vpzmqf6ksu8r89qk5z2zxfmu5gv8th8wclt0h4p"
	vectorSecret = "3501454135014541350145413501453fefb02227e449e57cf4d3a3ce05378683"
	// The vector of NIP-19.
	vectorNsec = "nsec1vl029mgpspedva04g90vltkh6fvh240zqtv9k0t9af8935ke9laqsnlfe5"
	nsecSecret = "67dea2ed018072d675f5415ecfaed7d2597555e202d85b3d65ea4e58d2d92ffa"
)

func newWrapper(t testing.TB) Wrapper {
	t.Helper()
	w, err := NewWrapper(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func secretOf(s Signer) string {
	secret := s.(*Local).secret
	return hex.EncodeToString(secret[:])
}

func TestNIP49VectorOpens(t *testing.T) {
	account, s, err := Import(t.Context(), nil, rand.Reader, vectorSealed, "nostr", 7)
	if err != nil {
		t.Fatal(err)
	}
	if got := secretOf(s); got != vectorSecret {
		t.Errorf("the vector opens to %s", got)
	}
	if account.NCryptSec != vectorSealed || account.Kind != KindPassphrase {
		t.Error("an imported ncryptsec does not keep its passphrase")
	}
	if !account.BackedUp || account.CreatedAt != 7 || account.PubKey != s.PublicKey() {
		t.Errorf("%+v", account)
	}
}

func TestWhatIsStoredNeverHoldsTheKey(t *testing.T) {
	for _, passphrase := range []string{"", "correct horse"} {
		account, s, err := Create(t.Context(), newWrapper(t), rand.Reader, passphrase, 7)
		if err != nil {
			t.Fatal(err)
		}
		if account.BackedUp || account.CreatedAt != 7 {
			t.Errorf("%+v", account)
		}
		text, err := json.Marshal(account)
		if err != nil {
			t.Fatal(err)
		}
		secret := s.(*Local).secret
		for _, plain := range []string{secretOf(s), nsec(secret), string(secret[:])} {
			if strings.Contains(string(text)+string(account.Wrapped), plain) {
				t.Errorf("with passphrase %q the stored account holds the key", passphrase)
			}
		}
	}
}

func TestAKeyOpensAgainAfterItsWayThroughJSON(t *testing.T) {
	w := newWrapper(t)
	for _, passphrase := range []string{"", "correct horse"} {
		account, s, err := Create(t.Context(), w, rand.Reader, passphrase, 1)
		if err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(account)
		if err != nil {
			t.Fatal(err)
		}
		var kept Account
		if err := json.Unmarshal(text, &kept); err != nil {
			t.Fatal(err)
		}
		again, err := Unlock(t.Context(), w, kept, passphrase)
		if err != nil {
			t.Fatal(err)
		}
		if secretOf(again) != secretOf(s) {
			t.Error("another key came out")
		}
	}
}

func TestUnlockSaysWhatIsWrong(t *testing.T) {
	w := newWrapper(t)
	sealed, _, err := Create(t.Context(), w, rand.Reader, "correct horse", 1)
	if err != nil {
		t.Fatal(err)
	}
	wrapped, _, err := Create(t.Context(), w, rand.Reader, "", 1)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Unlock(t.Context(), w, sealed, "wrong horse"); !errors.Is(err, ErrPassphrase) {
		t.Errorf("a wrong passphrase: %v", err)
	}
	swapped := sealed
	swapped.PubKey = wrapped.PubKey
	if _, err := Unlock(t.Context(), w, swapped, "correct horse"); !errors.Is(err, ErrOtherKey) {
		t.Errorf("another key under the account: %v", err)
	}
	if _, err := Unlock(t.Context(), nil, wrapped, ""); !errors.Is(err, ErrNoWebCrypto) {
		t.Errorf("no wrapper: %v", err)
	}
	if _, err := Unlock(t.Context(), w, Account{Kind: KindExtension}, ""); err == nil {
		t.Error("an extension's account opened")
	}
	for i := range wrapped.Wrapped {
		changed := wrapped
		changed.Wrapped = []byte(string(wrapped.Wrapped))
		changed.Wrapped[i] ^= 1
		if _, err := Unlock(t.Context(), w, changed, ""); !errors.Is(err, ErrKeyStore) {
			t.Fatalf("byte %d changed: %v", i, err)
		}
	}
	for _, n := range []int{0, nonceSize - 1, len(wrapped.Wrapped) - 1} {
		cut := wrapped
		cut.Wrapped = wrapped.Wrapped[:n]
		if _, err := Unlock(t.Context(), w, cut, ""); !errors.Is(err, ErrKeyStore) {
			t.Errorf("cut to %d bytes: %v", n, err)
		}
	}
	if err := Wipe(t.Context(), w); err != nil {
		t.Fatal(err)
	}
	if _, err := Unlock(t.Context(), w, wrapped, ""); !errors.Is(err, ErrKeyStore) {
		t.Errorf("after Wipe: %v", err)
	}
}

func TestAWrappedTextOfAnotherLengthIsNoKey(t *testing.T) {
	w := newWrapper(t)
	for _, n := range []int{0, 31, 33} {
		sealed, err := w.Wrap(t.Context(), make([]byte, n))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Unlock(t.Context(), w, Account{Kind: KindWrapped, Wrapped: sealed}, ""); !errors.Is(err, ErrKeyStore) {
			t.Errorf("%d bytes: %v", n, err)
		}
	}
}

// The passphrase of NIP-49's section on normalisation, and its NFKC form.
func TestPassphrasesAreNormalisedToNFKC(t *testing.T) {
	const typed, normal = "\u212b\u2126\u1e9b\u0323", "\u00c5\u03a9\u1e69"
	if got := nfkc(typed); got != normal {
		t.Fatalf("nfkc(%+q) = %+q, want %+q", typed, got, normal)
	}
	account, _, err := Create(t.Context(), nil, rand.Reader, typed, 1)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Unlock(t.Context(), nil, account, normal); err != nil {
		t.Errorf("the same passphrase in other code points: %v", err)
	}
}

func TestWithoutWebCryptoOnlyAPassphraseWillDo(t *testing.T) {
	if _, _, err := Create(t.Context(), nil, rand.Reader, "", 1); !errors.Is(err, ErrNoWebCrypto) {
		t.Errorf("got %v", err)
	}
	if _, _, err := Create(t.Context(), nil, rand.Reader, "x", 1); err != nil {
		t.Errorf("got %v", err)
	}
}

func TestNoKeyIsMadeWithoutRandomness(t *testing.T) {
	if _, _, err := Create(t.Context(), newWrapper(t), iotest.ErrReader(errors.New("none")), "", 1); err == nil {
		t.Error("a key was made")
	}
}

func TestLockingEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := Create(ctx, nil, rand.Reader, "x", 1); !errors.Is(err, context.Canceled) {
		t.Errorf("Create: %v", err)
	}
	if _, err := Unlock(ctx, nil, Account{Kind: KindPassphrase, NCryptSec: vectorSealed}, "nostr"); !errors.Is(err, context.Canceled) {
		t.Errorf("Unlock: %v", err)
	}
}

func TestHowTheKeyWasHandledIsNoted(t *testing.T) {
	_, s, err := Create(t.Context(), newWrapper(t), rand.Reader, "", 1)
	if err != nil {
		t.Fatal(err)
	}
	made, _, err := Create(t.Context(), nil, rand.Reader, "x", 1)
	if err != nil {
		t.Fatal(err)
	}
	pasted, _, err := Import(t.Context(), nil, rand.Reader, nsec(s.(*Local).secret), "x", 1)
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]byte{made.NCryptSec: neverInPlain, pasted.NCryptSec: handledInPlain} {
		_, raw, err := decodeBech32(text)
		if got := raw[2+saltSize+24]; err != nil || got != want {
			t.Errorf("key security byte %d, %v, want %d", got, err, want)
		}
	}
}

func TestBackupIsCheckedByItsKey(t *testing.T) {
	w := newWrapper(t)
	for _, passphrase := range []string{"", "correct horse"} {
		account, s, err := Create(t.Context(), w, rand.Reader, passphrase, 1)
		if err != nil {
			t.Fatal(err)
		}
		text, err := Backup(account, s)
		if err != nil {
			t.Fatal(err)
		}
		if want := map[bool]string{true: "nsec1", false: "ncryptsec1"}[passphrase == ""]; !strings.HasPrefix(text, want) {
			t.Errorf("the backup is no %s", want)
		}
		for _, pasted := range []string{" " + text + "\n", strings.ToUpper(text), "Keep this safe.\n\n" + text + "\n"} {
			if err := CheckBackup(account, pasted, ""); err != nil {
				t.Errorf("its own backup: %v", err)
			}
		}
		if err := CheckBackup(account, text, passphrase); err != nil {
			t.Errorf("with its passphrase: %v", err)
		}
		if err := CheckBackup(account, nsec(s.(*Local).secret), ""); err != nil {
			t.Errorf("its nsec: %v", err)
		}
		if err := CheckBackup(account, vectorNsec, ""); !errors.Is(err, ErrBackup) {
			t.Errorf("another key's backup: %v", err)
		}
		if err := CheckBackup(account, vectorSealed, "nostr"); !errors.Is(err, ErrBackup) {
			t.Errorf("another key's ncryptsec: %v", err)
		}
		if err := CheckBackup(account, vectorSealed, ""); !errors.Is(err, ErrPassphrase) {
			t.Errorf("another ncryptsec without its passphrase: %v", err)
		}
		if err := CheckBackup(account, text[:len(text)-2], ""); !errors.Is(err, ErrChecksum) {
			t.Errorf("a cut backup: %v", err)
		}
	}
}

func TestANsecBackupTakesTheUnlockedKey(t *testing.T) {
	w := newWrapper(t)
	account, _, err := Create(t.Context(), w, rand.Reader, "", 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []Signer{nil, newLocal(t), NewExtension(account.PubKey, nil)} {
		if _, err := Backup(account, s); !errors.Is(err, ErrLocked) {
			t.Errorf("%T: %v", s, err)
		}
	}
	if _, err := Backup(Account{Kind: KindExtension}, nil); err == nil {
		t.Error("an extension's key was backed up")
	}
}
