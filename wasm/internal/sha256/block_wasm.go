package sha256

// compress absorbs n > 0 blocks from p on; it is written in block_wasm.s.
//
//go:noescape
func compress(s *State, p *byte, n int)

func blocks(s *State, p []byte) { compress(s, &p[0], len(p)/BlockSize) }

func sum(p []byte) [Size]byte { return Start().Finish(0, p) }
