package agent

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/nbd-wtf/go-nostr"

	"parley/server/agent/brain"
	"parley/wasm/room"
)

// Limits of an upload.
const (
	// MaxFile is the largest file an agent posts, in bytes.
	MaxFile = 4 << 20
	// UploadWait is how long an upload may take, and how long its permit holds.
	UploadWait = time.Minute
	// maxDescriptor is the longest answer to an upload that is read, in bytes.
	maxDescriptor = 16 << 10
)

// postFile uploads a file to the site of a spot's relay and posts it there
// (NIP-92).
func (a *Agent) postFile(ctx context.Context, s spot, f brain.File) (*nostr.Event, error) {
	file, err := a.upload(ctx, s.ref.Relay, f)
	if err != nil {
		return nil, err
	}
	return a.say(ctx, s, room.Words{Files: []room.File{file}})
}

// upload hands a file to the Blossom server beside a relay (BUD-02).
func (a *Agent) upload(ctx context.Context, relayURL string, f brain.File) (room.File, error) {
	if len(f.Data) == 0 || len(f.Data) > MaxFile {
		return room.File{}, fmt.Errorf("uploading %s: it has %d bytes; 1 to %d can be posted", f.Name, len(f.Data), MaxFile)
	}
	ctx, cancel := context.WithTimeout(ctx, UploadWait)
	defer cancel()
	req, err := a.uploadRequest(ctx, relayURL, f)
	if err != nil {
		return room.File{}, fmt.Errorf("uploading %s: %w", f.Name, err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return room.File{}, fmt.Errorf("uploading %s: %w", f.Name, err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxDescriptor))
	var stored struct {
		URL    string `json:"url"`
		SHA256 string `json:"sha256"`
	}
	switch {
	case resp.StatusCode == http.StatusNotFound || resp.StatusCode == http.StatusMethodNotAllowed || resp.StatusCode == http.StatusNotImplemented:
		return room.File{}, fmt.Errorf("uploading %s: %w", f.Name, brain.ErrNoFiles)
	case resp.StatusCode != http.StatusOK && resp.StatusCode != http.StatusCreated:
		return room.File{}, fmt.Errorf("uploading %s: refused with %d: %s", f.Name, resp.StatusCode, resp.Header.Get("X-Reason"))
	case err != nil:
		return room.File{}, fmt.Errorf("uploading %s: %w", f.Name, err)
	}
	sum := sha256.Sum256(f.Data)
	hash := hex.EncodeToString(sum[:])
	if err := json.Unmarshal(body, &stored); err != nil || stored.SHA256 != hash || stored.URL == "" {
		return room.File{}, fmt.Errorf("uploading %s: what came back is no descriptor of this file", f.Name)
	}
	return room.File{URL: stored.URL, Name: f.Name, Type: f.Type, Size: int64(len(f.Data)), SHA256: hash}, nil
}

func (a *Agent) uploadRequest(ctx context.Context, relayURL string, f brain.File) (*http.Request, error) {
	site, err := a.site(relayURL)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(f.Data)
	hash := hex.EncodeToString(sum[:])
	expires := a.now() + int64(UploadWait/time.Second)
	permit := room.BuildPermit(f.Name, hash, a.publicSite(relayURL), a.now(), expires)
	if err := a.sign(permit); err != nil {
		return nil, err
	}
	header, err := room.PermitHeader(permit)
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPut, site+"/upload", bytes.NewReader(f.Data))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", f.Type)
	req.Header.Set("X-SHA-256", hash)
	req.Header.Set("Authorization", header)
	return req, nil
}

// publicSite is where people reach the site that site reaches.
func (a *Agent) publicSite(relayURL string) string {
	if h := a.home(relayURL); h != nil && h.Upload != "" {
		return h.Upload
	}
	return webAddress(relayURL)
}

// site is where the files of a relay's rooms go.
func (a *Agent) site(relayURL string) (string, error) {
	h := a.home(relayURL)
	if h == nil {
		return "", brain.ErrNoFiles
	}
	if h.Upload != "" {
		return h.Upload, nil
	}
	u, err := url.Parse(webAddress(h.Via))
	if err != nil {
		return "", err
	}
	return u.Scheme + "://" + u.Host, nil
}
