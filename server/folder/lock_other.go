//go:build !unix

package folder

import "os"

// Lock does nothing where files cannot be locked in the same simple way: the
// file is nil, whose Close does nothing but return an error.
func Lock(string) (*os.File, error) { return nil, nil }
