//go:build !js

package store

import "context"

// Open gives a store in memory: only a browser has a database to keep.
func Open(_ context.Context, _ string, _ func(why string)) Store {
	return NewMemory("This program keeps nothing once it ends.")
}
