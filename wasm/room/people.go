package room

import (
	"encoding/json"

	"github.com/nbd-wtf/go-nostr"
)

// Limits on what a profile says, in code points.
const (
	MaxName  = 60
	MaxAbout = 1000
)

// MaxPeopleLog is how many changes of people are remembered one by one. A room
// that has not followed for longer takes all it shows as changed.
const MaxPeopleLog = 4096

// Profiles is who is who: the newest kind 0 of each key, then the lowest id,
// and which keys are known to be agents. Rooms of one account may share it. It
// is not safe for concurrent use.
type Profiles struct {
	newest map[string]*nostr.Event
	people map[string]Person // read from newest
	agents map[string]string // label by key
	log    []string          // keys whose Person changed, for the rooms to follow
	begin  int               // how many changes there were before those in log
}

// NewProfiles returns an empty set.
func NewProfiles() *Profiles {
	return &Profiles{newest: map[string]*nostr.Event{}, people: map[string]Person{}, agents: map[string]string{}}
}

// Add takes in a verified kind 0. It is false when nothing changed.
func (p *Profiles) Add(e *nostr.Event) bool {
	if e == nil || e.Kind != KindProfile || !isHex32(e.PubKey) {
		return false
	}
	if old := p.newest[e.PubKey]; old != nil && !replaces(e, old) {
		return false
	}
	p.newest[e.PubKey] = e
	p.people[e.PubKey] = readProfile(e)
	p.note(e.PubKey)
	return true
}

// note remembers that a key's Person changed, and forgets the older half when
// there are too many.
func (p *Profiles) note(pubkey string) {
	if len(p.log) == MaxPeopleLog {
		half := MaxPeopleLog / 2
		p.log = append(make([]string, 0, MaxPeopleLog), p.log[half:]...)
		p.begin += half
	}
	p.log = append(p.log, pubkey)
}

// changes is how many there have been.
func (p *Profiles) changes() int { return p.begin + len(p.log) }

// SetAgent marks a key as an agent, of an owner when that is known ("Ana"), so
// that its Person says "agent" or "agent of Ana". It is false when nothing
// changed. A kind 0 with NIP-24's `bot` says "agent" by itself.
func (p *Profiles) SetAgent(pubkey, owner string) bool {
	label := "agent"
	if owner = cleanLine(owner, MaxName); owner != "" {
		label += " of " + owner
	}
	if p.agents[pubkey] == label {
		return false
	}
	p.agents[pubkey] = label
	p.note(pubkey)
	return true
}

// Person returns how to show a key. Its name is never empty.
func (p *Profiles) Person(pubkey string) Person {
	person := p.people[pubkey]
	person.PubKey = pubkey
	if person.Name == "" {
		person.Name = ShortNPub(pubkey)
	}
	if label := p.agents[pubkey]; label != "" {
		person.Agent = label
	}
	return person
}

// Known reports whether a kind 0 of the key was added.
func (p *Profiles) Known(pubkey string) bool { return p.newest[pubkey] != nil }

// Event returns the kind 0 of a key that counts, nil when there is none.
func (p *Profiles) Event(pubkey string) *nostr.Event { return p.newest[pubkey] }

// readProfile reads a kind 0 field by field, so that one of a wrong type spoils
// only itself. NIP-24's display_name goes before name.
func readProfile(e *nostr.Event) Person {
	var fields map[string]json.RawMessage
	if json.Unmarshal([]byte(e.Content), &fields) != nil {
		return Person{}
	}
	text := func(name string) (s string) {
		if json.Unmarshal(fields[name], &s) != nil {
			return ""
		}
		return s
	}
	person := Person{
		Name:    cleanLine(text("display_name"), MaxName),
		Picture: cleanURL(text("picture")),
		About:   cleanText(text("about"), MaxAbout),
		NIP05:   cleanLine(text("nip05"), MaxName),
	}
	if person.Name == "" {
		person.Name = cleanLine(text("name"), MaxName)
	}
	var bot bool
	if json.Unmarshal(fields["bot"], &bot) == nil && bot {
		person.Agent = "agent"
	}
	return person
}

// ShortNPub is how to name a key without a profile: "npub1abcde…wxyz".
func ShortNPub(pubkey string) string {
	code := NPub(pubkey)
	if code == "" {
		return "nobody"
	}
	return code[:10] + "…" + code[len(code)-4:]
}
