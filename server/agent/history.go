package agent

import (
	"cmp"
	"slices"
	"unicode/utf8"

	"parley/server/agent/brain"
)

// maxRemembered is how much of one text is remembered, in bytes.
const maxRemembered = 32 << 10

// bytesPerToken is how many bytes of text count as one token. Brains that know
// better cut again.
const bytesPerToken = 4

// sessions remembers what was said in AI sessions. The zero value is ready.
type sessions struct {
	turns map[sessionKey][]entry // oldest first
	bytes int                    // of all turns
}

type sessionKey struct{ client, session string }

// add takes in a turn that went well.
func (s *sessions) add(e entry) {
	if s.turns == nil {
		s.turns = map[sessionKey][]entry{}
	}
	e.Ask, e.Answer = remembered(e.Ask), remembered(e.Answer)
	key := sessionKey{e.Client, e.Session}
	turns := append(s.turns[key], e)
	s.bytes += sizeOf(e)
	if len(turns) > KeptTurns {
		s.bytes -= sizeOf(turns[0])
		turns = turns[1:]
	}
	s.turns[key] = turns
	for len(s.turns) > KeptSessions || s.bytes > KeptBytes && len(s.turns) > 1 {
		s.forgetOldest()
	}
}

// sizeOf is about what a turn takes, in bytes.
func sizeOf(e entry) int { return len(e.Ask) + len(e.Answer) + 256 }

func (s *sessions) forgetOldest() {
	var oldest sessionKey
	at := int64(-1)
	for key, turns := range s.turns {
		if last := turns[len(turns)-1].At; at < 0 || last < at {
			oldest, at = key, last
		}
	}
	for _, e := range s.turns[oldest] {
		s.bytes -= sizeOf(e)
	}
	delete(s.turns, oldest)
}

func (s *sessions) entries() []entry {
	var all []entry
	for _, turns := range s.turns {
		all = append(all, turns...)
	}
	slices.SortStableFunc(all, func(x, y entry) int { return cmp.Compare(x.At, y.At) })
	return all
}

// history is the end of a session that fits into so many tokens beside the
// message, 0 for no bound.
func (s *sessions) history(client, session, message string, tokens int64) []brain.Exchange {
	turns := s.turns[sessionKey{client, session}]
	room := tokens*bytesPerToken - int64(len(message))
	from := len(turns)
	for from > 0 {
		size := int64(len(turns[from-1].Ask) + len(turns[from-1].Answer))
		if tokens > 0 && size > room {
			break
		}
		room -= size
		from--
	}
	var history []brain.Exchange
	for _, t := range turns[from:] {
		history = append(history, brain.Exchange{Text: t.Ask}, brain.Exchange{Mine: true, Text: t.Answer})
	}
	return history
}

func remembered(text string) string {
	if len(text) <= maxRemembered {
		return text
	}
	cut := maxRemembered
	for cut > 0 && !utf8.RuneStart(text[cut]) {
		cut--
	}
	return text[:cut]
}
