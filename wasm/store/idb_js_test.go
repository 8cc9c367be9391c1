package store

import (
	"context"
	"fmt"
	"testing"
)

var databases int

// freshName gives a database name no other test uses.
func freshName() string {
	databases++
	return fmt.Sprint("parley-test-", databases)
}

func openDurable(t *testing.T, name string) Store {
	t.Helper()
	s := Open(context.Background(), name, nil)
	if ok, why := s.Durable(); !ok {
		t.Fatal(why)
	}
	return s
}

func TestIndexedDB(t *testing.T) {
	conform(t, func(t *testing.T) Store { return openDurable(t, freshName()) })
}
