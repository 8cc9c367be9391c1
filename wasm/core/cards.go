package core

import (
	"context"
	"fmt"

	"github.com/nbd-wtf/go-nostr"

	"parley/wasm/ask"
	"parley/wasm/port"
	"parley/wasm/room"
	"parley/wasm/store"
	"parley/wasm/task"
)

const (
	dismissedBucket = "dismissed" // question ids, for each account
	// CardsPage is how many questions and tasks are asked for on a relay.
	CardsPage = 500
)

// cards is what the account has to do with questions and tasks. The questions
// and tasks themselves are in their rooms' books.
type cards struct {
	asks      map[string]room.Ref // every question's room
	tasks     map[string]room.Ref // every task's room
	own       map[string]string   // question or task -> my act on it that is in the outbox
	fetched   map[string]bool     // what names them was asked for
	dismissed map[string]bool
	contacts  map[string]bool // whom I follow (kind 3)
	contactAt nostr.Timestamp
	loaded    map[string]bool // relays that have said EOSE
}

func newCards() cards {
	return cards{
		asks: map[string]room.Ref{}, tasks: map[string]room.Ref{}, own: map[string]string{}, fetched: map[string]bool{},
		dismissed: map[string]bool{}, contacts: map[string]bool{}, loaded: map[string]bool{},
	}
}

// become forgets what belongs to the account before. Questions and tasks stay:
// they belong to rooms.
func (k *cards) become() {
	clean := newCards()
	clean.asks, clean.tasks, clean.fetched = k.asks, k.tasks, k.fetched
	*k = clean
}

// wants tells whether cards need events of a kind that a room's timeline does
// not show.
func (k *cards) wants(kind int) bool {
	return kind == nostr.KindDeletion || kind >= task.KindAccepted && kind <= task.KindError
}

// foldCards hands an event of a room to its books of questions and tasks. An
// own act that is still on its way counts only once a relay has taken it.
// mu is held.
func (c *Core) foldCards(r *roomState, e *nostr.Event, seen int64) {
	if c.outbox[e.ID] != nil && c.holdOwn(e) {
		return
	}
	for _, id := range r.asks.Add(e, seen) {
		c.cards.asks[id] = r.ref
		c.fetchCard(r, id)
		c.dirtyEvent(id)
	}
	for _, id := range r.tasks.Add(e, seen) {
		c.cards.tasks[id] = r.ref
		c.fetchCard(r, id)
		c.dirtyEvent(id)
	}
}

// holdOwn notes an own act on a question or task that is still on its way.
func (c *Core) holdOwn(e *nostr.Event) bool {
	id := c.cardOf(e)
	if id == "" {
		return false
	}
	if e.PubKey == c.identity.me {
		c.cards.own[id] = e.ID
		c.dirtyEvent(id)
	}
	return true
}

// cardOf is the question that an event answers or the task that it cancels, ""
// for any other event: a comment or an emoji under a card is conversation.
// mu is held.
func (c *Core) cardOf(e *nostr.Event) string {
	for _, name := range []string{"e", "E"} {
		for t := range e.Tags.FindAll(name) {
			if len(t) < 2 {
				continue
			}
			if e.Kind == task.KindCancel && c.taskFold(t[1]) != nil {
				return t[1]
			}
			if f := c.askFold(t[1]); f != nil && f.Request() != nil && f.Request().Answers(e) {
				return t[1]
			}
		}
	}
	return ""
}

// askFold gives a question's fold; nil when it is not here. mu is held.
func (c *Core) askFold(id string) *ask.Fold {
	if r := c.rooms[c.cards.asks[id]]; r != nil {
		return r.asks.Fold(id)
	}
	return nil
}

// taskFold gives a task's fold; nil when it is not here. mu is held.
func (c *Core) taskFold(id string) *task.Fold {
	if r := c.rooms[c.cards.tasks[id]]; r != nil {
		return r.tasks.Fold(id)
	}
	return nil
}

// fetchCard looks once for what belongs to a question or task: here, and on
// its relay. mu is held.
func (c *Core) fetchCard(r *roomState, id string) {
	if c.cards.fetched[id] || c.outbox[id] != nil {
		return
	}
	c.cards.fetched[id] = true
	c.spawn(func() {
		for _, tag := range []string{"e", "E"} {
			records, err := c.Store.Query(c.ctx, store.Query{Room: &store.RoomRef{Relay: r.ref.Relay, ID: r.ref.ID}, Tag: tag, Values: []string{id}})
			if err == nil {
				c.meet(c.ctx, records)
				c.foldRecords(r.ref.Relay, records)
			}
		}
		c.mu.Lock()
		may := c.relays.mayOpen(r.ref.Relay)
		c.mu.Unlock()
		if !may {
			return
		}
		events, _, err := c.pool.Fetch(c.ctx, r.ref.Relay, room.AroundFilters(r.ref, []string{id})...)
		c.takeFetched(c.ctx, r.ref.Relay, events)
		if err != nil {
			c.mu.Lock()
			delete(c.cards.fetched, id) // the next look asks again
			c.mu.Unlock()
		}
	})
}

