package nip44

import (
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	"math/bits"

	"github.com/decred/dcrd/dcrec/secp256k1/v4"
	"golang.org/x/crypto/chacha20"
)

func conversationKey(secret [32]byte, pubkeyHex string) (key [32]byte, err error) {
	b, err := hex.DecodeString("02" + pubkeyHex)
	if err != nil {
		return key, fmt.Errorf("nip44: public key: %w", ErrKey)
	}
	pub, err := secp256k1.ParsePubKey(b)
	if err != nil {
		return key, fmt.Errorf("nip44: public key: %w", ErrKey)
	}
	var k secp256k1.ModNScalar
	if k.SetBytes(&secret) != 0 || k.IsZero() {
		return key, fmt.Errorf("nip44: secret key: %w", ErrKey)
	}
	shared := secp256k1.GenerateSharedSecret(secp256k1.NewPrivateKey(&k), pub)
	prk, err := hkdf.Extract(sha256.New, shared, []byte("nip44-v2"))
	copy(key[:], prk)
	return key, err
}

func messageKeys(key, nonce *[32]byte) ([]byte, error) {
	return hkdf.Expand(sha256.New, key[:], string(nonce[:]), 76)
}

func paddedLen(n int) int {
	if n <= 32 {
		return 32
	}
	next := 1 << bits.Len(uint(n-1))
	chunk := max(32, next/8)
	return chunk * ((n-1)/chunk + 1)
}

func encryptRand(plaintext string, key *[32]byte, rand io.Reader) (string, error) {
	var nonce [32]byte
	if _, err := io.ReadFull(rand, nonce[:]); err != nil {
		return "", fmt.Errorf("nip44: drawing a nonce: %w", err)
	}
	return encrypt(plaintext, key, &nonce)
}

func encrypt(plaintext string, key, nonce *[32]byte) (string, error) {
	n := len(plaintext)
	if n < MinPlaintext || n > MaxPlaintext {
		return "", fmt.Errorf("nip44: plaintext of %d bytes: %w", n, ErrLength)
	}
	keys, err := messageKeys(key, nonce)
	if err != nil {
		return "", err
	}
	raw := append([]byte{2}, nonce[:]...)
	if n >= ExtendedThreshold {
		raw = append(raw, 0, 0)
		raw = binary.BigEndian.AppendUint32(raw, uint32(n))
	} else {
		raw = binary.BigEndian.AppendUint16(raw, uint16(n))
	}
	raw = append(raw, plaintext...)
	raw = append(raw, make([]byte, paddedLen(n)-n)...)
	c, err := chacha20.NewUnauthenticatedCipher(keys[:32], keys[32:44])
	if err != nil {
		return "", err
	}
	c.XORKeyStream(raw[33:], raw[33:])
	m := hmac.New(sha256.New, keys[44:])
	m.Write(raw[1:])
	return base64.StdEncoding.EncodeToString(m.Sum(raw)), nil
}

func decrypt(payload string, key *[32]byte) (string, error) {
	if payload == "" || payload[0] == '#' {
		return "", fmt.Errorf("nip44: %w", ErrVersion)
	}
	if len(payload) < MinPayload {
		return "", fmt.Errorf("nip44: payload of %d characters: %w", len(payload), ErrLength)
	}
	raw, err := base64.StdEncoding.DecodeString(payload)
	if err != nil || len(raw) < 99 {
		return "", fmt.Errorf("nip44: %w", ErrPayload)
	}
	if raw[0] != 2 {
		return "", fmt.Errorf("nip44: version %d: %w", raw[0], ErrVersion)
	}
	keys, err := messageKeys(key, (*[32]byte)(raw[1:33]))
	if err != nil {
		return "", err
	}
	end := len(raw) - 32
	m := hmac.New(sha256.New, keys[44:])
	m.Write(raw[1:end])
	if !hmac.Equal(m.Sum(nil), raw[end:]) {
		return "", fmt.Errorf("nip44: %w", ErrMAC)
	}
	c, err := chacha20.NewUnauthenticatedCipher(keys[:32], keys[32:44])
	if err != nil {
		return "", err
	}
	p := raw[33:end]
	c.XORKeyStream(p, p)
	n, head := int(binary.BigEndian.Uint16(p)), 2
	if n == 0 {
		n, head = int(binary.BigEndian.Uint32(p[2:])), 6
		if n < ExtendedThreshold {
			return "", fmt.Errorf("nip44: padding: %w", ErrPayload)
		}
	}
	if n > MaxPlaintext || len(p) != head+paddedLen(n) {
		return "", fmt.Errorf("nip44: padding: %w", ErrPayload)
	}
	return string(p[head : head+n]), nil
}
