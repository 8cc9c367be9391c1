package sha256

// HMAC is HMAC-SHA256 under one key, whose two blocks are hashed once.
type HMAC struct{ inner, outer State }

// NewHMAC returns the HMAC under key, which may have any length.
func NewHMAC(key []byte) (m HMAC) {
	var block [BlockSize]byte
	if len(key) > BlockSize {
		h := Sum(key)
		key = h[:]
	}
	copy(block[:], key)
	for i := range block {
		block[i] ^= 0x36
	}
	m.inner = Start()
	m.inner.Absorb(block[:])
	for i := range block {
		block[i] ^= 0x36 ^ 0x5c
	}
	m.outer = Start()
	m.outer.Absorb(block[:])
	return m
}

// Sum returns the code of msg.
func (m *HMAC) Sum(msg []byte) [Size]byte {
	h := m.inner.Finish(BlockSize, msg)
	return m.outer.Finish(BlockSize, h[:])
}
