//go:build !js

package store

import (
	"testing"

	"parley/wasm/internal/browsertest"
)

// TestInBrowser runs this package's tests, IndexedDB included, in Chromium.
func TestInBrowser(t *testing.T) { browsertest.Run(t, browsertest.Options{}) }
