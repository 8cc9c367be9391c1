//go:build unix

package folder

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// lockFile is held by the program that works in a folder.
const lockFile = "lock"

// Lock makes sure that nobody else works in a folder until the file it returns
// is closed, or the process is gone. Who already does is named by the error.
func Lock(dir string) (*os.File, error) {
	path := filepath.Join(dir, lockFile)
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("locking %s: %w", dir, err)
	}
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		busy := fmt.Errorf("another Parley works in %s: end it first, or give this one a folder of its own", dir)
		if !errors.Is(err, syscall.EWOULDBLOCK) {
			busy = fmt.Errorf("locking %s: %w", path, err)
		}
		return nil, errors.Join(busy, file.Close())
	}
	return file, nil
}
