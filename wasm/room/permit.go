package room

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"github.com/nbd-wtf/go-nostr"
)

// KindPermit is the kind of a Blossom authorization token (BUD-11).
const KindPermit = 24242

// BuildPermit is the unsigned token with which a person lets a file be uploaded
// (BUD-11): for the file with this SHA-256 (hex), from now until expires (unix
// seconds), at the server with this address and at no other one. An address
// that names no server leaves the token good at all of them.
func BuildPermit(name, hash, server string, now, expires int64) *nostr.Event {
	ev := &nostr.Event{Kind: KindPermit, CreatedAt: nostr.Timestamp(now), Content: "Upload " + name, Tags: nostr.Tags{
		{"t", "upload"}, {"x", hash}, {"expiration", strconv.FormatInt(expires, 10)},
	}}
	if u, err := url.Parse(server); err == nil && u.Hostname() != "" {
		ev.Tags = append(ev.Tags, nostr.Tag{"server", strings.ToLower(u.Hostname())})
	}
	return ev
}

// PermitHeader is a signed token as the value of an Authorization header:
// base64url without padding, as BUD-11 has it.
func PermitHeader(signed *nostr.Event) (string, error) {
	raw, err := json.Marshal(signed)
	if err != nil {
		return "", fmt.Errorf("write an upload's permit: %w", err)
	}
	return "Nostr " + base64.RawURLEncoding.EncodeToString(raw), nil
}
