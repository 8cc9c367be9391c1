package store

import (
	"context"
	"fmt"
	"testing"

	"github.com/nbd-wtf/go-nostr"
)

// A room to be opened, and a page of it.
const (
	roomSize = 50_000
	pageSize = 50
)

// fillRoom puts a room's messages, every tenth of them a reaction, in batches
// as they come from a relay.
func fillRoom(b *testing.B, s Store, size int) {
	b.Helper()
	batch := make([]Record, 0, 200)
	for i := range size {
		kind := 9
		if i%10 == 0 {
			kind = 7
		}
		ev := event(0, int64(1_700_000_000+i), kind, fmt.Sprintf("%064x", i%20), nostr.Tag{"h", "room"}, nostr.Tag{"p", fmt.Sprintf("%064x", i%7)})
		ev.ID = fmt.Sprintf("%08x%056x", i*2654435761%(1<<32), i)
		batch = append(batch, Record{ev, int64(i), []string{"wss://relay.example.com"}})
		if len(batch) == cap(batch) || i == size-1 {
			if err := s.Put(context.Background(), batch); err != nil {
				b.Fatal(err)
			}
			batch = batch[:0]
		}
	}
}

// benchRoom times the newest page of a room, and one from its middle.
func benchRoom(b *testing.B, s Store) {
	for _, size := range []int{500, roomSize} {
		if err := s.Wipe(context.Background()); err != nil {
			b.Fatal(err)
		}
		fillRoom(b, s, size)
		q := Query{Room: &RoomRef{"wss://relay.example.com", "room"}, Kinds: []int{9, 11, 43001}, Limit: pageSize}
		middle := q
		middle.Before = &Cursor{CreatedAt: int64(1_700_000_000 + size/2)}
		for name, q := range map[string]Query{"newest": q, "middle": middle} {
			b.Run(fmt.Sprint(name, " of ", size), func(b *testing.B) {
				for b.Loop() {
					if found, err := s.Query(context.Background(), q); err != nil || len(found) != pageSize {
						b.Fatal(len(found), err)
					}
				}
			})
		}
	}
}

// benchPut times putting new events, 200 at a time.
func benchPut(b *testing.B, s Store) {
	at := 0
	for b.Loop() {
		batch := make([]Record, 200)
		for i := range batch {
			at++
			ev := event(at, int64(at), 9, "a", nostr.Tag{"h", "room"})
			batch[i] = Record{ev, 1, []string{"wss://relay.example.com"}}
		}
		if err := s.Put(context.Background(), batch); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkMemoryRoom(b *testing.B) { benchRoom(b, NewMemory("")) }
func BenchmarkMemoryPut(b *testing.B)  { benchPut(b, NewMemory("")) }
