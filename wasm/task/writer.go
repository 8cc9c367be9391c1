package task

import (
	"strings"
	"unicode/utf8"

	"github.com/nbd-wtf/go-nostr"
)

// What an agent's events are held to.
const (
	ProgressEvery = 15  // seconds between two progress events of a task, at least
	LineLimit     = 200 // characters (code points) of a clipped line
)

// Texts that an agent writes when it has none of its own.
const (
	textDone   = "Done"
	textFailed = "The task failed"
)

// retryAfter are the waits, in seconds, before a refused result or error is
// published again.
var retryAfter = [...]int64{1, 3}

// Retry says how long to wait, in seconds, before a result or error that was
// refused a number of times is published again, and whether to do so at all.
func Retry(refused int) (after int64, again bool) {
	if refused < 1 || refused > len(retryAfter) {
		return 0, false
	}
	return retryAfter[refused-1], true
}

// Writer writes an agent's side of one task: it is told what happens in the
// turn and says what to publish, as unsigned events of the agent. It holds the
// rules of the specification (accepted once, progress at most every
// ProgressEvery seconds and only when something changed, exactly one end) and
// no clock: now is unix seconds. It is not safe for concurrent use.
type Writer struct {
	r        *Request
	accepted bool
	ended    bool

	assistant, tool string // the newest lines
	published       string // the progress published last
	publishedAt     int64
	anyPublished    bool

	full, fullText string // the newest reply posted in the thread
	files          []File
}

// NewWriter starts the writer of a task. Ask [Finished] first.
func NewWriter(r *Request) *Writer { return &Writer{r: r} }

// Request returns the task's request.
func (w *Writer) Request() *Request { return w.r }

// Ended says whether the task has had its end.
func (w *Writer) Ended() bool { return w.ended }

// Accept is the 43002, when the turn begins: once, nil after that.
func (w *Writer) Accept(now int64) *nostr.Event {
	if w.accepted || w.ended {
		return nil
	}
	w.accepted = true
	return BuildAccepted(w.r, now)
}

// Say notes intermediate text of the assistant; its last line is what progress
// shows.
func (w *Writer) Say(text string) {
	if line := clip(lastLine(text)); line != "" {
		w.assistant = line
	}
}

// Tool notes what a tool does; its last line is what progress shows.
func (w *Writer) Tool(text string) {
	if line := clip(lastLine(text)); line != "" {
		w.tool = line
	}
}

// Progress is the 43003 to publish now, or nil when nothing changed or it is
// too early; [Writer.NextProgress] says when it is not.
func (w *Writer) Progress(now int64) *nostr.Event {
	at, due := w.NextProgress()
	if !due || now < at {
		return nil
	}
	w.published, w.publishedAt, w.anyPublished = w.lines(), now, true
	return BuildProgress(w.r, w.published, now)
}

// NextProgress says whether there is progress to publish, and from when it may
// be (0: at once).
func (w *Writer) NextProgress() (at int64, due bool) {
	if lines := w.lines(); w.ended || lines == "" || lines == w.published {
		return 0, false
	}
	if !w.anyPublished {
		return 0, true
	}
	return w.publishedAt + ProgressEvery, true
}

// lines is what progress shows: the assistant's line, then the tool's.
func (w *Writer) lines() string {
	if w.assistant == "" || w.tool == "" {
		return w.assistant + w.tool
	}
	return w.assistant + "\n" + w.tool
}

// Replied notes a reply that the agent posted in the thread. The newest one is
// the final reply.
func (w *Writer) Replied(id, text string) {
	if strings.TrimSpace(text) != "" {
		w.full, w.fullText = id, text
	}
}

// PostedFile notes a file message that the agent posted in the thread.
func (w *Writer) PostedFile(id, name string) {
	w.files = append(w.files, File{ID: id, Name: clip(name)})
}

// Done is the end of a turn that went well: the 43004, nil when the task has
// ended already. Returned is the turn's text, used when nothing was posted.
func (w *Writer) Done(returned string, now int64) *nostr.Event {
	if !w.end() {
		return nil
	}
	var lines []string
	if w.full != "" {
		lines = append(lines, clip(firstLine(w.fullText)))
	}
	var ids, names []string
	for _, f := range w.files {
		ids, names = append(ids, f.ID), append(names, f.Name)
	}
	if len(names) > 0 {
		lines = append(lines, postedPrefix+strings.Join(names, ", "))
	}
	content := strings.Join(lines, "\n")
	if content == "" {
		content = strings.TrimSpace(returned)
	}
	if content == "" {
		content = textDone
	}
	return BuildResult(w.r, content, w.full, ids, now)
}

// Fail is the end of a turn that failed: the 43006, nil when the task has
// ended already. Text is the error, or empty. Delivered says that nothing went
// wrong on the agent's own side, no handler error and no failed send; then a
// turn that posted a reply or a file is a result all the same.
func (w *Writer) Fail(text string, delivered bool, now int64) *nostr.Event {
	if delivered && (w.full != "" || len(w.files) > 0) {
		return w.Done("", now)
	}
	if text = strings.TrimSpace(text); text == "" {
		text = textFailed
	}
	return w.fail(text, now)
}

// Stopped is the end of a turn that was stopped: the 43006, nil when the task
// has ended already. By is the public key of the person whose !cancel stopped
// it, or empty.
func (w *Writer) Stopped(by string, now int64) *nostr.Event {
	if by == "" {
		return w.fail(textCancelled, now)
	}
	return w.fail(textCancelledBy+by, now)
}

// Merged is the end of a task that another one's turn took over: the 43006,
// nil when the task has ended already. Into is the other request's id.
func (w *Writer) Merged(into string, now int64) *nostr.Event {
	return w.fail(textMergedInto+into, now)
}

// Cancelled notes the requester's 43005: it is the end of its own, and nothing
// more is published. It is false when the task had ended already.
func (w *Writer) Cancelled() bool { return w.end() }

func (w *Writer) fail(text string, now int64) *nostr.Event {
	if !w.end() {
		return nil
	}
	return BuildError(w.r, text, now)
}

// end is true once.
func (w *Writer) end() bool {
	first := !w.ended
	w.ended = true
	return first
}

// clip keeps a line to LineLimit characters, white space made single.
func clip(line string) string {
	line = strings.Join(strings.Fields(line), " ")
	if utf8.RuneCountInString(line) <= LineLimit {
		return line
	}
	runes := []rune(line)
	return string(runes[:LineLimit-1]) + "…"
}

// lastLine is the last line of s that is not blank.
func lastLine(s string) string {
	s = strings.TrimSpace(s)
	return s[strings.LastIndexByte(s, '\n')+1:]
}
