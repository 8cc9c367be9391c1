package store

import "testing"

func TestMemory(t *testing.T) {
	conform(t, func(*testing.T) Store { return NewMemory("") })
}
