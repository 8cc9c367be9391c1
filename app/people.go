package app

import (
	"parley/components"
	"parley/wasm/room"
)

// peopleHere is who can be asked in the room that is open: its members, and
// who has written what is loaded.
func (sh *shell) peopleHere() []components.Candidate {
	t := sh.s.main
	if t == nil || t.info == nil {
		return nil
	}
	var list []components.Candidate
	known := map[string]bool{sh.me(): true}
	add := func(p room.Person, here bool) {
		if p.PubKey != "" && !known[p.PubKey] {
			known[p.PubKey] = true
			list = append(list, components.Candidate{Person: p, Here: here})
		}
	}
	for _, m := range t.info.Meta.Members {
		add(m.Person, true)
	}
	for _, who := range t.authors() {
		add(who, false)
	}
	return list
}

// agentsHere is which agents can be asked for a task: those of the room first.
func (sh *shell) agentsHere() []components.Candidate {
	t := sh.s.main
	if t == nil || t.info == nil {
		return nil
	}
	people := map[string]room.Person{}
	for _, c := range sh.peopleHere() {
		people[c.Person.PubKey] = c.Person
	}
	for _, a := range sh.s.app.Agents {
		people[a.Person.PubKey] = a.Person
	}
	var list []components.Candidate
	known := map[string]bool{sh.me(): true}
	add := func(key string, here bool) {
		if person, ok := people[key]; ok && !known[key] {
			known[key] = true
			list = append(list, components.Candidate{Person: person, Here: here})
		}
	}
	for _, key := range t.info.Agents {
		add(key, true)
	}
	for _, c := range sh.peopleHere() {
		if c.Person.Agent != "" {
			add(c.Person.PubKey, true)
		}
	}
	for _, a := range sh.s.app.Agents {
		add(a.Person.PubKey, false)
	}
	return list
}

// composerTools are the buttons of the composer beside "Send".
func (sh *shell) composerTools(t *timeline) []components.Tool {
	var tools []components.Tool
	if t.info != nil && t.info.Upload {
		tools = append(tools, components.Tool{Icon: "attach", Label: "Attach", Action: components.DoAttach})
	}
	return append(tools,
		components.Tool{Icon: "ask", Label: "Ask a question", Action: components.DoAskOpen},
		components.Tool{Icon: "task", Label: "Ask for a task", Action: components.DoTaskOpen},
	)
}
