package core

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"

	"parley/wasm/port"
	"parley/wasm/room"
)

const (
	// MaxUpload is the largest file that can be attached, in bytes.
	MaxUpload = 4 << 20
	// UploadAuth is how long an upload's permission holds, in seconds.
	UploadAuth = 300
)

// canUpload tells whether files can be attached in rooms of a relay: those of
// the site's own relay, whose Blossom server is beside it. mu is held.
func (c *Core) canUpload(url string) bool {
	return c.Site.Upload != "" && len(c.Site.Relays) > 0 && c.Site.Relays[0] == url
}

// blob is what a Blossom server says of a stored file (BUD-02).
type blob struct {
	URL    string `json:"url"`
	SHA256 string `json:"sha256"`
	Size   int64  `json:"size"`
	Type   string `json:"type"`
}

// upload stores a file on the site's Blossom server (BUD-02).
func (c *Core) upload(ctx context.Context, p port.UploadParams) (room.File, error) {
	switch {
	case c.Site.Upload == "" || c.Fetch == nil:
		return room.File{}, &port.Error{Code: port.CodeUnavailable, Message: "This site takes no files."}
	case len(p.Data) == 0:
		return room.File{}, invalid("This file is empty.")
	case len(p.Data) > MaxUpload:
		return room.File{}, invalid("This file has %d kB; %d kB is the most.", len(p.Data)>>10, MaxUpload>>10)
	}
	s := c.signer()
	if s == nil {
		return room.File{}, &port.Error{Code: port.CodeLocked, Message: "Unlock your key to attach a file."}
	}
	sum := sha256.Sum256(p.Data)
	hash := hex.EncodeToString(sum[:])
	permit := room.BuildPermit(p.Name, hash, c.Site.Upload, c.now(), c.now()+UploadAuth)
	if err := s.Sign(ctx, permit); err != nil {
		return room.File{}, err
	}
	header, err := room.PermitHeader(permit)
	if err != nil {
		return room.File{}, err
	}
	passTurn(ctx)
	answer, err := c.Fetch(ctx, Request{
		Method: methodPut, URL: strings.TrimSuffix(c.Site.Upload, "/"), Body: p.Data,
		Header: map[string]string{"Content-Type": p.Type, "X-SHA-256": hash, "Authorization": header},
	})
	if err != nil {
		return room.File{}, &port.Error{Code: port.CodeUnavailable, Message: "The file could not be sent: " + err.Error()}
	}
	var stored blob
	if answer.Status >= 300 || json.Unmarshal(answer.Body, &stored) != nil || stored.SHA256 != hash {
		return room.File{}, &port.Error{Code: port.CodeRefused, Message: fmt.Sprintf("The file was refused (%d): %s", answer.Status, oneLine(string(answer.Body)))}
	}
	return room.File{URL: stored.URL, Name: p.Name, Type: stored.Type, Size: stored.Size, SHA256: hash}, nil
}
