package app

// asked is what the page remembers about the list of questions.
type asked struct {
	put  string          // the one that was put away last, to be brought back
	mine map[string]bool // those that were answered here
	rows []string        // the order on the page, "" where one was
}

// answered notes that a question was answered here.
func (a *asked) answered(id string) {
	if a.mine == nil {
		a.mine = map[string]bool{}
	}
	a.mine[id] = true
}

// arrange puts the rows of a list in order. While somebody writes in one of
// them every row holds its place, since go-app knows rows by their place:
// one that is gone leaves an empty place, a new one comes last.
func arrange(rows, order []string, writing bool) []string {
	if !writing {
		return order
	}
	there := map[string]bool{}
	for _, id := range order {
		there[id] = true
	}
	next := make([]string, 0, len(rows)+1)
	placed := map[string]bool{}
	for _, id := range rows {
		if !there[id] {
			id = ""
		}
		placed[id] = true
		next = append(next, id)
	}
	for _, id := range order {
		if !placed[id] {
			next = append(next, id)
		}
	}
	return next
}
