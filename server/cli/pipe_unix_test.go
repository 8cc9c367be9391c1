//go:build unix

package cli

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestACheckCanBeInterrupted, also when the file never ends.
func TestACheckCanBeInterrupted(t *testing.T) {
	name := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(name, 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var out, errs bytes.Buffer
	if code := Run(ctx, []string{"verify", name}, &out, &errs); code != exitFailed || !strings.Contains(errs.String(), "interrupted") {
		t.Errorf("exit code %d, %q", code, &errs)
	}
	end, err := os.OpenFile(name, os.O_RDWR, 0) // so that its reader ends
	if err != nil {
		t.Fatal(err)
	}
	if err := end.Close(); err != nil {
		t.Fatal(err)
	}
}
