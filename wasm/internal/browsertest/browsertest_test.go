//go:build !js

package browsertest

import (
	"strings"
	"testing"
)

func TestWithoutChromiumItSaysWhatToInstall(t *testing.T) {
	if _, err := find("", "/nowhere/chromium", "no-such-browser"); err == nil || !strings.Contains(err.Error(), "install chromium") {
		t.Fatal(err)
	}
	if _, err := find("/nowhere/chromium", "sh"); err == nil || !strings.Contains(err.Error(), "/nowhere/chromium") {
		t.Fatalf("a browser that is named and missing must not be replaced: %v", err)
	}
	if path, err := find("", "no-such-browser", "sh"); err != nil || path == "" {
		t.Fatal(path, err)
	}
}
