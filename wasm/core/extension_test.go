//go:build !js

package core

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"sync"
	"testing"

	"github.com/nbd-wtf/go-nostr"

	"parley/wasm/port"
	"parley/wasm/signer"
)

// extension is a browser extension (NIP-07) with a key of its own.
type extension struct {
	signer signer.Signer

	mu     sync.Mutex
	counts map[string]int            // calls by method
	hold   func(method string) error // called before each answer
}

func newExtension(t *testing.T) *extension {
	t.Helper()
	var secret [32]byte
	if _, err := rand.Read(secret[:]); err != nil {
		t.Fatal(err)
	}
	s, err := signer.NewLocal(secret, rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return &extension{signer: s, counts: map[string]int{}}
}

func (x *extension) answer(method string, value json.RawMessage) (any, error) {
	x.mu.Lock()
	x.counts[method]++
	hold := x.hold
	x.mu.Unlock()
	if hold != nil {
		if err := hold(method); err != nil {
			return nil, err
		}
	}
	ctx := context.Background()
	var texts []string
	switch method {
	case port.ExtGetPublicKey:
		return x.signer.PublicKey(), nil
	case port.ExtSignEvent:
		var events []nostr.Event
		if err := json.Unmarshal(value, &events); err != nil {
			return nil, err
		}
		err := x.signer.Sign(ctx, &events[0])
		return &events[0], err
	}
	if err := json.Unmarshal(value, &texts); err != nil {
		return nil, err
	}
	if method == port.ExtEncrypt {
		return x.signer.Encrypt(ctx, texts[1], texts[0])
	}
	return x.signer.Decrypt(ctx, texts[1], texts[0])
}

func (x *extension) count(method string) int {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.counts[method]
}

func (x *extension) setHold(hold func(string) error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.hold = hold
}

func TestWhatIsTakenBackWhileItIsBeingSignedIsNotSent(t *testing.T) {
	fake, ext := newFakeRelay(), newExtension(t)
	ana := open(t, setup{relay: fakeURL, dial: fake.dial, rooms: []string{"lobby"}, ext: ext.answer})
	ana.must(port.UseExtension, nil)
	ana.enter(lobby(fakeURL))
	asked, go_ := make(chan struct{}), make(chan struct{})
	ext.setHold(func(method string) error {
		if method == port.ExtSignEvent {
			close(asked)
			<-go_
		}
		return nil
	})
	call := ana.hand(port.Send, port.SendParams{Room: lobby(fakeURL), Text: "on second thought"})
	<-asked
	ana.sees("room", "on second thought")
	ana.mu.Lock()
	id := ana.timelines["room"].last.Order[0]
	ana.mu.Unlock()
	ana.must(port.Discard, port.EventID{ID: id})
	close(go_)
	ana.wait("the reply to the first call", func() bool { _, ok := ana.replies[call]; return ok })
	ext.setHold(nil)
	ana.say(lobby(fakeURL), "the other one")
	ana.sees("room", "the other one")
	fake.wait(t, "the other message alone", func() bool { return len(fake.got) == 1 && fake.got[0].Content == "the other one" })
}

func TestARefusedSignatureGivesTheWordsBack(t *testing.T) {
	fake, ext := newFakeRelay(), newExtension(t)
	ana := open(t, setup{relay: fakeURL, dial: fake.dial, rooms: []string{"lobby"}, ext: ext.answer})
	ana.must(port.UseExtension, nil)
	ana.enter(lobby(fakeURL))
	ext.setHold(func(method string) error {
		if method == port.ExtSignEvent {
			return errors.New("no")
		}
		return nil
	})
	_, err := ana.call(port.Send, port.SendParams{Room: lobby(fakeURL), Text: "never mind"})
	var coded *port.Error
	if !errors.As(err, &coded) || coded.Code != port.CodeRefused {
		t.Fatalf("the refusal came as %v", err)
	}
	ana.sees("room")
}
