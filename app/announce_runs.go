package app

import (
	"strings"

	"parley/wasm/port"
	"parley/wasm/run"
)

// maxPhrase is the longest text that is put into the live region at once, in
// bytes. A longer answer is read out in several.
const maxPhrase = 600

// reader decides what is read out of answers that grow: each finished sentence
// once, and the end.
type reader struct {
	runs    map[string]*readRun
	phrases []string // to be said
}

// readRun is how far a run was read out.
type readRun struct {
	said  int // bytes of the answer
	ended bool
}

// follow takes a run as it stands. One that had ended when it was first seen
// is not read out at all.
func (r *reader) follow(v *run.View, agent string) {
	if r.runs == nil {
		r.runs = map[string]*readRun{}
	}
	at := r.runs[v.Prompt]
	if at == nil {
		at = &readRun{said: len(v.Text), ended: v.State.Ended()}
		r.runs[v.Prompt] = at
		if at.ended {
			return
		}
	}
	if at.ended {
		return
	}
	if at.said > len(v.Text) { // the end says it otherwise
		at.said = len(v.Text)
	}
	rest := v.Text[at.said:]
	if v.State.Ended() {
		at.ended, at.said = true, len(v.Text)
		r.say(spoken(rest))
		r.say(endWords(v, agent))
		return
	}
	if n := sentences(rest); n > 0 {
		at.said += n
		r.say(spoken(rest[:n]))
	}
}

func (r *reader) say(text string) {
	if text != "" {
		r.phrases = append(r.phrases, text)
	}
}

// next is what to say now: as much as fits, at least one phrase.
func (r *reader) next() string {
	var b strings.Builder
	for len(r.phrases) > 0 && (b.Len() == 0 || b.Len()+len(r.phrases[0]) < maxPhrase) {
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(r.phrases[0])
		r.phrases = r.phrases[1:]
	}
	return b.String()
}

func endWords(v *run.View, agent string) string {
	switch v.State {
	case run.StateDone:
		return agent + " has answered."
	case run.StateCancelled:
		return "The answer was stopped."
	}
	return "The answer failed."
}

// sentences is how many bytes of a text are finished sentences or lines.
func sentences(text string) int {
	end := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '\n':
			end = i + 1
		case '.', '!', '?':
			if i+1 < len(text) && (text[i+1] == ' ' || text[i+1] == '\n') {
				end = i + 1
			}
		}
	}
	return end
}

// marks are what Markdown puts around words, which nobody wants to hear.
var marks = strings.NewReplacer("**", "", "__", "", "`", "", "#", "", "|", " ", "~~", "", "](", " ", "[", "", "]", "")

// spoken is a text as it is to be read out.
func spoken(text string) string {
	return strings.Join(strings.Fields(marks.Replace(text)), " ")
}

// hearRuns has the reader follow the runs of an update that was taken in.
func (sh *shell) hearRuns(items []port.RunItem) {
	s := sh.s.session
	for i := range items {
		if shown := s.shown(items[i].View.Prompt); shown != nil {
			sh.s.reads.follow(&shown.View, s.head.Agent.Name)
		}
	}
}

// speak says what is due: sentences of an answer, or new messages.
func (sh *shell) speak(at int64) bool {
	if at-sh.s.said.spoke >= quietFor {
		if text := sh.s.reads.next(); text != "" {
			sh.s.said.text, sh.s.said.spoke = text, at
			return true
		}
	}
	return sh.s.said.speak(at)
}
