package nip44

import (
	"encoding/binary"
	"fmt"
	"math/bits"
)

// paddedLen is the length n > 0 bytes are padded to: 32 at least, then the next
// multiple of an eighth of the next power of two.
func paddedLen(n int) int {
	if n <= 32 {
		return 32
	}
	chunk := max(32, 1<<bits.Len64(uint64(n-1))/8)
	return chunk * ((n-1)/chunk + 1)
}

// appendPadded appends length, plaintext and zero bytes to raw.
func appendPadded(raw []byte, plaintext string) []byte {
	n := len(plaintext)
	if n < ExtendedThreshold {
		raw = binary.BigEndian.AppendUint16(raw, uint16(n))
	} else {
		raw = append(raw, 0, 0)
		raw = binary.BigEndian.AppendUint32(raw, uint32(n))
	}
	raw = append(raw, plaintext...)
	return append(raw, make([]byte, paddedLen(n)-n)...)
}

// unpad returns the plaintext within padded, which holds 34 bytes at least. The
// padding bytes themselves are not looked at, as NIP-44 does not ask for it.
func unpad(padded []byte) ([]byte, error) {
	n, prefix := int(binary.BigEndian.Uint16(padded)), shortPrefix
	if n == 0 {
		n, prefix = int(binary.BigEndian.Uint32(padded[2:])), extendedPrefix
		if n < ExtendedThreshold {
			return nil, fmt.Errorf("extended length of %d: %w", n, ErrPayload)
		}
	}
	if len(padded) != prefix+paddedLen(n) {
		return nil, fmt.Errorf("wrong padding: %w", ErrPayload)
	}
	return padded[prefix : prefix+n], nil
}
