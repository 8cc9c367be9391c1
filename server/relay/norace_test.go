//go:build !race

package relay

const slowness = 1
