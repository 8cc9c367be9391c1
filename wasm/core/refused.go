package core

import (
	"fmt"

	"parley/wasm/room"
	"parley/wasm/store"
)

// refused tells about an act that every relay refused. A message stays in
// sight with "Retry"; what has no place of its own there is taken back, and a
// notice says why.
func (c *Core) refused(e store.Entry, sum store.Summary) {
	kind := e.Event.Kind
	if inTimeline(kind) || kind == 12 || kind == 1111 || isRunKind(kind) {
		return
	}
	c.withdraw(c.ctx, e.ID)
	if kind == room.KindJoin {
		c.mu.Lock()
		if r := c.rooms[roomOf(&e)]; r != nil {
			r.joining = ""
		}
		c.mu.Unlock()
	}
	c.notice("refused", fmt.Sprintf("%s was refused. %s", actName(kind), room.Refusal(sum.Reason)))
}

func actName(kind int) string {
	switch kind {
	case 5, 9005:
		return "The deletion"
	case 7:
		return "Your reaction"
	case 40003:
		return "Your edit"
	case 1984:
		return "Your report"
	case 9007:
		return "Making the room"
	case 9021:
		return "Your request to join"
	case 9022:
		return "Leaving the room"
	case 43005:
		return "The cancel"
	case 0:
		return "Your profile"
	}
	return "What you did"
}
