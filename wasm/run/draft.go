package run

import "github.com/nbd-wtf/go-nostr"

// Draft is a message before encryption and signature: what kind, to whom, with
// which tags and plaintext.
type Draft struct {
	Kind      int
	CreatedAt int64
	To        string // the recipient's public key; Plain is encrypted to it
	Tags      nostr.Tags
	Plain     string
}

// Event is the unsigned event of a draft: author's public key and the NIP-44
// ciphertext of Plain.
func (d Draft) Event(author, ciphertext string) nostr.Event {
	return nostr.Event{PubKey: author, CreatedAt: nostr.Timestamp(d.CreatedAt), Kind: d.Kind, Tags: d.Tags, Content: ciphertext}
}

// newDraft fills the tags of the NIP. root is "" for a prompt; session is
// always written.
func newDraft(kind int, now int64, to, root, session, plain string, more ...nostr.Tag) Draft {
	tags := nostr.Tags{{"p", to}}
	if root != "" {
		tags = append(tags, nostr.Tag{"e", root, "", "root"})
	}
	tags = append(tags, nostr.Tag{"s", session})
	tags = append(tags, more...)
	tags = append(tags, nostr.Tag{"encryption", Encryption})
	return Draft{Kind: kind, CreatedAt: now, To: to, Tags: tags, Plain: plain}
}
