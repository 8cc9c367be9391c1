package signer

import (
	"context"
	"fmt"
)

// Backup is the text to keep of an account: the ncryptsec where there is a
// passphrase, else the nsec, for which s must be the unlocked signer. Errors wrap
// ErrLocked.
func Backup(a Account, s Signer) (string, error) {
	switch a.Kind {
	case KindPassphrase:
		return a.NCryptSec, nil
	case KindWrapped:
		local, ok := s.(*Local)
		if !ok || local.pubkey != a.PubKey {
			return "", fmt.Errorf("back up the key: %w", ErrLocked)
		}
		return nsec(local.secret), nil
	}
	return "", fmt.Errorf("back up the key: an account of kind %q keeps no key here", a.Kind)
}

// CheckBackup tells whether text is a backup of the account, by its public key.
// For an ncryptsec other than the account's own that takes its passphrase.
// Errors wrap ErrBackup for another key, ErrPassphrase, or those of Import for
// what is no secret key.
func CheckBackup(a Account, text, passphrase string) error {
	if err := checkBackup(a, text, passphrase); err != nil {
		return fmt.Errorf("check the backup: %w", err)
	}
	return nil
}

func checkBackup(a Account, text, passphrase string) error {
	g, err := readSecret(text)
	if err != nil {
		return err
	}
	defer clear(g.secret[:])
	if g.ncryptsec != "" {
		if g.ncryptsec == a.NCryptSec && passphrase == "" {
			return nil // what Unlock opens, to the letter
		}
		if passphrase == "" {
			return fmt.Errorf("%w: it is not the ncryptsec kept here; give its passphrase to compare", ErrPassphrase)
		}
		if g.secret, err = open(context.Background(), g.ncryptsec, passphrase); err != nil {
			return err
		}
	}
	s, err := NewLocal(g.secret, nil)
	if err != nil {
		return err
	}
	if s.PublicKey() != a.PubKey {
		return ErrBackup
	}
	return nil
}
