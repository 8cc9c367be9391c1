package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"

	"github.com/nbd-wtf/go-nostr"

	"parley/wasm/relay"
)

// home is one of the agent's relays.
type home struct {
	Relay // URL in normal form

	mu         sync.Mutex
	asked      bool          // whether it was told who the agent is, and asked for its document
	maxMessage int           // max_message_length of NIP-11, 0 while unknown
	self       string        // the key it describes rooms with, "" while unknown
	known      chan struct{} // closed once the document was read, or could not be
	told       chan struct{} // closed once the relay was told who the agent is
}

func newHomes(relays []Relay) ([]*home, error) {
	if len(relays) == 0 {
		return nil, errors.New("it has no relay")
	}
	var homes []*home
	for _, r := range relays {
		normal, err := relay.Normalize(r.URL)
		if err != nil {
			return nil, err
		}
		r.URL = normal
		if r.Via == "" {
			r.Via = normal
		}
		homes = append(homes, &home{Relay: r, known: make(chan struct{}), told: make(chan struct{})})
	}
	return homes, nil
}

// urls are the addresses of all relays.
func (a *Agent) urls() []string {
	urls := make([]string, len(a.homes))
	for i, h := range a.homes {
		urls[i] = h.URL
	}
	return urls
}

// home is the relay with this URL in normal form, nil when it is none of ours.
func (a *Agent) home(url string) *home {
	for _, h := range a.homes {
		if h.URL == url {
			return h
		}
	}
	return nil
}

// newPool connects to the relays, signing in where one wants that.
func (a *Agent) newPool() *relay.Pool {
	return relay.NewPool(relay.Options{
		Policy: func(string) relay.AuthPolicy { return relay.AuthAlways },
		Auth: func(_ context.Context, url, challenge string) (*nostr.Event, error) {
			ev := &nostr.Event{Kind: nostr.KindClientAuthentication, CreatedAt: nostr.Timestamp(a.now()),
				Tags: nostr.Tags{{"relay", url}, {"challenge", challenge}}}
			return ev, a.keys.Sign(ev)
		},
		Dial: func(ctx context.Context, url string) (relay.Conn, error) {
			if h := a.home(url); h != nil {
				url = h.Via
			}
			return relay.Dial(ctx, url)
		},
	})
}

// limit is the longest message that a relay takes, 0 when it does not say.
func (a *Agent) limit(url string) int {
	h := a.home(url)
	if h == nil {
		return 0
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.maxMessage
}

// read asks the relay for its NIP-11 document.
func (h *home) read(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, InfoWait)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, webAddress(h.Via), nil)
	if err != nil {
		return fmt.Errorf("asking %s about itself: %w", h.URL, err)
	}
	req.Header.Set("Accept", "application/nostr+json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return fmt.Errorf("asking %s about itself: %w", h.URL, err)
	}
	defer resp.Body.Close()
	var document struct {
		Self       string `json:"self"`
		PubKey     string `json:"pubkey"`
		Limitation struct {
			MaxMessage int `json:"max_message_length"`
		} `json:"limitation"`
	}
	if err := json.NewDecoder(io.LimitReader(resp.Body, MaxInfoBytes)).Decode(&document); err != nil {
		return fmt.Errorf("reading what %s says about itself: %w", h.URL, err)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.maxMessage = document.Limitation.MaxMessage
	if h.self = document.Self; h.self == "" {
		h.self = document.PubKey
	}
	return nil
}

// key is the key that the relay describes rooms with, once it has said so; ""
// when it does not.
func (h *home) key(ctx context.Context) string {
	select {
	case <-h.known:
	case <-ctx.Done():
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.self
}

// webAddress is where a relay answers plain requests.
func webAddress(relayURL string) string { return "http" + strings.TrimPrefix(relayURL, "ws") }

// online says whether a relay is connected.
func (a *Agent) online() bool {
	for _, state := range a.pool.States() {
		if state.Phase == relay.Online {
			return true
		}
	}
	return false
}
