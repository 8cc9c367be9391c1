package room

import (
	"slices"
	"strconv"
	"strings"

	"github.com/nbd-wtf/go-nostr"
)

// Words is what a person wrote, to be made into an event.
type Words struct {
	Text    string
	Files   []File
	Subject string // threads only
}

// All Build functions return an unsigned event without a public key and id; at
// is its created_at in unix seconds. Texts are sent as typed, except that bare
// NIP-19 codes become nostr: references (NIP-27), that those named in them get
// a `p` tag, and that the addresses of files are appended (NIP-92).

// BuildMessage is a kind 9 message (NIP-C7).
func BuildMessage(ref Ref, w Words, at int64) nostr.Event {
	return w.event(KindMessage, at, nostr.Tag{"h", ref.ID})
}

// BuildReply is a kind 9 message that quotes its parent in a `q` tag (NIP-C7).
// The parent may be of any kind that stands in the timeline.
func BuildReply(ref Ref, parent *nostr.Event, w Words, at int64) nostr.Event {
	return w.event(KindMessage, at,
		nostr.Tag{"h", ref.ID},
		nostr.Tag{"q", parent.ID, ref.Relay, parent.PubKey},
		nostr.Tag{"p", parent.PubKey})
}

// BuildThread opens a thread: kind 11 with a title (NIP-7D), also written as
// subject (NIP-14) for those who only read that.
func BuildThread(ref Ref, w Words, at int64) nostr.Event {
	return w.event(KindThread, at,
		nostr.Tag{"h", ref.ID},
		nostr.Tag{"title", w.Subject},
		nostr.Tag{"subject", w.Subject})
}

// BuildThreadReply is a reply in the thread of root, to parent (nil or root for
// the root itself), of kind 12 or 1111: see Fold.ThreadReplyKind. A kind 12
// carries marked `e` tags (NIP-10), a 1111 both scopes of NIP-22.
func BuildThreadReply(ref Ref, kind int, root, parent *nostr.Event, w Words, at int64) nostr.Event {
	if parent == nil {
		parent = root
	}
	tags := nostr.Tags{{"h", ref.ID}}
	if kind == KindComment {
		tags = append(tags,
			nostr.Tag{"E", root.ID, ref.Relay, root.PubKey},
			nostr.Tag{"K", strconv.Itoa(root.Kind)},
			nostr.Tag{"P", root.PubKey},
			nostr.Tag{"e", parent.ID, ref.Relay, parent.PubKey},
			nostr.Tag{"k", strconv.Itoa(parent.Kind)})
	} else {
		kind = KindThreadReply
		tags = append(tags, nostr.Tag{"e", root.ID, ref.Relay, "root", root.PubKey})
		if parent.ID != root.ID {
			tags = append(tags, nostr.Tag{"e", parent.ID, ref.Relay, "reply", parent.PubKey})
		}
	}
	return w.event(kind, at, append(tags, nostr.Tag{"p", parent.PubKey})...)
}

// event puts a text, its files and its mentions into an event.
func (w Words) event(kind int, at int64, tags ...nostr.Tag) nostr.Event {
	text := linkCodes(w.Text)
	for _, key := range Mentioned(text) {
		named := slices.ContainsFunc(tags, func(t nostr.Tag) bool { return t[0] == "p" && t[1] == key })
		if !named {
			tags = append(tags, nostr.Tag{"p", key})
		}
	}
	for _, f := range w.Files {
		tags = append(tags, imeta(f))
		if strings.Contains(text, f.URL) {
			continue
		}
		if text != "" {
			text += "\n"
		}
		text += f.URL
	}
	return template(kind, at, text, tags...)
}

func template(kind int, at int64, content string, tags ...nostr.Tag) nostr.Event {
	return nostr.Event{Kind: kind, CreatedAt: nostr.Timestamp(at), Content: content, Tags: tags}
}

// BuildReaction is a kind 7 (NIP-25).
func BuildReaction(ref Ref, target *nostr.Event, content string, at int64) nostr.Event {
	return template(KindReaction, at, content,
		nostr.Tag{"h", ref.ID},
		nostr.Tag{"e", target.ID, ref.Relay, target.PubKey},
		nostr.Tag{"p", target.PubKey},
		nostr.Tag{"k", strconv.Itoa(target.Kind)})
}

// BuildEdit is a kind 40003 that replaces the text of an own message.
func BuildEdit(ref Ref, target *nostr.Event, text string, at int64) nostr.Event {
	return template(KindEdit, at, linkCodes(text),
		nostr.Tag{"h", ref.ID},
		nostr.Tag{"e", target.ID})
}

// BuildDelete is a kind 5 for own events, with a `k` for each kind (NIP-09).
func BuildDelete(ref Ref, targets []*nostr.Event, reason string, at int64) nostr.Event {
	tags := nostr.Tags{{"h", ref.ID}}
	var kinds []int
	for _, t := range targets {
		tags = append(tags, nostr.Tag{"e", t.ID})
		if !slices.Contains(kinds, t.Kind) {
			kinds = append(kinds, t.Kind)
		}
	}
	for _, k := range kinds {
		tags = append(tags, nostr.Tag{"k", strconv.Itoa(k)})
	}
	return template(KindDelete, at, reason, tags...)
}

// ReportTypes are the types of a report (NIP-56).
var ReportTypes = []string{"nudity", "malware", "profanity", "illegal", "spam", "impersonation", "other"}

// BuildReport is a kind 1984 about a message, of one of ReportTypes ("other"
// for anything else), to the room's relay.
func BuildReport(ref Ref, target *nostr.Event, reportType, words string, at int64) nostr.Event {
	if !slices.Contains(ReportTypes, reportType) {
		reportType = "other"
	}
	return template(KindReport, at, words,
		nostr.Tag{"h", ref.ID},
		nostr.Tag{"e", target.ID, reportType},
		nostr.Tag{"p", target.PubKey, reportType})
}

// linkCodes turns the bare NIP-19 codes of a text into nostr: references
// (NIP-27: a writer may paste raw codes), "@npub1..." too. Codes that are part
// of a longer word or address and those inside back-ticks stay as typed.
func linkCodes(text string) string {
	return rewrite(text, func(i int) (string, int) {
		code, at := bareCode(text, i)
		if code == "" {
			return "", 0
		}
		return nostrScheme + code, at + len(code) - i
	})
}

// bareCode returns the code that stands at i by itself, and where it begins
// behind an @; "" when there is none.
func bareCode(text string, i int) (code string, at int) {
	if i > 0 && !strings.ContainsRune(" \t\n([{,;\"'", rune(text[i-1])) {
		return "", i
	}
	at = i
	if text[i] == '@' {
		at++
	}
	if at == len(text) || text[at] != 'n' {
		return "", i
	}
	code = leadingCode(text[at:])
	if rest := text[at+len(code):]; rest != "" && strings.ContainsRune("_-/@", rune(rest[0])) {
		return "", i
	}
	if _, err := DecodeCode(code); err != nil {
		return "", i
	}
	return code, at
}
