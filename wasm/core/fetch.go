package core

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"parley/wasm/port"
	"parley/wasm/verify"
)

// MaxAnswer is the longest HTTP answer read, in bytes.
const MaxAnswer = 4 << 20

// Fetcher makes one HTTP request. The browser's CORS rules hold.
type Fetcher func(ctx context.Context, r Request) (Response, error)

// Request is an HTTP request.
type Request struct {
	Method string
	URL    string
	Header map[string]string
	Body   []byte
}

// Response is the answer, read whole, at most MaxAnswer bytes of it.
type Response struct {
	Status int
	Body   []byte
}

const (
	methodGet = "GET"
	methodPut = "PUT"
	statusOK  = 200
)

func (c *Core) get(ctx context.Context, url string, header map[string]string, into any) error {
	if c.Fetch == nil {
		return &port.Error{Code: port.CodeUnavailable, Message: "This core makes no HTTP requests."}
	}
	passTurn(ctx)
	answer, err := c.Fetch(ctx, Request{Method: methodGet, URL: url, Header: header})
	if err != nil {
		return err
	}
	if answer.Status != statusOK {
		return fmt.Errorf("ask %s: the answer is %d", url, answer.Status)
	}
	if err := json.Unmarshal(answer.Body, into); err != nil {
		return fmt.Errorf("read the answer of %s: %w", url, err)
	}
	return nil
}

// relayInfo is what is used of a relay's own description (NIP-11).
type relayInfo struct {
	Self string `json:"self"` // the key it signs 39000 to 39003 with
}

// learnRelayKey asks a relay once for the key it signs rooms with. A relay
// that does not say keeps its rooms: then any key's are taken.
func (c *Core) learnRelayKey(ctx context.Context, url string) {
	c.mu.Lock()
	_, asked := c.relayKeys[url]
	if !asked {
		c.relayKeys[url] = ""
	}
	c.mu.Unlock()
	if asked {
		return
	}
	var info relayInfo
	err := c.get(ctx, "http"+strings.TrimPrefix(url, "ws"), map[string]string{"Accept": "application/nostr+json"}, &info)
	c.mu.Lock()
	defer c.mu.Unlock()
	if err != nil {
		delete(c.relayKeys, url)
		return
	}
	if !verify.IsPublicKey(info.Self) {
		return
	}
	c.relayKeys[url] = info.Self
	for ref, r := range c.rooms {
		if ref.Relay == url {
			r.relayKey = info.Self
			r.fold.SetRelayKey(info.Self)
		}
	}
	c.touch()
}
