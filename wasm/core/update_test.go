//go:build !js

package core

import (
	"encoding/json"
	"slices"

	"parley/wasm/port"
	"parley/wasm/run"
)

// take puts an update together with what is here, as the page does.
func (p *page) take(topic port.Topic) {
	p.raw[topic.Watch] = topic.Value
	if p.first[topic.Watch] == nil {
		p.first[topic.Watch] = topic.Value
	}
	var err error
	switch topic.Name {
	case port.AppName:
		p.app = port.AppView{}
		err = json.Unmarshal(topic.Value, &p.app)
	case port.RoomName, port.ThreadName:
		s := p.timelines[topic.Watch]
		var news port.Timeline
		if err = json.Unmarshal(topic.Value, &news); err != nil {
			break
		}
		if s == nil || news.Reset {
			s = &shown{items: map[string]port.Item{}}
			p.timelines[topic.Watch] = s
		}
		for _, item := range news.Items {
			s.items[item.Message.ID] = item
		}
		if news.Info != nil {
			s.info = *news.Info
		}
		s.last = news
		for _, id := range news.Order {
			if _, ok := s.items[id]; !ok {
				p.t.Errorf("update of %s names %s and never gave it", topic.Watch, id)
			}
		}
		for id := range s.items {
			if !slices.Contains(news.Order, id) {
				delete(s.items, id)
			}
		}
	case port.SessionName:
		s := p.sessions[topic.Watch]
		var news port.SessionView
		if err = json.Unmarshal(topic.Value, &news); err != nil {
			break
		}
		if s == nil || news.Reset {
			s = &shownSession{runs: map[string]run.View{}}
			p.sessions[topic.Watch] = s
		}
		for _, item := range news.Runs {
			old, view := s.runs[item.View.Prompt], item.View
			if item.From > len(old.Text) || item.ThinkingFrom > len(old.Thinking) {
				p.t.Errorf("run %s goes on from %d, the page has %d", view.Prompt, item.From, len(old.Text))
				continue
			}
			p.largest = max(p.largest, len(view.Text)+len(view.Thinking))
			view.Text = old.Text[:item.From] + view.Text
			view.Thinking = old.Thinking[:item.ThinkingFrom] + view.Thinking
			s.runs[view.Prompt] = view
		}
		s.last = news
	}
	if err != nil {
		p.t.Errorf("update of %s: %v", topic.Watch, err)
	}
}
