package run

import "github.com/nbd-wtf/go-nostr"

// Loose is a response that answers no prompt: shown under "Other messages from
// this agent", never in a run.
type Loose struct {
	Event   string `json:"event"`
	Agent   string `json:"agent"`
	Session string `json:"session,omitempty"` // the s tag
	At      int64  `json:"at"`                // created_at
	Text    string `json:"text"`
}

// IsLoose says whether an event is a response without a root e tag.
func IsLoose(ev *nostr.Event) bool {
	return ev.Kind == KindResponse && RunOf(ev) == ""
}

// ParseLoose reads such a response, addressed to client. Errors are *Fault, as
// of ParseHead and Parse.
func ParseLoose(ev *nostr.Event, client, plain string) (Loose, error) {
	if !IsLoose(ev) {
		return Loose{}, fault(InvalidSchema, "e", "names a prompt, or is no response; it belongs to a run")
	}
	// A root makes the head complete; nothing else reads it.
	tagged := *ev
	tagged.Tags = append(nostr.Tags{{"e", ev.ID, "", "root"}}, withoutRoots(ev.Tags)...)
	h, f := parseHead(&tagged)
	if f != nil {
		return Loose{}, f
	}
	if !h.For(client) {
		return Loose{}, fault(InvalidSchema, "p", "does not name "+client)
	}
	m, f := parse(h, plain)
	if f != nil {
		return Loose{}, f
	}
	return Loose{Event: h.ID, Agent: h.Author, Session: h.Session, At: h.CreatedAt, Text: m.Response.Text}, nil
}

// withoutRoots leaves out root e tags that are malformed.
func withoutRoots(tags nostr.Tags) nostr.Tags {
	var kept nostr.Tags
	for _, tag := range tags {
		if len(tag) < 4 || tag[0] != "e" || tag[3] != "root" {
			kept = append(kept, tag)
		}
	}
	return kept
}
