//go:build !unix

package agent

import "os"

// lock does nothing where files cannot be locked in the same simple way.
func lock(string) (*os.File, error) { return nil, nil }
