package run

import (
	"fmt"
	"strings"

	"github.com/nbd-wtf/go-nostr"
)

// MaxSessionBytes is the longest session id that is taken from an s tag.
const MaxSessionBytes = 512

// Head is what the tags of a message say.
type Head struct {
	ID        string
	Author    string
	Kind      int
	CreatedAt int64
	To        []string // the p tags, at least one
	Root      string   // the run; a prompt's own id
	Session   string   // the s tag, "" when there is none
	Tool      string   // hint tag of 25804
	Phase     string   // hint tag of 25804
}

// For says whether the message is addressed to pubkey.
func (h *Head) For(pubkey string) bool {
	for _, to := range h.To {
		if to == pubkey {
			return true
		}
	}
	return false
}

// SessionOf is the session id of a prompt with this s tag (may be ""): the tag,
// or the default sender:<client> that everybody can reproduce.
func SessionOf(s, client string) string {
	if s != "" {
		return s
	}
	return "sender:" + client
}

// RunOf is the id of the run an event belongs to: a prompt's own id, the root of
// the other kinds, "" when it names none.
func RunOf(ev *nostr.Event) string {
	if ev.Kind == KindPrompt {
		return ev.ID
	}
	root, _ := rootOf(ev.Tags)
	return root
}

// ParseHead checks the tags that the NIP requires of kinds 25800-25806. Errors
// are *Fault: INVALID_SCHEMA for missing or malformed tags,
// UNSUPPORTED_ENCRYPTION for another scheme than nip44.
func ParseHead(ev *nostr.Event) (Head, error) {
	h, f := parseHead(ev)
	if f != nil {
		return Head{}, f
	}
	return h, nil
}

func parseHead(ev *nostr.Event) (Head, *Fault) {
	h := Head{ID: ev.ID, Author: ev.PubKey, Kind: ev.Kind, CreatedAt: int64(ev.CreatedAt)}
	if !IsKind(ev.Kind) {
		return h, fault(InvalidSchema, "kind", fmt.Sprintf("%d is not a message kind; expected 25800 to 25806", ev.Kind))
	}
	var schemes int
	for _, tag := range ev.Tags {
		if len(tag) == 0 {
			continue
		}
		value := ""
		if len(tag) > 1 {
			value = tag[1]
		}
		switch tag[0] {
		case "p":
			if !isHex64(value) {
				return h, fault(InvalidSchema, "p", "expected a public key of 64 lowercase hex digits, got "+quote(value))
			}
			h.To = append(h.To, value)
		case "encryption":
			if value == "" {
				return h, fault(InvalidSchema, "encryption", `the tag has no value; expected ["encryption","nip44"]`)
			}
			if value != Encryption {
				return h, fault(UnsupportedEncryption, "encryption", "expected nip44, got "+quote(value))
			}
			schemes++
		case "s":
			if len(value) > MaxSessionBytes {
				return h, fault(InvalidSchema, "s", fmt.Sprintf("session ids have at most %d bytes, this one has %d", MaxSessionBytes, len(value)))
			}
			if h.Session == "" {
				h.Session = value
			}
		case "tool":
			h.Tool = value
		case "phase":
			h.Phase = value
		}
	}
	return h, h.require(ev, schemes)
}

// require adds the root and reports what is missing.
func (h *Head) require(ev *nostr.Event, schemes int) *Fault {
	if len(h.To) == 0 {
		return fault(InvalidSchema, "p", "missing; every message names its recipient")
	}
	if schemes == 0 {
		return fault(InvalidSchema, "encryption", `missing; expected ["encryption","nip44"]`)
	}
	if h.Kind == KindPrompt {
		h.Root = ev.ID
		return nil
	}
	var f *Fault
	h.Root, f = rootOf(ev.Tags)
	return f
}

// rootOf finds the one e tag with marker root.
func rootOf(tags nostr.Tags) (string, *Fault) {
	root := ""
	for _, tag := range tags {
		if len(tag) < 4 || tag[0] != "e" || tag[3] != "root" {
			continue
		}
		switch {
		case !isHex64(tag[1]):
			return "", fault(InvalidSchema, "e", "expected a prompt id of 64 lowercase hex digits, got "+quote(tag[1]))
		case root != "" && root != tag[1]:
			return "", fault(InvalidSchema, "e", "two different roots; a message belongs to one run")
		}
		root = tag[1]
	}
	if root == "" {
		return "", fault(InvalidSchema, "e", `missing; expected ["e","<prompt id>","","root"]`)
	}
	return root, nil
}

func isHex64(s string) bool {
	if len(s) != 64 {
		return false
	}
	for i := 0; i < len(s); i++ {
		if c := s[i]; (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}

// maxQuote is how much of a bad value a diagnostic repeats, in bytes.
const maxQuote = 60

// quote repeats a value in a diagnostic, cut short and on one line.
func quote(s string) string {
	if len(s) > maxQuote {
		s = strings.ToValidUTF8(s[:maxQuote], "") + "…"
	}
	return fmt.Sprintf("%q", s)
}
