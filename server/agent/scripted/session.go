package scripted

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"parley/server/agent/brain"
	"parley/wasm/run"
)

const helpText = `I follow a script, so that you can see what agents can do here. Say one of these:

| Say | and I |
| --- | --- |
| **help** | show this |
| **markdown** | show headings, lists, a table and code |
| **stream 200 lines** | write a long text bit by bit; **long** does 40 lines |
| **big 300** | answer with 300 kB at once |
| **2 + 3 * 4** or **calculate** *expression* | use my calculator |
| **time** or **time Europe/Berlin** | look at my clock |
| **tools** | use both, one after the other, and fail once |
| **think** | think aloud before I answer |
| **status** | tell how far I am while I work |
| **slow** | take my time; good for trying Stop |
| **error RATE_LIMIT** | fail with that code; **errors** lists them |
| **empty** | have nothing to say |
| **crash** | break |
| **remember** | tell what you said before in this session |

In a room, mention me and say **help**: there I can ask questions, too.
`

// session answers a prompt.
func (s *script) session() error {
	first, rest := words(s.turn.Message)
	switch first {
	case "help", "hi", "hello", "hey", "":
		return s.stream(helpText)
	case "markdown":
		return s.stream(markdownText)
	case "long":
		return s.lines(40)
	case "stream":
		return s.lines(number(rest, 40, maxLines))
	case "big":
		return s.big(number(rest, 300, maxBig))
	case "calculate", "calc", "compute":
		return s.calculate(rest)
	case "time", "clock", "date":
		return s.clock(rest)
	case "tools":
		return s.tools()
	case "think":
		return s.think()
	case "status", "progress":
		return s.status()
	case "slow":
		return s.slow(number(rest, 60, 3600))
	case "errors":
		return s.stream(errorsText())
	case "error":
		return s.fail(rest)
	case "empty":
		return nil
	case "crash":
		panic("as you asked")
	case "remember":
		return s.remember()
	}
	if looksLikeSum(s.turn.Message) {
		return s.calculate(s.turn.Message)
	}
	return s.stream("You said:\n\n> " + strings.ReplaceAll(quoted(s.turn.Message), "\n", "\n> ") +
		"\n\nI follow a script and know only a few words. Say **help** to see them.\n")
}

// quoted is at most maxQuoted bytes of a text.
func quoted(text string) string {
	const maxQuoted = 500
	if len(text) <= maxQuoted {
		return text
	}
	return strings.ToValidUTF8(text[:maxQuoted], "") + "…"
}

// Limits of what can be asked for.
const (
	maxLines = 5000
	maxBig   = 4096 // kB
)

// number finds the first number in a text.
func number(text string, otherwise, most int) int {
	n, err := strconv.Atoi(digits.FindString(text))
	if err != nil || n < 1 {
		return otherwise
	}
	return min(n, most)
}

var digits = regexp.MustCompile(`[0-9]+`)

// looksLikeSum: numbers and signs, with at least one of each.
func looksLikeSum(text string) bool {
	return sum.MatchString(text) && strings.ContainsAny(text, "+-*/%^(") && digits.MatchString(text)
}

var sum = regexp.MustCompile(`^[\sa-z0-9.+\-*/%^(),]*$`)

// lines streams a numbered text, one piece a line.
func (s *script) lines(n int) error {
	if err := s.say(fmt.Sprintf("Here are %d lines.\n\n", n)); err != nil {
		return err
	}
	for i := 1; i <= n; i++ {
		line := fmt.Sprintf("%d. %s\n", i, sayings[i%len(sayings)])
		if err := s.say(line); err != nil {
			return err
		}
		if err := s.wait(s.pace); err != nil {
			return err
		}
	}
	return s.say("\nThat was all.\n")
}

var sayings = []string{
	"A relay keeps what it is given and forgets what it is told to.",
	"An event is signed once and can be checked by everyone.",
	"Keys are names that nobody can take away.",
	"What is encrypted for two is read by two.",
	"Order is by time, then by id, the same for everybody.",
	"A question waits until somebody who was asked answers it.",
	"A task ends once, whatever happens.",
}

// big answers with so many kB at once.
func (s *script) big(kB int) error {
	const line = "Each line has sixty-four bytes; sixteen of them are a kilobyte.\n"
	s.text.WriteString(strings.Repeat(line, kB*1024/len(line)))
	return nil
}

