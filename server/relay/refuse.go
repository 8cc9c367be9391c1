package relay

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"parley/server/relay/store"
)

// The prefixes of OK and CLOSED messages (NIP-01, NIP-42).
const (
	duplicate    = "duplicate"
	blocked      = "blocked"
	rateLimited  = "rate-limited"
	invalid      = "invalid"
	restricted   = "restricted"
	authRequired = "auth-required"
	failed       = "error"
)

var prefixes = []string{duplicate, "pow", blocked, rateLimited, invalid, restricted, authRequired, "mute", failed}

// refusal is why something is not done: a prefix and words for a person.
type refusal string

func (r refusal) Error() string { return string(r) }

func refuse(prefix, format string, args ...any) error {
	return refusal(prefix + ": " + fmt.Sprintf(format, args...))
}

// slowDown is the refusal of somebody who is too fast.
func slowDown(what string, wait time.Duration) error {
	return refuse(rateLimited, "%s come too fast; wait %d s", what, int(wait.Seconds())+1)
}

// refusalOf puts any error into the words of an OK message. Only what went
// wrong here is kept from the client.
func (r *Relay) refusalOf(err error) string {
	var said refusal
	switch {
	case errors.As(err, &said):
		return string(said)
	case errors.Is(err, store.ErrDuplicate), errors.Is(err, store.ErrOlder):
		return duplicate + ": " + err.Error()
	case errors.Is(err, store.ErrDeleted):
		return blocked + ": " + err.Error()
	case errors.Is(err, store.ErrExpired):
		return invalid + ": " + err.Error()
	case errors.Is(err, store.ErrClosed):
		return failed + ": the relay is shutting down"
	}
	r.log.Error("keeping an event", "err", err)
	return failed + ": the relay could not keep this event; try again later"
}

// prefixed gives the words of a rule a prefix unless they have one.
func prefixed(err error) error {
	prefix, _, found := strings.Cut(err.Error(), ":")
	if found && slices.Contains(prefixes, prefix) {
		return refusal(err.Error())
	}
	return refuse(blocked, "%s", err.Error())
}
