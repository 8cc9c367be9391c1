package core

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"

	"github.com/nbd-wtf/go-nostr"

	"parley/wasm/port"
	"parley/wasm/room"
	"parley/wasm/run"
	"parley/wasm/store"
)

func (c *Core) restoreAgents(ctx context.Context, me string) error {
	for bucket, take := range map[string]func(key string, value []byte){
		agentBucket + "/" + me:  func(key string, _ []byte) { c.sessions.agents[key] = true },
		hiddenBucket + "/" + me: func(key string, _ []byte) { c.sessions.hidden[key] = true },
		sessionReadBucket + "/" + me: func(key string, value []byte) {
			var mark readMark
			if json.Unmarshal(value, &mark) == nil {
				c.sessions.read[key] = mark
			}
		},
		deliveryBucket: func(key string, value []byte) {
			var d port.Delivery
			if json.Unmarshal(value, &d) == nil {
				c.delivered[key] = d
			}
		},
	} {
		kept, err := c.Store.List(ctx, bucket)
		if err != nil {
			return err
		}
		c.mu.Lock()
		for key, value := range kept {
			take(key, value)
		}
		c.mu.Unlock()
	}
	c.mu.Lock()
	over := c.overDelivered()
	c.mu.Unlock()
	c.forgetDelivered(ctx, over)
	records, err := c.Store.Query(ctx, store.Query{Kinds: []int{run.KindInfo}})
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, rec := range records {
		c.foldInfo(rec.Event)
	}
	return nil
}

// siteAgents are the agents that the site names. mu is held.
func (c *Core) siteAgents() []string {
	var keys []string
	for _, text := range c.Site.Agents {
		if key, err := publicKey(text); err == nil {
			keys = append(keys, key)
		}
	}
	return keys
}

// isAgent tells whether a key is known to be an agent's. mu is held.
func (c *Core) isAgent(key string) bool {
	return c.sessions.infos[key] != nil || c.sessions.agents[key] || slices.Contains(c.siteAgents(), key) || c.profiles.Person(key).Agent != ""
}

// agentKeys is every agent to show. mu is held.
func (c *Core) agentKeys() []string {
	keys := c.siteAgents()
	for key := range c.sessions.agents {
		keys = append(keys, key)
	}
	for _, s := range c.sessions.list.List() {
		if s.Agent != "" {
			keys = append(keys, s.Agent)
		}
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}

// openSessions listens for every agent's answers and info on every relay of
// mine: before any prompt is sent, since most relays keep nothing of these
// kinds.
func (c *Core) openSessions() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, key := range c.agentKeys() {
		c.listenTo(key)
	}
}

// listenTo hears an agent live; it goes before those that were heard so far,
// of which there are more than MaxAgents with some people. mu is held.
func (c *Core) listenTo(agent string) {
	if i := slices.Index(c.sessions.heard, agent); i >= 0 && i < MaxAgents {
		return
	}
	c.sessions.heard = slices.DeleteFunc(c.sessions.heard, func(key string) bool { return key == agent })
	c.sessions.heard = slices.Insert(c.sessions.heard, 0, agent)
	c.profiles.SetAgent(agent, "")
	for _, url := range c.relays.order {
		c.replan(url)
		c.want(url, []string{agent})
	}
}

func (c *Core) foldInfo(e *nostr.Event) {
	info, err := run.ParseInfo(e)
	var fault *run.Fault
	if err != nil && !(errors.As(err, &fault) && fault.Code == run.UnsupportedEncryption) {
		return
	}
	if old := c.sessions.infos[e.PubKey]; old == nil || info.Newer(old) {
		c.sessions.infos[e.PubKey] = &info
		c.profiles.SetAgent(e.PubKey, "")
		for id, card := range c.sessions.runs {
			if card.agent == e.PubKey {
				c.dirtyEvent(id)
			}
		}
	}
}

// info is what is known of an agent. mu is held.
func (c *Core) info(agent string) run.Info {
	if info := c.sessions.infos[agent]; info != nil {
		return *info
	}
	return run.DefaultInfo(agent)
}

// agentItems is the list of agents, the one last spoken to first. mu is held.
func (c *Core) agentItems() []port.AgentItem {
	items := []port.AgentItem{}
	newest := map[string]run.Session{}
	unread := map[string]int{}
	for _, s := range c.sessions.list.List() {
		if old, ok := newest[s.Agent]; !ok || s.Last > old.Last {
			newest[s.Agent] = s
		}
		if c.sessionUnread(s) {
			unread[s.Agent]++
		}
	}
	for _, key := range c.agentKeys() {
		item := port.AgentItem{Person: c.profiles.Person(key), NPub: room.NPub(key), Unread: unread[key]}
		if s, ok := newest[key]; ok && len(s.Runs) > 0 {
			item.Last, item.At = s.Title, s.Last
			id := s.Runs[len(s.Runs)-1]
			if card := c.sessions.runs[id]; card != nil {
				view := card.run.View(c.at(id, key))
				item.Busy = !view.State.Ended() && view.State != run.StateIncomplete
			}
		}
		items = append(items, item)
	}
	slices.SortFunc(items, func(a, b port.AgentItem) int {
		return cmp.Or(cmp.Compare(b.At, a.At), cmp.Compare(a.Person.Name, b.Person.Name), cmp.Compare(a.NPub, b.NPub))
	})
	return items
}

// beginAgent checks the agent's key and listens to it.
func (c *Core) beginAgent(_ context.Context, w *watch) error {
	key, err := publicKey(w.params.Agent)
	if err != nil {
		return err
	}
	w.params.Agent = key
	c.mu.Lock()
	defer c.mu.Unlock()
	c.listenTo(key)
	return nil
}

// agentView is an agent and my sessions with it. mu is held.
func (c *Core) agentView(w *watch) port.AgentView {
	key := w.params.Agent
	info := c.info(key)
	v := port.AgentView{
		Agent: c.profiles.Person(key), NPub: room.NPub(key), Info: info, HasInfo: info.Named(),
		Relays: slices.Clone(c.relays.order), Sessions: []port.SessionItem{}, Loading: !c.heard(key), Decrypt: c.sessions.secrets.paused,
		DraftKey: agentDraft(key, ""), Draft: c.drafts[agentDraft(key, "")],
	}
	for _, s := range c.sessions.list.List() {
		if s.Agent != key {
			continue
		}
		v.Sessions = append(v.Sessions, c.sessionItem(s))
	}
	for _, l := range c.sessions.loose[key] {
		v.Others = append(v.Others, port.OtherMessage{ID: l.Event, At: l.At, Text: l.Text})
	}
	return v
}

// heard tells whether a relay has said all it has of an agent.
func (c *Core) heard(agent string) bool {
	for _, url := range c.relays.order {
		if c.sessions.loaded[agentAt(url, agent)] {
			return true
		}
	}
	return false
}

func agentDraft(agent, session string) string { return "agent " + agent + " " + session }