func (s *script) calculate(expr string) error {
	arguments, _ := json.Marshal(map[string]string{"expr": expr}) // strings cannot fail
	if err := s.out.Status(run.StatusToolUse, nil, "Calculating"); err != nil {
		return err
	}
	got, err := s.out.Tool(s.ctx, "calculator", arguments)
	if err != nil {
		return err
	}
	if got.Error != "" {
		return s.stream("That cannot be computed: " + got.Error + ".\n")
	}
	var result struct {
		Text string `json:"text"`
	}
	if err := json.Unmarshal(got.Output, &result); err != nil {
		return fmt.Errorf("reading the calculator: %w", err)
	}
	return s.stream("`" + strings.ReplaceAll(strings.TrimSpace(expr), "`", "") + "` is **" + result.Text + "**.\n")
}

func (s *script) clock(zone string) error {
	arguments, _ := json.Marshal(map[string]string{"zone": zone}) // strings cannot fail
	if err := s.out.Status(run.StatusToolUse, nil, "Looking at the clock"); err != nil {
		return err
	}
	got, err := s.out.Tool(s.ctx, "clock", arguments)
	if err != nil {
		return err
	}
	if got.Error != "" {
		return s.stream("I cannot tell: " + got.Error + ".\n")
	}
	var result struct {
		Time    string `json:"time"`
		Weekday string `json:"weekday"`
	}
	if err := json.Unmarshal(got.Output, &result); err != nil {
		return fmt.Errorf("reading the clock: %w", err)
	}
	return s.stream("It is " + result.Weekday + ", " + result.Time + ".\n")
}

// tools uses each tool once, and the calculator once more to no avail.
func (s *script) tools() error {
	if err := s.stream("First I calculate. "); err != nil {
		return err
	}
	if err := s.calculate("(2 + 3) * 4 ^ 2"); err != nil {
		return err
	}
	if err := s.stream("\nThen I look at the clock. "); err != nil {
		return err
	}
	if err := s.clock(""); err != nil {
		return err
	}
	if err := s.stream("\nAnd this one fails. "); err != nil {
		return err
	}
	return s.calculate("1 / 0")
}

func (s *script) think() error {
	for _, thought := range []string{
		"The person wants to see me think. ", "I have no thoughts of my own, ", "but I can say what one would look like: ",
		"first find out what is asked, ", "then what is known, ", "and then the shortest way between the two.\n",
	} {
		if err := s.out.Think(thought); err != nil {
			return err
		}
		if err := s.wait(4 * s.pace); err != nil {
			return err
		}
	}
	return s.stream("I thought about it. My reasoning stands above, apart from this answer.\n")
}

// status shows each state, with progress and words.
func (s *script) status() error {
	for _, step := range []struct {
		state    string
		progress int
		info     string
	}{
		{run.StatusThinking, 0, "Reading the question"}, {run.StatusThinking, 25, "Looking for an answer"},
		{run.StatusToolUse, 50, "Asking around"}, {run.StatusThinking, 75, "Putting it into words"}, {run.StatusDone, 100, "Done"},
	} {
		if err := s.out.Status(step.state, &step.progress, step.info); err != nil {
			return err
		}
		if err := s.wait(20 * s.pace); err != nil {
			return err
		}
	}
	return s.stream("Those were all the states that a run can tell: thinking, tool_use and done.\n")
}

// slow counts seconds at the pace of the streams: a hundredth of it is one.
func (s *script) slow(n int) error {
	for i := 1; i <= n; i++ {
		if err := s.say(fmt.Sprintf("%d… ", i)); err != nil {
			return err
		}
		if err := s.wait(s.pace * time.Duration(time.Second/Pace)); err != nil {
			return err
		}
	}
	return s.say("done.\n")
}

func (s *script) remember() error {
	var b strings.Builder
	for _, e := range s.turn.History {
		if !e.Mine {
			b.WriteString("- " + strings.ReplaceAll(quoted(e.Text), "\n", " ") + "\n")
		}
	}
	if b.Len() == 0 {
		return s.stream("You have said nothing before in this session.\n")
	}
	return s.stream("Before this you said:\n\n" + b.String())
}

// fail ends the turn with a code, and retry_after where a number follows.
func (s *script) fail(rest string) error {
	code, after, _ := strings.Cut(rest, " ")
	known := run.Code(strings.ToUpper(strings.TrimSpace(code)))
	message, ok := failures[known]
	if !ok {
		return s.stream("There is no error with that code.\n\n" + errorsText())
	}
	f := &brain.Failure{Code: known, Message: message}
	if n, err := strconv.Atoi(strings.TrimSpace(after)); err == nil && n > 0 {
		f.RetryAfter = int64(n)
	} else if known == run.RateLimit || known == run.ModelUnavailable {
		f.RetryAfter = 10
	}
	if err := s.stream("These words came before the error. "); err != nil {
		return err
	}
	return f
}
