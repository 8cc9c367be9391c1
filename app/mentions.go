package app

import (
	"slices"
	"strings"

	"parley/components"
	"parley/wasm/room"
)

// finder finds whom the composer of a page can name.
type finder struct{ sh *shell }

// Find gives the people and agents of the room that is open whose name, or a
// word of it, begins with a query: whole beginnings first, then members and
// whoever wrote last.
func (f *finder) Find(query string) []components.Candidate {
	list := f.sh.peopleHere()
	known := map[string]bool{}
	for _, c := range list {
		known[c.Person.PubKey] = true
	}
	for _, c := range f.sh.agentsHere() {
		if c.Here && !known[c.Person.PubKey] {
			list = append(list, c)
		}
	}
	return found(list, query)
}

// known changes when somebody can be found who could not be before, or by
// another name. It is asked for at every drawing, so it only counts.
func (f *finder) known() int {
	t := f.sh.s.main
	if t == nil {
		return 0
	}
	named := 0
	for _, item := range t.items {
		if !strings.HasPrefix(item.Message.Author.Name, "npub1") {
			named++
		}
	}
	return named + len(t.items) + t.infos + len(f.sh.s.app.Agents)
}

// found is which of a list a query may mean, the likeliest first.
func found(list []components.Candidate, query string) []components.Candidate {
	query = strings.ToLower(query)
	var ranks [3][]components.Candidate
	for _, c := range list {
		if rank := rankOf(c.Person, query); rank < len(ranks) {
			ranks[rank] = append(ranks[rank], c)
		}
	}
	all := slices.Concat(ranks[:]...)
	return all[:min(len(all), components.MaxFound)]
}

// rankOf says how well a query, in lower case, fits somebody: 0 the beginning
// of the name, 1 of a word in it, 2 of the npub, 3 not at all.
func rankOf(p room.Person, query string) int {
	name := strings.ToLower(p.Name)
	if strings.HasPrefix(name, query) {
		return 0
	}
	for _, word := range strings.Fields(name)[min(1, len(strings.Fields(name))):] {
		if strings.HasPrefix(word, query) {
			return 1
		}
	}
	if len(query) > len("npub1") && strings.HasPrefix(room.NPub(p.PubKey), query) {
		return 2
	}
	return 3
}

// named notes who was meant by a name, for when the words are sent. Of two with
// one name the last one counts that was chosen.
func (w *writing) name(p room.Person) {
	if w.named == nil {
		w.named = map[string]string{}
	}
	w.named[p.Name] = room.NPub(p.PubKey)
}

// readable is what a message says with its people by name, as its author wrote
// it, to be written on.
func (w *writing) readable(text string, links []room.Link) string {
	shown, codes := room.ShowNames(text, links)
	for name, code := range codes {
		if w.named == nil {
			w.named = map[string]string{}
		}
		w.named[name] = code
	}
	return shown
}
