package blossom

import (
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/nbd-wtf/go-nostr"

	"parley/wasm/room"
	"parley/wasm/verify"
)

// The verbs of tokens (BUD-11, "Endpoint Authorization Requirements").
const (
	verbUpload = "upload"
	verbDelete = "delete"
)

// token reads the request's token for what verb names, and checks everything
// that can be checked before the file is known.
func (s *Server) token(r *http.Request, verb string) (*nostr.Event, error) {
	header := r.Header.Get("Authorization")
	scheme, encoded, _ := strings.Cut(header, " ")
	switch {
	case header == "":
		return nil, fmt.Errorf("sign in to %s: an Authorization header is missing", verb)
	case !strings.EqualFold(scheme, "Nostr"):
		return nil, errors.New("the Authorization header must begin with Nostr")
	case len(header) > MaxToken:
		return nil, fmt.Errorf("the Authorization header is over %d bytes long", MaxToken)
	}
	raw, err := decode64(strings.TrimSpace(encoded))
	if err != nil {
		return nil, errors.New("the token is not base64")
	}
	ev, err := verify.ParseEvent(raw)
	if err != nil {
		return nil, errors.New("the token is not an event")
	}
	if err := verify.Event(ev); err != nil {
		return nil, errors.New("the token's signature does not hold")
	}
	return ev, s.check(ev, verb)
}

// decode64 takes base64url, as BUD-11 has it, and the other form that clients
// send, with padding or without.
func decode64(s string) ([]byte, error) {
	s = strings.TrimRight(strings.NewReplacer("+", "-", "/", "_").Replace(s), "=")
	return base64.RawURLEncoding.DecodeString(s)
}

func (s *Server) check(ev *nostr.Event, verb string) error {
	expires, err := strconv.ParseInt(first(ev, "expiration"), 10, 64)
	servers := values(ev, "server")
	switch {
	case ev.Kind != room.KindPermit:
		return fmt.Errorf("the token has kind %d, not %d", ev.Kind, room.KindPermit)
	case int64(ev.CreatedAt) > s.now()+ClockSkew:
		return errors.New("the token is dated in the future; check the clock of your device")
	case err != nil:
		return errors.New("the token has no expiration")
	case expires <= s.now():
		return errors.New("the token has expired")
	case !slices.Contains(values(ev, "t"), verb):
		return fmt.Errorf("the token is not one to %s", verb)
	case len(servers) > 0 && !slices.ContainsFunc(servers, s.isHost):
		return errors.New("the token is for another server")
	case len(values(ev, "x")) == 0:
		return errors.New("the token names no file (x tag)")
	}
	return nil
}

// isHost says whether a name is this server's. On loopback the names of the
// machine are one, as for AUTH.
func (s *Server) isHost(name string) bool {
	return name == s.host || loopback(name) && loopback(s.host)
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// covers says whether a token is for the file with a hash.
func covers(token *nostr.Event, hash string) bool { return slices.Contains(values(token, "x"), hash) }

func values(ev *nostr.Event, name string) []string {
	var all []string
	for tag := range ev.Tags.FindAll(name) {
		all = append(all, tag[1])
	}
	return all
}

func first(ev *nostr.Event, name string) string {
	if all := values(ev, name); len(all) > 0 {
		return all[0]
	}
	return ""
}
