package files

import (
	"embed"
	"io/fs"
)

// dist is what the build packed (make build, server/files/build). A plain
// checkout holds only its .keep.
//
//go:embed all:dist
var dist embed.FS

// Embedded returns the packed folder inside this binary.
func Embedded() fs.FS {
	dir, err := fs.Sub(dist, "dist")
	if err != nil {
		panic(err) // the name is a constant and valid
	}
	return dir
}
