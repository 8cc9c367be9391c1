package run

import (
	"cmp"
	"encoding/hex"
	"slices"
	"strings"
	"unicode/utf8"
)

// Session is a conversation: prompts of one person to one agent under one
// session id. JSON over the port; times are Unix seconds.
type Session struct {
	ID      string   `json:"id"` // the s value, or sender:<client>
	Client  string   `json:"client"`
	Agent   string   `json:"agent"`
	Title   string   `json:"title"`          // first words of the first prompt; "" while it is sealed
	Started int64    `json:"started"`        // created_at of the first prompt
	Last    int64    `json:"last"`           // created_at of the newest event of its runs
	Ends    int      `json:"ends,omitempty"` // how many of its runs have a terminal event
	Runs    []string `json:"runs,omitempty"` // prompt ids by (created_at, id)
}

// MaxTitleRunes is how long a session's title gets, in code points.
const MaxTitleRunes = 60

// NewSessionID is a session id from 32 random bytes: "session:" and 64 hex
// digits.
func NewSessionID(random [32]byte) string { return "session:" + hex.EncodeToString(random[:]) }

// Title is the first words of a prompt on one line, at most MaxTitleRunes code
// points.
func Title(message string) string {
	var b strings.Builder
	runes := 0
	// More than this cannot end up in a title; a prompt may be long.
	for word := range strings.FieldsSeq(message) {
		n := utf8.RuneCountInString(word)
		switch {
		case runes == 0 && n > MaxTitleRunes:
			return cutRunes(word, MaxTitleRunes-1) + "…"
		case runes > 0 && runes+1+n > MaxTitleRunes:
			return strings.TrimRight(b.String(), ".,;:") + "…"
		case runes > 0:
			b.WriteByte(' ')
			runes++
		}
		b.WriteString(word)
		runes += n
	}
	return b.String()
}

func cutRunes(s string, n int) string {
	for i := range s {
		if n == 0 {
			return s[:i]
		}
		n--
	}
	return s
}

// Sessions groups the prompts of one person or many by client, agent and session
// id. It is a fold like Run.
type Sessions struct {
	prompts map[string]*sessionPrompt
	newest  map[string]int64 // created_at of the newest event, by run
	ended   map[string]bool  // runs with a terminal event
	list    []Session        // nil when something changed
}

type sessionPrompt struct {
	id, client, agent, session string
	at                         int64
	message                    string
}

// Add takes a prompt or any other message; the others only move Session.Last.
// It says whether the list may have changed. Which agent a message belongs to is
// the prompt's word: its first p tag.
func (s *Sessions) Add(in Input) bool {
	if in.Event == nil {
		return false
	}
	h, f := parseHead(in.Event)
	if f != nil {
		return false
	}
	if s.prompts == nil {
		s.prompts, s.newest, s.ended = map[string]*sessionPrompt{}, map[string]int64{}, map[string]bool{}
	}
	changed := false
	if h.Kind == KindPrompt {
		changed = s.addPrompt(h, in)
	}
	if at, ok := s.newest[h.Root]; !ok || h.CreatedAt > at {
		s.newest[h.Root] = h.CreatedAt
		changed = true
	}
	if IsTerminal(h.Kind) && !s.ended[h.Root] {
		s.ended[h.Root] = true
		changed = true
	}
	if changed {
		s.list = nil
	}
	return changed
}

func (s *Sessions) addPrompt(h Head, in Input) bool {
	p := s.prompts[h.ID]
	isNew := p == nil
	if isNew {
		p = &sessionPrompt{id: h.ID, client: h.Author, agent: h.To[0], at: h.CreatedAt, session: SessionOf(h.Session, h.Author)}
		s.prompts[h.ID] = p
	}
	if p.message != "" || in.Opening != Opened {
		return isNew
	}
	if m, f := parse(h, in.Plain); f == nil {
		p.message = m.Prompt.Message
	}
	return isNew || p.message != ""
}

// Remove forgets a run, by its prompt's id: one that was withdrawn before it was
// sent, or that a person deleted. A session without runs is gone.
func (s *Sessions) Remove(prompt string) {
	delete(s.prompts, prompt)
	delete(s.newest, prompt)
	delete(s.ended, prompt)
	s.list = nil
}

// List is every session, the one with the newest event first. The slice is
// shared; never write to it.
func (s *Sessions) List() []Session {
	if s.list != nil {
		return s.list
	}
	prompts := make([]*sessionPrompt, 0, len(s.prompts))
	for _, p := range s.prompts {
		prompts = append(prompts, p)
	}
	slices.SortFunc(prompts, func(a, b *sessionPrompt) int { return byKey(a.at, a.id, b.at, b.id) })
	type key struct{ client, agent, session string }
	at := map[key]int{}
	list := []Session{}
	for _, p := range prompts {
		k := key{p.client, p.agent, p.session}
		i, ok := at[k]
		if !ok {
			i = len(list)
			at[k] = i
			list = append(list, Session{ID: p.session, Client: p.client, Agent: p.agent, Title: Title(p.message), Started: p.at})
		}
		list[i].Runs = append(list[i].Runs, p.id)
		list[i].Last = max(list[i].Last, s.newest[p.id])
		if s.ended[p.id] {
			list[i].Ends++
		}
	}
	slices.SortFunc(list, func(a, b Session) int {
		return cmp.Or(cmp.Compare(b.Last, a.Last), strings.Compare(a.ID, b.ID),
			strings.Compare(a.Agent, b.Agent), strings.Compare(a.Client, b.Client))
	})
	s.list = list
	return list
}
