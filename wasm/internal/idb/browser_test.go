//go:build !js

package idb

import (
	"testing"

	"parley/wasm/internal/browsertest"
)

// TestInBrowser runs this package's tests in Chromium.
func TestInBrowser(t *testing.T) { browsertest.Run(t, browsertest.Options{}) }
