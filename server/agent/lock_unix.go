//go:build unix

package agent

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// lockFile is held by the agent that works in a folder.
const lockFile = "lock"

// lock makes sure that no other agent works in the folder: two of them would
// answer everything twice. The lock is gone when the process is.
func lock(dir string) (*os.File, error) {
	path := filepath.Join(dir, lockFile)
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		busy := fmt.Errorf("another agent works in %s: end it first, or give this one a folder of its own", dir)
		if !errors.Is(err, syscall.EWOULDBLOCK) {
			busy = fmt.Errorf("locking %s: %w", path, err)
		}
		return nil, errors.Join(busy, file.Close())
	}
	return file, nil
}
