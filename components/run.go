package components

import (
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	ui "github.com/maxence-charriere/go-app/v10/pkg/app"

	"parley/wasm/room"
	"parley/wasm/run"
)

// Run is a prompt and all that answers it. It is drawn by itself whenever its
// feed has news.
type Run struct {
	ui.Compo

	Feed   *RunFeed
	ID     string // the prompt's id
	Me     room.Person
	Agent  room.Person
	Models []string // that the agent offers

	ctx   ui.Context
	alarm *time.Timer // when Retry becomes possible
	frame *time.Timer // when more of a long text is drawn
	shown int         // bytes of the answer that are drawn
	fresh bool        // it began or went on before the reader's eyes
	gone  bool        // it was taken off the page
	texts texts
}

// A text that comes at once is drawn in steps, so that even a megabyte of it
// does not keep the page busy.
const (
	revealStep  = maxBlock // bytes
	revealEvery = 16 * time.Millisecond
)

// CompoID implements ui.DismountEnforcer.
func (r *Run) CompoID() string { return r.ID }

// OnMount implements ui.Mounter.
func (r *Run) OnMount(ctx ui.Context) {
	r.ctx, r.gone = ctx, false
	r.Feed.reader = r
	r.wake() // news may have come since it was drawn
}

// OnUpdate implements ui.Updater: the feed may be another one now.
func (r *Run) OnUpdate(ctx ui.Context) {
	r.ctx = ctx
	r.Feed.reader = r
	r.setAlarm()
}

// OnDismount implements ui.Dismounter.
func (r *Run) OnDismount() {
	r.gone = true
	if r.Feed.reader == r { // another Run may have taken the feed over before this one went
		r.Feed.reader = nil
	}
	for _, timer := range []*time.Timer{r.alarm, r.frame} {
		if timer != nil {
			timer.Stop()
		}
	}
}

// wake takes news of the feed.
func (r *Run) wake() {
	r.draw()
	r.setAlarm()
}

// draw has the run drawn, and nothing around it.
func (r *Run) draw() {
	r.ctx.Dispatch(func(ui.Context) {
		if r.Feed.Alone != nil {
			r.Feed.Alone()
		}
	})
}

// setAlarm has the run drawn again when it may be retried.
func (r *Run) setAlarm() {
	if r.alarm != nil {
		r.alarm.Stop()
		r.alarm = nil
	}
	e := r.Feed.shown.View.Error
	if e == nil {
		return
	}
	if wait := e.RetryAt - unixNow(); wait > 0 {
		r.alarm = time.AfterFunc(time.Duration(wait)*time.Second, r.draw)
	}
}

// Render implements ui.Composer.
func (r *Run) Render() ui.UI {
	s, text := r.drawn()
	v := &s.View
	class := "ai-run"
	if r.fresh = r.fresh || !v.State.Ended(); r.fresh {
		class = "ai-run fresh" // it has room to grow, so that nothing moves while it does
	}
	article := ui.Article().Role("article").Class(class).TabIndex(-1).
		DataSet("run", r.ID).DataSet("state", string(v.State)).
		DataSet("event", r.ID).DataSet("kind", run.KindPrompt).
		Aria("label", r.label(v))
	if v.Degraded {
		article = article.DataSet("degraded", true)
	}
	if s.Delivery.State != "" {
		article = article.DataSet("status", s.Delivery.State)
	}
	return article.Body(r.question(s), r.reply(s, text))
}

// drawn is the run with as much of the answer as is drawn now. As long as that
// is not all, it is still being written, for the person who reads it.
func (r *Run) drawn() (*RunShown, string) {
	s := r.Feed.Shown()
	whole := r.texts.answer.marked(s.View.Text, s.View.Gaps)
	text := r.reveal(whole)
	if len(text) == len(whole) || !s.View.State.Ended() {
		return s, text
	}
	held := *s
	held.View.State, held.View.Ended, held.View.Error, held.Retry = run.StateStreaming, 0, nil, false
	return &held, text
}

func (r *Run) label(v *run.View) string {
	if !v.HasPrompt {
		return "Answer of " + r.Agent.Name
	}
	return "You asked " + r.Agent.Name + ", " + Moment(v.Started)
}

// question is what I asked.
func (r *Run) question(s *RunShown) ui.UI {
	v := &s.View
	if !v.HasPrompt {
		return ui.P().Class("note").Text(noteWords[run.NoteNoPrompt])
	}
	body := []ui.UI{Byline(r.Me, v.Started)}
	if v.Question != "" {
		body = append(body, &Markdown{Text: v.Question})
	} else {
		body = append(body, ui.P().Class("hint").Text("Still to be decrypted…"))
	}
	if s.Delivery.State != "" && s.Delivery.State != "stored" || v.Wrapped {
		body = append(body, r.sent(s))
	}
	return ui.Div().Class("msg").Body(
		Face(r.Me),
		ui.Div().Class("body").Body(body...),
	)
}

