package agent

import (
	"crypto/rand"
	"fmt"

	"github.com/nbd-wtf/go-nostr"

	"parley/wasm/run"
)

// seal encrypts and signs a draft, and wraps it when the prompt came wrapped.
func (a *Agent) seal(d run.Draft, wrapped bool) (*nostr.Event, error) {
	content, err := a.keys.Encrypt(d.To, d.Plain)
	if err != nil {
		return nil, fmt.Errorf("encrypting an event of kind %d: %w", d.Kind, err)
	}
	ev := d.Event(a.keys.PubKey, content)
	if !wrapped {
		return &ev, a.sign(&ev)
	}
	var random struct {
		secret [32]byte
		times  [16]byte
	}
	rand.Read(random.secret[:]) // never fails: it ends the program instead
	rand.Read(random.times[:])
	once, err := run.LocalKeys(random.secret, rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("making a key for one wrap: %w", err)
	}
	wrap, err := run.Wrap(ev, d.To, a.keys, once, a.now(), random.times)
	return &wrap, err
}
