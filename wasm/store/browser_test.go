//go:build !js

package store

import (
	"testing"

	"parley/wasm/internal/browsertest"
)

// TestInBrowser runs this package's tests, IndexedDB included, in Chromium.
func TestInBrowser(t *testing.T) {
	browsertest.Run(t, browsertest.Options{})
}

// BenchmarkInBrowser runs this package's benchmarks in Chromium and logs what
// they say.
func BenchmarkInBrowser(b *testing.B) {
	browsertest.Run(b, browsertest.Options{Args: []string{"-test.run=^$", "-test.bench=."}})
}
