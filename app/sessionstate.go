package app

import (
	"reflect"
	"slices"

	"parley/components"
	"parley/wasm/port"
	"parley/wasm/run"
)

// sessionState is an AI session as the page shows it. Its runs are in feeds,
// each of which draws itself, so that a streamed answer does not draw the page.
type sessionState struct {
	watch string
	head  port.SessionView // the newest update without its runs
	feeds map[string]*components.RunFeed
	alone func() // for the feeds
	known bool   // an update has come
}

func newSession(watch string, alone func()) *sessionState {
	return &sessionState{watch: watch, feeds: map[string]*components.RunFeed{}, alone: alone}
}

// take merges an update. It reports whether anything but runs that are shown
// already has changed.
func (s *sessionState) take(v port.SessionView) (outside bool) {
	before := s.feeds
	if v.Reset {
		s.feeds = map[string]*components.RunFeed{}
		outside = true
	} else {
		v.Draft = s.head.Draft
	}
	for i := range v.Runs {
		item := &v.Runs[i]
		id := item.View.Prompt
		feed := s.feeds[id]
		if feed == nil {
			outside = true
			if feed = before[id]; feed == nil { // else a new core tells anew of what is on screen
				feed = &components.RunFeed{Alone: s.alone}
			}
			s.feeds[id] = feed
		}
		feed.Take(components.RunShown{
			View: item.View, Delivery: deliveryOf(item.Delivery), CanStop: item.CanStop, Retry: item.Retry, Decrypt: item.Decrypt,
		}, item.From, item.ThinkingFrom)
	}
	v.Runs = nil
	v.Reset = false
	v.Session.Last = 0 // moves with every piece, and is not shown
	outside = outside || !s.known || !reflect.DeepEqual(v, s.head)
	s.head, s.known = v, true
	return outside
}

// shown is a run as it stands, nil when it is not here.
func (s *sessionState) shown(id string) *components.RunShown {
	if s == nil || s.feeds[id] == nil {
		return nil
	}
	return s.feeds[id].Shown()
}

// choice is how the newest prompt was to be answered: the next one is likely
// to be meant alike.
func (s *sessionState) choice() (c components.PromptChoice, ok bool) {
	for i := len(s.head.Order) - 1; i >= 0; i-- {
		if r := s.shown(s.head.Order[i]); r != nil && r.View.HasPrompt {
			return components.PromptChoice{Model: r.View.Model, Thinking: r.View.ThinkingMode, Hide: r.View.Wrapped}, true
		}
	}
	return c, false
}

// prompting is what the page remembers about how agents are to be asked.
type prompting struct {
	choices map[string]components.PromptChoice // by session's path
	meter   components.Meter
	asked   []string // questions that a signer outside has in hand
	find    string   // what was searched for
	finds   []port.Hit
	seek    string // the run to be shown once it is here
}

// at is the choice at a place, with what the session suggests where nothing
// was chosen here.
func (p *prompting) at(place string, s *sessionState, info *run.Info) components.PromptChoice {
	c, chosen := p.choices[place]
	if !chosen && s != nil {
		c, _ = s.choice()
	}
	return offered(c, info)
}

// offered drops what the agent does not offer any more.
func offered(c components.PromptChoice, info *run.Info) components.PromptChoice {
	if !info.Named() {
		return components.PromptChoice{Hide: c.Hide && info.SupportsNIP59}
	}
	known := false
	for _, model := range info.SupportedModels {
		known = known || model == c.Model
	}
	if !known {
		c.Model = ""
	}
	c.Hide = c.Hide && info.SupportsNIP59
	return c
}

// asking notes a question that a signer outside has in hand: until it answers
// there is no run yet to show. The function it gives ends that.
func (p *prompting) asking(text string) (answered func()) {
	p.asked = append(p.asked, text)
	return func() {
		if i := slices.Index(p.asked, text); i >= 0 {
			p.asked = slices.Delete(p.asked, i, i+1)
		}
	}
}

func (p *prompting) set(place string, c components.PromptChoice) {
	if p.choices == nil {
		p.choices = map[string]components.PromptChoice{}
	}
	p.choices[place] = c
}
