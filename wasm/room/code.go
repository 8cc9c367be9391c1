package room

// Code is what a NIP-19 code names.
type Code struct {
	Prefix string   // npub, nprofile, note, nevent or naddr
	PubKey string   // hex; of the person, or the author when given
	ID     string   // hex; note and nevent
	D      string   // naddr
	Kind   int      // nevent and naddr; -1 when not given
	Relays []string // as written
}

// DecodeCode reads a NIP-19 code without "nostr:". It knows no nsec.
func DecodeCode(s string) (Code, error) { return Code{}, nil }

// NPub is the NIP-19 code of a hex public key, "" when that is none.
func NPub(pubkey string) string { return "" }

// NEvent is the NIP-19 code of an event with a relay hint ("" for none), the
// author ("" for none) and the kind (negative for none); "" when id is no id.
func NEvent(id, relay, author string, kind int) string { return "" }

// NAddr is the NIP-19 code of an addressable event, "" when author is no key.
func NAddr(kind int, author, d, relay string) string { return "" }