// sent is how far the prompt has come.
func (r *Run) sent(s *RunShown) ui.UI {
	var parts []ui.UI
	if words := s.Delivery.words(); words != "" && s.Delivery.State != "withdrawn" {
		parts = append(parts, ui.Span().Class("delivery").Dir("auto").Text(words))
	}
	switch s.Delivery.Act {
	case "retry":
		parts = append(parts, r.textButton("Ask the signer again", func(ctx ui.Context) { ctx.NewActionWithValue(DoRetry, r.ID) }))
	case "reconnect":
		parts = append(parts, r.textButton("Reconnect", func(ctx ui.Context) { ctx.NewAction(DoReconnect) }))
	}
	if s.View.Wrapped {
		parts = append(parts, ui.Span().Text("metadata hidden"))
	}
	return ui.Div().Class("status").Body(parts...)
}

// reply is all that the agent answered.
func (r *Run) reply(s *RunShown, answer string) ui.UI {
	v := &s.View
	head := []ui.UI{ui.B().Body(Name(r.Agent.Name))}
	if r.Agent.Agent != "" {
		head = append(head, ui.Span().Class("tag").Dir("auto").Text(r.Agent.Agent))
	}
	if v.Ended != 0 {
		head = append(head, timestamp(v.Ended))
	}
	over := v.State.Ended() || v.State == run.StateIncomplete
	// While the text grows, its state and Stop stay at the bottom of what is
	// seen of it: what runs away cannot be pressed.
	live := ui.Div().Class("run-live")
	if !over {
		live = live.Body(r.status(s, over))
	}
	var thinking, tools, text, end []ui.UI
	if v.Thinking != "" {
		thinking = append(thinking, r.thinking(v))
	}
	for i := range v.Tools {
		tools = append(tools, &ToolRow{T: v.Tools[i], Over: over})
	}
	if v.Text != "" || v.State == run.StateStreaming {
		text = append(text, r.text(v, answer))
	}
	if problem := r.failure(v); problem != nil {
		end = append(end, problem)
	}
	if over {
		end = append(end, r.status(s, over))
	}
	return ui.Div().Class("msg").Body(
		Face(r.Agent),
		ui.Div().Class("body").Body(
			ui.Div().Class("who").Body(head...),
			slot(thinking...), slot(tools...), slot(text...), slot(r.remarks(v)...), live, slot(end...),
		),
	)
}

// text is the answer. The same component shows it while it grows and after, so
// that nothing flashes at the end.
func (r *Run) text(v *run.View, answer string) ui.UI {
	return ui.Div().Class("run-text").DataSet("run-text", r.ID).Body(&MarkdownStream{
		Text: answer, Caret: v.State == run.StateStreaming && !v.Final,
	})
}

// reveal is as much of the answer as is drawn now. The rest follows.
func (r *Run) reveal(text string) string {
	if !ui.IsClient || len(text)-r.shown <= revealStep {
		r.shown = len(text)
		return text
	}
	r.shown += revealStep
	for !utf8.RuneStart(text[r.shown]) {
		r.shown--
	}
	if r.ctx.Context != nil { // else OnMount goes on
		r.ctx.Defer(func(ui.Context) { r.revealNext() })
	}
	return text[:r.shown]
}

// revealNext draws more of the answer after a while. It is called when what
// there is has been drawn: a time that is over by then would not let the browser
// do anything in between.
func (r *Run) revealNext() {
	if r.frame != nil {
		r.frame.Stop()
	}
	if !r.gone {
		r.frame = time.AfterFunc(revealEvery, r.draw)
	}
}

// thinking is the reasoning, put aside.
func (r *Run) thinking(v *run.View) ui.UI {
	words := []ui.UI{ui.Text("Thought")}
	switch {
	case v.ThinkingEnded == 0 && !v.State.Ended() && v.State != run.StateIncomplete:
		words = []ui.UI{&Ticking{Kind: TickElapsed, At: v.ThinkingStarted, Before: "Thinking for "}}
	case v.ThinkingEnded > 0:
		words = []ui.UI{ui.Text("Thought for " + Lasting(max(v.ThinkingEnded-v.ThinkingStarted, 1)))}
	}
	return ui.Details().Class("tool", "thinking").Body(
		ui.Summary().Body(words...),
		ui.Div().Class("tool-body").DataSet("run-thinking", r.ID).Body(
			&MarkdownStream{Text: r.texts.thinking.marked(v.Thinking, v.ThinkingGaps)}),
	)
}

// texts are the texts of a run with their gaps marked.
type texts struct{ answer, thinking gapped }

// gapMark stands where a piece of a streamed text is missing.
const gapMark = " (…) "

// gapped is a text with marks where pieces are missing.
type gapped struct {
	gaps []int
	from string // the text so far
	text growing
}

// marked puts a mark at each gap. Without gaps the text stays as it is; when
// the text only grew, only what is new is copied.
func (g *gapped) marked(text string, gaps []int) string {
	if len(gaps) == 0 {
		*g = gapped{}
		return text
	}
	if !slices.Equal(g.gaps, gaps) || !strings.HasPrefix(text, g.from) {
		*g = gapped{gaps: gaps}
	}
	var tail strings.Builder
	at := len(g.from)
	for _, gap := range gaps {
		if gap >= at && gap < len(text) {
			tail.WriteString(text[at:gap] + gapMark)
			at = gap
		}
	}
	tail.WriteString(text[at:])
	g.from = text
	return g.text.patch(g.text.b.Len(), tail.String())
}
