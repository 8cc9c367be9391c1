//go:build !js

package signer

import (
	"testing"

	"parley/wasm/internal/browsertest"
)

// TestInBrowser runs this package's tests in Chromium, where the wrapper is that
// of WebCrypto.
func TestInBrowser(t *testing.T) {
	browsertest.Run(t, browsertest.Options{Args: []string{"-test.run=^Test"}})
}
