package app

import (
	"encoding/json"

	"parley/components"
	"parley/wasm/port"
)

// Names of the watches of a page.
const (
	watchApp  = "app"
	watchMain = "main" // what the route names
	watchSide = "side" // what stands beside it
)

// watchRoute asks for what the route shows.
func (sh *shell) watchRoute() {
	r := sh.s.route
	sh.watches.drop(watchMain)
	sh.watches.drop(watchSide)
	switch r.Page {
	case Room:
		id := sh.watches.keep(watchMain, port.WatchParams{Name: port.RoomName, Room: r.Room, Invite: r.Invite})
		sh.s.main = newTimeline(id)
	case Thread:
		id := sh.watches.keep(watchMain, port.WatchParams{Name: port.ThreadName, Room: r.Room, ID: r.ID})
		sh.s.main = newTimeline(id)
	case Start:
		sh.watches.keep(watchMain, port.WatchParams{Name: port.AsksName, Filter: "open"})
	case Asks:
		filter := r.Filter
		if filter == "" {
			filter = "open"
		}
		sh.watches.keep(watchMain, port.WatchParams{Name: port.AsksName, Filter: filter})
	case Ask:
		sh.watches.keep(watchMain, port.WatchParams{Name: port.AskName, ID: r.ID})
	case Tasks:
		filter := r.Filter
		if filter == "" {
			filter = "all"
		}
		sh.watches.keep(watchMain, port.WatchParams{Name: port.TasksName, Filter: filter})
	case Agent:
		sh.watches.keep(watchMain, port.WatchParams{Name: port.AgentName, Agent: r.NPub})
	case Session:
		id := sh.watches.keep(watchMain, port.WatchParams{Name: port.SessionName, Agent: r.NPub, Session: r.Session})
		sh.s.session = newSession(id, sh.ctx.PreventUpdate)
		sh.watches.keep(watchSide, port.WatchParams{Name: port.AgentName, Agent: r.NPub})
	case Code:
		sh.resolve(r.Code)
	}
}

// take takes one update of the core.
func (sh *shell) take(t port.Topic) {
	var err error
	switch t.Name {
	case port.AppName:
		var v port.AppView
		if err = json.Unmarshal(t.Value, &v); err == nil {
			sh.takeApp(v)
		}
	case port.RoomName, port.ThreadName:
		var v port.Timeline
		if err = json.Unmarshal(t.Value, &v); err == nil && sh.s.main != nil && sh.s.main.watch == t.Watch {
			sh.takeTimeline(v)
		}
	case port.AsksName:
		var v port.AsksView
		if err = json.Unmarshal(t.Value, &v); err == nil {
			sh.takeAsks(v)
		}
	case port.AskName:
		var v port.AskRecord
		err = json.Unmarshal(t.Value, &v)
		sh.s.ask = &v
	case port.TasksName:
		var v port.TasksView
		err = json.Unmarshal(t.Value, &v)
		sh.s.tasks = &v
	case port.AgentName:
		var v port.AgentView
		if err = json.Unmarshal(t.Value, &v); err == nil {
			sh.takeAgent(v)
		}
	case port.SessionName:
		var v port.SessionView
		if err = json.Unmarshal(t.Value, &v); err == nil && sh.s.session != nil && sh.s.session.watch == t.Watch {
			sh.takeSession(v)
		}
		if err == nil {
			return // it has the page drawn when that is needed
		}
	}
	if err != nil {
		sh.say("Parley's core said something that this page does not understand. Reload the page.", true)
	}
	sh.changed()
}

func (sh *shell) takeApp(v port.AppView) {
	v.Extension = hasExtension()
	before := sh.s.app.Me
	sh.s.app, sh.s.known = v, true
	components.LoadPictures = v.Look.Pictures
	sh.forgetAnswered()
	if before != nil && (v.Me == nil || v.Me.Person.PubKey != before.Person.PubKey) {
		sh.s.backup = ""
	}
	sh.callMe()
	sh.setTitle()
}

// forgetAnswered lets a dialog about a relay be shown again once the core has
// taken the answered one away.
func (sh *shell) forgetAnswered() {
	for _, d := range sh.s.app.Dialogs {
		if d.Kind+" "+d.URL == sh.s.answered {
			return
		}
	}
	sh.s.answered = ""
}

// takeTimeline merges an update of the log and sees to it that the reader
// stays where they are.
func (sh *shell) takeTimeline(v port.Timeline) {
	t := sh.s.main
	held, isHeld := anchor{}, false
	if !sh.scroll.follow && !v.Reset {
		held, isHeld = hold()
	}
	sh.callMe()
	if v.Reset {
		v.Draft = sh.unstash(v.DraftKey, v.Draft)
	}
	fresh := t.take(v)
	sh.s.said.hear(fresh)
	if v.Problem == "" {
		sh.s.trouble = ""
	}
	sh.setTitle()
	if v.Reset && t.resets == 1 {
		sh.aimAtOpening()
	}
	sh.mountLog(held, isHeld)
}

// watchFailed says why something cannot be watched.
func (sh *shell) watchFailed(watch string, err *port.Error) {
	if sh.watches.name(watch) == watchMain {
		sh.s.trouble = err.Message
		if sh.s.main != nil {
			sh.s.main.loading = false
		}
		sh.changed()
	}
}

// resolve finds the place that a code names, and goes there.
func (sh *shell) resolve(code string) {
	sh.link.Call(port.Resolve, port.Search{Text: code}, func(value json.RawMessage, err *port.Error) {
		if sh.s.route.Page != Code || sh.s.route.Code != code {
			return
		}
		var place port.Place
		if err == nil && json.Unmarshal(value, &place) == nil && place.Path != "" {
			sh.replace(place.Path)
			return
		}
		sh.s.trouble = "Nothing was found for this code."
		if err != nil {
			sh.s.trouble = err.Message
		}
		sh.changed()
	})
}