// unfoldCards takes a withdrawn act off its card. mu is held.
func (c *Core) unfoldCards(e *nostr.Event) {
	for id, own := range c.cards.own {
		if own == e.ID {
			delete(c.cards.own, id)
			c.dirtyEvent(id)
		}
	}
	delete(c.cards.asks, e.ID)
	delete(c.cards.tasks, e.ID)
}

// restoreCards reads the questions and tasks that name the account.
func (c *Core) restoreCards(ctx context.Context) error {
	me := c.me()
	if me == "" {
		return nil
	}
	kept, err := c.Store.List(ctx, dismissedBucket+"/"+me)
	if err != nil {
		return fmt.Errorf("read the dismissed questions: %w", err)
	}
	c.mu.Lock()
	for id := range kept {
		c.cards.dismissed[id] = true
	}
	c.mu.Unlock()
	defer c.holdAll()
	for _, q := range []store.Query{
		{Tag: "p", Values: []string{me}, Kinds: askKinds, Limit: CardsPage},
		{Tag: "p", Values: []string{me}, Kinds: taskKinds, Limit: CardsPage},
		{Authors: []string{me}, Kinds: []int{task.KindRequest}, Limit: CardsPage},
		{Authors: []string{me}, Kinds: []int{nostr.KindFollowList}, Limit: 1},
	} {
		records, err := c.Store.Query(ctx, q)
		if err != nil {
			return fmt.Errorf("read the questions and tasks: %w", err)
		}
		c.meet(ctx, records)
		for _, rec := range records {
			for _, url := range rec.Relays {
				c.foldRecords(url, []store.Record{rec})
			}
		}
	}
	return nil
}

// holdAll notes what is in the outbox of acts on questions and tasks.
func (c *Core) holdAll() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, e := range c.outbox {
		c.holdOwn(eventOf(e))
	}
}

var (
	askKinds  = []int{ask.KindMessage, ask.KindThread, ask.KindReply, ask.KindComment}
	taskKinds = []int{task.KindRequest, task.KindAccepted, task.KindProgress, task.KindResult, task.KindCancel, task.KindError}
)

// foldContacts takes my own follow list (NIP-02). mu is held.
func (c *Core) foldContacts(e *nostr.Event) {
	if e.PubKey != c.identity.me || e.CreatedAt < c.cards.contactAt {
		return
	}
	c.cards.contactAt = e.CreatedAt
	clear(c.cards.contacts)
	for t := range e.Tags.FindAll("p") {
		if len(t) > 1 {
			c.cards.contacts[t[1]] = true
		}
	}
}

// timePasses has the cards that change by time alone looked at.
func (c *Core) timePasses() {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.now()
	for id := range c.cards.asks {
		f := c.askFold(id)
		if f == nil || f.Request() == nil {
			continue
		}
		if past := now - f.Request().Expires; c.cards.own[id] != "" || f.Request().Expires > 0 && past >= 0 && past < Lately {
			c.dirtyEvent(id)
		}
	}
	for id := range c.cards.tasks {
		f := c.taskFold(id)
		if f == nil {
			continue
		}
		if past := now - f.View(now, "").FirstSeen - task.NobodyAfter; c.cards.own[id] != "" || past >= 0 && past < Lately {
			c.dirtyEvent(id)
		}
	}
	c.runsPass(now)
	c.touch()
}

// Lately is for how many seconds after a deadline its card is looked at again.
const Lately = 3

// stranger tells whether a question or task comes from outside my rooms and
// contacts.
func (c *Core) stranger(ref room.Ref, by string) bool {
	if r := c.rooms[ref]; r != nil && r.listed {
		return false
	}
	return by != c.identity.me && !c.cards.contacts[by] && !c.isAgent(by)
}

func (c *Core) roomName(ref room.Ref) string {
	if r := c.rooms[ref]; r != nil {
		return r.fold.Meta().Name
	}
	return ref.ID
}

// people names the keys that stand in a card.
func (c *Core) people(ref room.Ref, keys ...string) port.People {
	who := port.People{}
	for _, key := range keys {
		if key != "" {
			who[key] = c.profiles.Person(key)
		}
	}
	c.want(ref.Relay, keysOfPeople(who))
	return who
}

func keysOfPeople(who port.People) []string {
	keys := make([]string, 0, len(who))
	for k := range who {
		keys = append(keys, k)
	}
	return keys
}

// addCards puts the question or task on its message.
func (c *Core) addCards(item *port.Item) {
	id := item.Message.ID
	if f := c.askFold(id); f != nil {
		v := c.askItem(id, f)
		item.Ask = &v
	}
	if f := c.taskFold(id); f != nil {
		v := c.taskItem(id, f)
		item.Task = &v
	}
}
