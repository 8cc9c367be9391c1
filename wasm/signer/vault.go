package signer

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/nbd-wtf/go-nostr/nip49"
)

// Create makes a key. With a passphrase it is kept as a NIP-49 ncryptsec,
// without one sealed by wrapper. now is in unix seconds.
func Create(ctx context.Context, wrapper Wrapper, rand io.Reader, passphrase string, now int64) (Account, Signer, error) {
	for {
		var secret [32]byte
		if _, err := io.ReadFull(rand, secret[:]); err != nil {
			return Account{}, nil, fmt.Errorf("create a key: %w", err)
		}
		local, err := NewLocal(secret)
		if err != nil {
			continue // outside the curve's range: once in 2^128
		}
		account, err := keep(ctx, wrapper, local, passphrase, now)
		if err != nil {
			return Account{}, nil, fmt.Errorf("create a key: %w", err)
		}
		return account, local, nil
	}
}

// Import takes a secret key: an nsec, 64 hex digits, or an ncryptsec, which
// keeps its passphrase and is kept as it is. Other keys are kept as Create
// keeps them. Who imports a key has it elsewhere, so it counts as backed up.
func Import(ctx context.Context, wrapper Wrapper, _ io.Reader, text, passphrase string, now int64) (Account, Signer, error) {
	if isNcryptsec(text) {
		account, local, err := importSealed(text, passphrase, now)
		if err != nil {
			return Account{}, nil, fmt.Errorf("import the key: %w", err)
		}
		return account, local, nil
	}
	secret, err := parseSecret(text)
	if err != nil {
		return Account{}, nil, fmt.Errorf("import the key: %w", err)
	}
	local, err := NewLocal(secret)
	if err != nil {
		return Account{}, nil, fmt.Errorf("import the key: %w", err)
	}
	account, err := keep(ctx, wrapper, local, passphrase, now)
	if err != nil {
		return Account{}, nil, fmt.Errorf("import the key: %w", err)
	}
	account.BackedUp = true
	return account, local, nil
}

func importSealed(text, passphrase string, now int64) (Account, *Local, error) {
	secret, err := openNcryptsec(text, passphrase)
	if err != nil {
		return Account{}, nil, err
	}
	local, err := NewLocal(secret)
	if err != nil {
		return Account{}, nil, err
	}
	return Account{
		PubKey: local.public, Kind: KindPassphrase, NCryptSec: strings.ToLower(strings.TrimSpace(text)),
		BackedUp: true, CreatedAt: now,
	}, local, nil
}

// keep makes what is stored of a key: never the key itself.
func keep(ctx context.Context, wrapper Wrapper, local *Local, passphrase string, now int64) (Account, error) {
	account := Account{PubKey: local.public, Kind: KindPassphrase, CreatedAt: now}
	if passphrase != "" {
		sealed, err := nip49.Encrypt(local.secretHex(), passphrase, LogN, nip49.NotKnownToHaveBeenHandledInsecurely)
		if err != nil {
			return Account{}, err
		}
		account.NCryptSec = sealed
		return account, nil
	}
	if wrapper == nil {
		return Account{}, ErrNoWebCrypto
	}
	sealed, err := wrapper.Wrap(ctx, local.secret[:])
	if err != nil {
		return Account{}, err
	}
	account.Kind, account.Wrapped = KindWrapped, sealed
	return account, nil
}

// Unlock opens what is stored of a key. A wrapped key needs no passphrase.
// The error wraps ErrPassphrase when it is the wrong one.
func Unlock(ctx context.Context, wrapper Wrapper, a Account, passphrase string) (Signer, error) {
	var secret [32]byte
	switch a.Kind {
	case KindPassphrase:
		opened, err := openNcryptsec(a.NCryptSec, passphrase)
		if err != nil {
			return nil, fmt.Errorf("unlock the key: %w", err)
		}
		secret = opened
	case KindWrapped:
		if wrapper == nil {
			return nil, fmt.Errorf("unlock the key: %w", ErrNoWebCrypto)
		}
		opened, err := wrapper.Unwrap(ctx, a.Wrapped)
		if err != nil {
			return nil, fmt.Errorf("unlock the key: %w", err)
		}
		copy(secret[:], opened)
	default:
		return nil, fmt.Errorf("unlock the key: an account of kind %q keeps none here", a.Kind)
	}
	local, err := NewLocal(secret)
	if err != nil {
		return nil, fmt.Errorf("unlock the key: %w", err)
	}
	if local.public != a.PubKey {
		return nil, fmt.Errorf("unlock the key: %w", ErrOtherKey)
	}
	return local, nil
}

// Backup is the text to save: the ncryptsec where there is a passphrase, else
// the nsec of s, which must be the account's own signer.
func Backup(a Account, s Signer) (string, error) {
	if a.Kind == KindPassphrase {
		return a.NCryptSec, nil
	}
	local, ok := s.(*Local)
	if !ok || local.public != a.PubKey {
		return "", fmt.Errorf("back up the key: it is not kept here")
	}
	text, err := encodeNsec(local.secret)
	if err != nil {
		return "", fmt.Errorf("back up the key: %w", err)
	}
	return text, nil
}

// CheckBackup tells whether a pasted backup is of the account's key. The very
// text that Backup gave needs no passphrase.
func CheckBackup(a Account, text, passphrase string) error {
	text = strings.TrimSpace(text)
	if a.NCryptSec != "" && strings.EqualFold(text, a.NCryptSec) {
		return nil
	}
	var secret [32]byte
	var err error
	if isNcryptsec(text) {
		secret, err = openNcryptsec(text, passphrase)
	} else {
		secret, err = parseSecret(text)
	}
	if err != nil {
		return fmt.Errorf("check the backup: %w", err)
	}
	local, err := NewLocal(secret)
	if err != nil {
		return fmt.Errorf("check the backup: %w", err)
	}
	if local.public != a.PubKey {
		return fmt.Errorf("check the backup: %w", ErrBackup)
	}
	return nil
}
