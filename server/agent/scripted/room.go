package scripted

import (
	"fmt"
	"strings"

	"parley/server/agent/brain"
	"parley/wasm/ask"
)

const roomHelp = `I am an agent that follows a script. Mention me and say one of these:

- **tour**: I ask you every kind of question, one after the other
- **ask single**, **ask multiple**, **ask text**, **ask details**, **ask approval**, **ask confirmation**: one of them
- **2 + 3 * 4**, **time**, **markdown**, **error RATE_LIMIT**: as in a session with me
- **help**: this

Ask me for a task to see one at work: **long task**, **fail**, **question**, **file**, **handoff**, or anything else.
`

// step is one question that can be asked: its form, and what to say once it is
// answered.
type step struct {
	name     string
	question brain.Question
	thanks   func(r brain.Reply) string
}

// answerTime is how long a question of the tour is open, in seconds.
const answerTime = 24 * 60 * 60

// tour is every kind of question, in the order of the tour.
var tour = []step{
	{"single", brain.Question{
		Text: "Which of these do you like best?", Subject: "One choice", Selection: ask.Single,
		Options: []ask.Option{{ID: "tea", Label: "Tea"}, {ID: "coffee", Label: "Coffee"}, {ID: "water", Label: "Water"}},
	}, func(r brain.Reply) string { return "You chose " + chosen(r) + "." }},
	{"multiple", brain.Question{
		Text: "Which days suit you? Choose as many as you like.", Subject: "Several choices", Selection: ask.Multiple,
		Options: []ask.Option{{ID: "mon", Label: "Monday"}, {ID: "wed", Label: "Wednesday"}, {ID: "fri", Label: "Friday"}},
	}, func(r brain.Reply) string { return "You chose " + chosen(r) + "." }},
	{"text", brain.Question{
		Text: "What should the room be called? Write it in your own words.", Subject: "A text", Selection: ask.Text,
	}, func(r brain.Reply) string { return "You wrote: " + quoted(r.Text) }},
	{"details", brain.Question{
		Text: "How did it go? You can add details to your choice.", Subject: "A choice with details", Selection: ask.Single, Freeform: true,
		Options: []ask.Option{{ID: "well", Label: "Well"}, {ID: "badly", Label: "Badly"}},
	}, func(r brain.Reply) string {
		switch {
		case len(r.Choices) == 0:
			return "You chose nothing and wrote: " + quoted(r.Text)
		case r.Text == "":
			return "You chose " + chosen(r) + " and wrote nothing."
		}
		return "You chose " + chosen(r) + " and wrote: " + quoted(r.Text)
	}},
	{"approval", brain.Question{
		Text: "May I water the plants? (I only pretend to.)", Subject: "An approval", Interaction: ask.Approval, Selection: ask.Single,
		Options: []ask.Option{{ID: "approve", Label: "Approve"}, {ID: "deny", Label: "Deny"}},
	}, func(r brain.Reply) string {
		if picks(r, "approve") {
			return "Thank you. I water the plants. … Done, they have had enough."
		}
		return "Then I leave the plants alone."
	}},
	{"confirmation", brain.Question{
		Text: "This ends the tour. Are you sure?", Subject: "A confirmation", Interaction: ask.Confirmation, Selection: ask.Single,
		Options: []ask.Option{{ID: "yes", Label: "Yes, end it"}, {ID: "no", Label: "No, once more"}},
	}, func(r brain.Reply) string {
		if picks(r, "yes") {
			return "That was the tour. Thank you for your patience."
		}
		return "Then once more from the beginning."
	}},
}

// The memos of questions: the tour goes on, a single one does not.
const (
	memoTour = "tour:"
	memoOne  = "one:"
)

// room answers a message in a room, or goes on after a question.
func (s *script) room() error {
	if s.turn.Reply != nil {
		return s.replied(*s.turn.Reply)
	}
	first, rest := words(s.turn.Message)
	switch first {
	case "help", "hi", "hello", "hey", "":
		return s.say(roomHelp)
	case "tour":
		return s.put(0, memoTour)
	case "ask":
		if kind, _ := words(rest); kind != "me" && kind != "" {
			return s.askOne(kind)
		}
		return s.put(0, memoTour)
	case "stream", "long", "big", "slow", "think", "status", "remember", "errors", "empty":
		return s.say("That is for a session with me. Open my page and say **" + first + "** there.")
	case "crash":
		panic("as you asked")
	}
	return s.session()
}

func (s *script) askOne(kind string) error {
	for i, step := range tour {
		if step.name == kind || strings.HasPrefix(step.name, strings.TrimSuffix(kind, "s")) {
			return s.put(i, memoOne)
		}
	}
	return s.say("I cannot ask that. Say **help** to see what I can.")
}

// put ends the turn with a question.
func (s *script) put(i int, memo string) error {
	q := tour[i].question
	q.Memo, q.Expires = memo+tour[i].name, answerTime
	if memo == memoTour {
		q.Subject = fmt.Sprintf("%d of %d: %s", i+1, len(tour), q.Subject)
	}
	s.ask = &q
	return nil
}

// replied goes on after an answer.
func (s *script) replied(r brain.Reply) error {
	name, inTour := strings.CutPrefix(r.Memo, memoTour)
	if !inTour {
		name = strings.TrimPrefix(r.Memo, memoOne)
	}
	for i, step := range tour {
		if step.name != name {
			continue
		}
		if r.Expired {
			return s.say("Nobody answered in time. Say **" + map[bool]string{true: "tour", false: "ask " + name}[inTour] + "** to begin again.")
		}
		if err := s.say(step.thanks(r)); err != nil || !inTour {
			return err
		}
		switch {
		case i+1 < len(tour):
			return s.put(i+1, memoTour)
		case picks(r, "no"):
			return s.put(0, memoTour)
		}
		return nil
	}
	return s.say("I have forgotten what this was about. Say **help** to begin again.")
}

// chosen names what was chosen.
func chosen(r brain.Reply) string {
	labels := make([]string, len(r.Choices))
	for i, o := range r.Choices {
		labels[i] = "**" + o.Label + "**"
	}
	return strings.Join(labels, ", ")
}

func picks(r brain.Reply, id string) bool {
	for _, o := range r.Choices {
		if o.ID == id {
			return true
		}
	}
	return false
}
