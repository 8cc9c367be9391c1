package scripted

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode"

	"parley/server/agent/brain"
	"parley/wasm/ask"
	"parley/wasm/run"
)

// task carries out a task: the first of these words in its subject or text says
// which.
func (s *script) task() error {
	text := spaced(s.turn.Subject + " " + s.turn.Message)
	for _, known := range []struct {
		words []string
		run   func() error
	}{
		{[]string{"fail", "fails"}, s.taskFails},
		{[]string{"crash"}, func() error { panic("as you asked") }},
		{[]string{"hand off", "handoff", "hand over", "hands off"}, s.taskHandsOff},
		{[]string{"file", "files"}, s.taskPostsFile},
		{[]string{"question", "questions", "ask", "asks"}, s.taskAsks},
		{[]string{"long", "count", "minute"}, s.taskCounts},
	} {
		for _, word := range known.words {
			if strings.Contains(text, " "+word+" ") {
				return known.run()
			}
		}
	}
	return s.taskSmall()
}

// spaced is the words of a text in lower case, with one space around each.
func spaced(text string) string {
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	return " " + strings.Join(words, " ") + " "
}

// taskSmall answers at once.
func (s *script) taskSmall() error {
	what := s.turn.Subject
	if what == "" {
		what, _, _ = strings.Cut(strings.TrimSpace(s.turn.Message), "\n")
	}
	s.text.WriteString("I looked at “" + quoted(what) + "”.\n\nI follow a script and can do little about it, but the task is done. " +
		"Ask me for a **long task**, or one that says **fail**, **question**, **file** or **handoff**.")
	return nil
}

// longSteps is in how many steps the long task counts.
const longSteps = 60

// taskCounts takes its time, with lines of its own and of its tools.
func (s *script) taskCounts() error {
	if err := s.out.Say("I count to " + fmt.Sprint(longSteps) + ".\n"); err != nil {
		return err
	}
	for i := 1; i <= longSteps; i++ {
		if i%10 == 1 {
			if err := s.out.Say(fmt.Sprintf("Counting from %d to %d\n", i, i+9)); err != nil {
				return err
			}
		}
		if i%5 == 0 {
			arguments, _ := json.Marshal(map[string]string{"expr": fmt.Sprintf("%d / %d * 100", i, longSteps)}) // strings cannot fail
			if _, err := s.out.Tool(s.ctx, "calculator", arguments); err != nil {
				return err
			}
		}
		if err := s.wait(s.b.options.Long / time.Duration(longSteps)); err != nil {
			return err
		}
	}
	s.text.WriteString(fmt.Sprintf("I counted to %d.\n\nIt went well: no number was left out, and none came twice.", longSteps))
	return nil
}

// taskFails fails half way.
func (s *script) taskFails() error {
	if err := s.out.Say("Looking for what cannot be found\n"); err != nil {
		return err
	}
	if err := s.wait(s.b.options.Long / time.Duration(longSteps)); err != nil {
		return err
	}
	return &brain.Failure{Code: run.ToolError, Message: "What was looked for is not there, as you asked"}
}

// taskAsks asks its requester in the middle.
func (s *script) taskAsks() error {
	if err := s.out.Say("I need to know something first\n"); err != nil {
		return err
	}
	r, err := s.out.Ask(s.ctx, brain.Question{
		Text: "Shall I go on with the task?", Subject: s.turn.Subject, Selection: ask.Single, Freeform: true,
		Options: []ask.Option{{ID: "go", Label: "Go on"}, {ID: "stop", Label: "Stop here"}},
	})
	switch {
	case err != nil:
		return err
	case r.Expired:
		return &brain.Failure{Code: run.ToolError, Message: "Nobody answered the question in time"}
	case picks(r, "stop"):
		s.text.WriteString("I stopped, as you said.")
	default:
		s.text.WriteString("I went on, as you said, and came to the end.")
	}
	if r.Text != "" {
		s.text.WriteString("\n\nYou wrote: " + quoted(r.Text))
	}
	return nil
}

// taskPostsFile posts a small file, or its content where no file can be posted.
func (s *script) taskPostsFile() error {
	const content = "day,visitors\nMonday,12\nTuesday,17\nWednesday,9\n"
	if err := s.out.Say("Writing the file\n"); err != nil {
		return err
	}
	err := s.out.File(s.ctx, brain.File{Name: "visitors.csv", Type: "text/csv", Data: []byte(content)})
	if errors.Is(err, brain.ErrNoFiles) {
		s.text.WriteString("Files cannot be posted here, so this is what it holds:\n\n```\n" + content + "```")
		return nil
	}
	if err != nil {
		return err
	}
	s.text.WriteString("The file with the visitors of three days is here.")
	return nil
}

// taskHandsOff goes on in a thread of its own.
func (s *script) taskHandsOff() error {
	name := s.turn.Subject
	if name == "" {
		name = "Handed over by the house agent"
	}
	post, err := s.out.Handoff(s.ctx, name)
	if err != nil {
		return err
	}
	if err := post(s.ctx, "I go on with this here. Write to me in this thread; no mention is needed."); err != nil {
		return err
	}
	s.text.WriteString("This goes on in the thread “" + quoted(name) + "”.")
	return nil
}
