//go:build race

package relay

// slowness is by how much the race detector makes work smaller.
const slowness = 16
