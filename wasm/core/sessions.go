package core

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/nbd-wtf/go-nostr"

	"parley/wasm/port"
	"parley/wasm/relay"
	"parley/wasm/room"
	"parley/wasm/run"
	"parley/wasm/store"
)

const (
	agentBucket       = "agents"   // agents that were found or spoken to, for each account
	hiddenBucket      = "hidden"   // runs that the person deleted here
	sessionReadBucket = "sessions" // when a session was last read, by agent and session
	// MaxSessionRuns is how many runs of a session the page gets, the newest.
	MaxSessionRuns = 100
	// SessionsPage is how many stored events of each kind are read at start.
	SessionsPage = 20_000
)

// sessions is every AI session of the account.
type sessions struct {
	list      *run.Sessions
	runs      map[string]*runCard
	infos     map[string]*run.Info // by agent
	agents    map[string]bool      // remembered
	loose     map[string][]run.Loose
	hidden    map[string]bool
	read      map[string]int64
	withdrawn map[string]bool // prompts that never left
	listening map[string]bool // by agent: its answers are subscribed
	loaded    map[string]bool
	secrets   openings
	wraps     map[string][]string // entries in the outbox that hide a message, the agent's first
}

// runCard is one run.
type runCard struct {
	run      *run.Run
	agent    string
	session  string
	deadline int64
	inputs   map[string]bool // ids of its events
}

func newSessions() sessions {
	return sessions{
		list: &run.Sessions{}, runs: map[string]*runCard{}, infos: map[string]*run.Info{}, agents: map[string]bool{},
		loose: map[string][]run.Loose{}, hidden: map[string]bool{}, read: map[string]int64{}, withdrawn: map[string]bool{},
		listening: map[string]bool{}, loaded: map[string]bool{}, secrets: newOpenings(), wraps: map[string][]string{},
	}
}

func isRunKind(kind int) bool {
	return run.IsKind(kind) || kind == run.KindInfo || kind == run.KindWrap || kind == run.KindWrapLive
}

// restoreSessions reads the agents, then the prompts and ends of all runs,
// then what else came of those that have no end.
func (c *Core) restoreSessions(ctx context.Context) error {
	me := c.me()
	if err := c.restoreAgents(ctx, me); err != nil {
		return fmt.Errorf("read the agents: %w", err)
	}
	if me == "" {
		return nil
	}
	durable := []int{run.KindPrompt, run.KindResponse, run.KindError, run.KindCancel}
	for _, q := range []store.Query{
		{Authors: []string{me}, Kinds: durable, Limit: SessionsPage},
		{Tag: "p", Values: []string{me}, Kinds: durable, Limit: SessionsPage},
		{Tag: "p", Values: []string{me}, Kinds: []int{run.KindWrap, run.KindWrapLive}, Limit: SessionsPage},
	} {
		if err := c.readRuns(ctx, q); err != nil {
			return fmt.Errorf("read the sessions: %w", err)
		}
	}
	var open []string
	c.mu.Lock()
	for id, card := range c.sessions.runs {
		if card.run.View(run.At{}).Terminal == "" {
			open = append(open, id)
		}
	}
	c.mu.Unlock()
	if len(open) == 0 {
		return nil
	}
	rest := []int{run.KindStatus, run.KindDelta, run.KindTool}
	return c.readRuns(ctx, store.Query{Tag: "e", Values: open, Kinds: rest, Limit: SessionsPage})
}

func (c *Core) readRuns(ctx context.Context, q store.Query) error {
	records, err := c.Store.Query(ctx, q)
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, rec := range records {
		c.foldRun(rec.Event, rec.Seen, "")
	}
	return nil
}

func (c *Core) restoreAgents(ctx context.Context, me string) error {
	for bucket, take := range map[string]func(key string, value []byte){
		agentBucket + "/" + me:  func(key string, _ []byte) { c.sessions.agents[key] = true },
		hiddenBucket + "/" + me: func(key string, _ []byte) { c.sessions.hidden[key] = true },
		sessionReadBucket + "/" + me: func(key string, value []byte) {
			var at int64
			if json.Unmarshal(value, &at) == nil {
				c.sessions.read[key] = at
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
	keys := c.agentKeys()
	clear(c.sessions.listening)
	c.mu.Unlock()
	for _, key := range keys {
		c.listenTo(key)
	}
}

const (
	aiSub   = "ai "   // before an agent's key
	wrapSub = "wraps" // gift wraps for me
)

func (c *Core) listenTo(agent string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.sessions.listening[agent] {
		return
	}
	c.sessions.listening[agent] = true
	c.profiles.SetAgent(agent, "")
	me := c.identity.me
	filters := []nostr.Filter{run.FilterInfo(agent)}
	if me != "" {
		filters = append(filters, run.FilterAnswers(me, agent), run.FilterRecovery(me, agent))
	}
	for _, url := range c.relays.order {
		if err := c.pool.Subscribe(url, subscription(aiSub+agent, relay.Fixed(filters...))); err != nil {
			delete(c.sessions.listening, agent)
		}
		if me == "" {
			continue
		}
		if err := c.pool.Subscribe(url, subscription(wrapSub, func(since int64) []nostr.Filter {
			return []nostr.Filter{run.FilterWraps(me, since)}
		})); err != nil {
			delete(c.sessions.listening, agent)
		}
		c.want(url, []string{agent})
	}
}

func (c *Core) sessionsEnd(url, sub, _ string) { c.sessions.loaded[url+" "+sub] = true }

// foldRun takes a verified event of an AI session, or a gift wrap. mu is held.
func (c *Core) foldRun(e *nostr.Event, seen int64, _ string) {
	switch {
	case e.Kind == run.KindInfo:
		c.foldInfo(e)
	case e.Kind == run.KindWrap || e.Kind == run.KindWrapLive:
		c.openWrap(e, seen)
	default:
		c.openMessage(run.Input{Event: e, Seen: seen})
	}
}

func (c *Core) foldInfo(e *nostr.Event) {
	info, err := run.ParseInfo(e)
	if err != nil {
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

// foldMessage takes a message, opened or not, into its run and session.
func (c *Core) foldMessage(in run.Input) {
	e := in.Event
	id := run.RunOf(e)
	if e.Kind == run.KindPrompt {
		id = e.ID
	}
	if run.IsLoose(e) {
		c.foldLoose(in)
		return
	}
	if id == "" || c.sessions.hidden[id] {
		return
	}
	client, agent := c.sides(e)
	if client != c.identity.me || agent == "" {
		return
	}
	card := c.sessions.runs[id]
	if card == nil {
		card = &runCard{run: run.New(id, client, agent), agent: agent, inputs: map[string]bool{}}
		c.sessions.runs[id] = card
	}
	card.inputs[e.ID] = true
	card.run.Add(in)
	c.sessions.list.Add(in)
	c.dirtyEvent(id)
}

// sides tells who asks and who answers.
func (c *Core) sides(e *nostr.Event) (client, agent string) {
	p := e.Tags.Find("p")
	if len(p) < 2 {
		return "", ""
	}
	if run.FromAgent(e.Kind) {
		return p[1], e.PubKey
	}
	return e.PubKey, p[1]
}

func (c *Core) foldLoose(in run.Input) {
	if in.Opening != run.Opened {
		return
	}
	loose, err := run.ParseLoose(in.Event, c.identity.me, in.Plain)
	if err != nil {
		return
	}
	list := c.sessions.loose[loose.Agent]
	for _, have := range list {
		if have.Event == loose.Event {
			return
		}
	}
	list = append(list, loose)
	slices.SortFunc(list, func(a, b run.Loose) int { return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(a.Event, b.Event)) })
	c.sessions.loose[loose.Agent] = list
}

// info is what is known of an agent. mu is held.
func (c *Core) info(agent string) run.Info {
	if info := c.sessions.infos[agent]; info != nil {
		return *info
	}
	return run.DefaultInfo(agent)
}

// at is from where runs are looked at.
func (c *Core) at(id, agent string) run.At {
	at := run.At{Now: c.now(), Timeout: c.Site.RunTimeout, Info: c.sessions.infos[agent]}
	switch {
	case c.sessions.withdrawn[id] || c.delivered[id].State == run.DeliveryWithdrawn:
		at.Delivery.State = run.DeliveryWithdrawn
	case c.entryOf(id) != nil:
		d := deliveryOf(*c.entryOf(id))
		at.Delivery = run.Delivery{State: d.State, Reason: d.Reason}
	default:
		if d, ok := c.delivered[id]; ok {
			at.Delivery = run.Delivery{State: d.State, Reason: d.Reason, SentAt: d.At}
		}
	}
	return at
}

// runsPass has the runs looked at that fall silent. mu is held.
func (c *Core) runsPass(now int64) {
	for id, card := range c.sessions.runs {
		if card.deadline != 0 && now >= card.deadline {
			card.deadline = 0
			c.dirtyEvent(id)
		}
	}
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

func sessionKey(agent, session string) string { return agent + " " + session }

func (c *Core) sessionUnread(s run.Session) bool {
	return s.Last > c.sessions.read[sessionKey(s.Agent, s.ID)]
}

// readSession notes that a session was read up to now. mu is held.
func (c *Core) readSession(s run.Session) {
	if !c.sessionUnread(s) {
		return
	}
	key, at, bucket := sessionKey(s.Agent, s.ID), s.Last, sessionReadBucket+"/"+c.identity.me
	c.sessions.read[key] = at
	c.spawn(func() {
		if err := c.keep(c.ctx, bucket, key, at); err != nil && c.ctx.Err() == nil {
			c.notice("storage", err.Error())
		}
	})
}

func (c *Core) markSessionsRead() {
	for _, s := range c.sessions.list.List() {
		c.readSession(s)
	}
}

// beginAgent checks the agent's key and listens to it.
func (c *Core) beginAgent(_ context.Context, w *watch) error {
	key, err := publicKey(w.params.Agent)
	if err != nil {
		return err
	}
	w.params.Agent = key
	c.listenTo(key)
	return nil
}

func (c *Core) beginSession(ctx context.Context, w *watch) error {
	if w.params.Session == "" || len(w.params.Session) > run.MaxSessionBytes {
		return invalid("A session's name has 1 to %d bytes.", run.MaxSessionBytes)
	}
	if err := c.beginAgent(ctx, w); err != nil {
		return err
	}
	c.spawn(func() { c.readSessionRuns(c.ctx, w.params.Agent, w.params.Session) })
	return nil
}

// readSessionRuns reads what restoreSessions leaves out: the tools and the
// thinking of runs that have ended.
func (c *Core) readSessionRuns(ctx context.Context, agent, session string) {
	c.mu.Lock()
	var ids []string
	for _, s := range c.sessions.list.List() {
		if s.Agent == agent && s.ID == session {
			ids = append(ids, s.Runs...)
		}
	}
	c.mu.Unlock()
	if len(ids) == 0 {
		return
	}
	err := c.readRuns(ctx, store.Query{Tag: "e", Values: ids, Kinds: []int{run.KindTool, run.KindDelta, run.KindStatus}, Limit: SessionsPage})
	if err != nil && ctx.Err() == nil {
		c.notice("storage", "A session cannot be read whole: "+err.Error())
	}
	c.touch()
}

// agentView is an agent and my sessions with it. mu is held.
func (c *Core) agentView(w *watch) port.AgentView {
	key := w.params.Agent
	info := c.info(key)
	v := port.AgentView{
		Agent: c.profiles.Person(key), NPub: room.NPub(key), Info: info, HasInfo: info.Named(),
		Relays: slices.Clone(c.relays.order), Sessions: []port.SessionItem{}, Loading: !c.heard(key),
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

func (c *Core) sessionItem(s run.Session) port.SessionItem {
	item := port.SessionItem{Session: s, Agent: c.profiles.Person(s.Agent), Unread: c.sessionUnread(s)}
	item.Session.Runs = nil
	if n := len(s.Runs); n > 0 {
		if card := c.sessions.runs[s.Runs[n-1]]; card != nil {
			item.State = card.run.View(c.at(s.Runs[n-1], s.Agent)).State
		}
	}
	return item
}

// heard tells whether a relay has said all it has of an agent.
func (c *Core) heard(agent string) bool {
	for _, url := range c.relays.order {
		if c.sessions.loaded[url+" "+aiSub+agent] {
			return true
		}
	}
	return false
}

func agentDraft(agent, session string) string { return "agent " + agent + " " + session }

// sessionView is the update of a session's watch; news is true when there are
// runs in it. mu is held.
func (c *Core) sessionView(w *watch) (v port.SessionView, news bool) {
	key := w.params.Agent
	info := c.info(key)
	v = port.SessionView{
		Reset: w.reset, Agent: c.profiles.Person(key), NPub: room.NPub(key), Info: info, HasInfo: info.Named(),
		Session: run.Session{ID: w.params.Session, Agent: key, Client: c.identity.me},
		Order:   []string{}, DraftKey: agentDraft(key, w.params.Session),
	}
	if w.reset {
		w.items, w.tails = nil, map[string]run.Tail{}
		v.Draft = c.drafts[v.DraftKey]
	}
	for _, s := range c.sessions.list.List() {
		if s.Agent == key && s.ID == w.params.Session {
			v.Session = s
			c.readSession(s)
		}
	}
	v.Order = v.Session.Runs
	if n := len(v.Order) - MaxSessionRuns; n > 0 {
		v.Earlier, v.Order = n, v.Order[n:]
	}
	if v.Order == nil {
		v.Order = []string{}
	}
	v.Session.Runs = nil
	v.Loading = len(v.Order) == 0 && !c.heard(key)
	c.sumUp(&v)
	for _, id := range v.Order {
		if _, has := w.items[id]; has && !w.dirty[id] {
			continue
		}
		if item, ok := c.runItem(w, id); ok {
			v.Runs = append(v.Runs, item)
		}
	}
	clear(w.dirty)
	return v, len(v.Runs) > 0
}

// sumUp adds the tokens and the price of a session up.
func (c *Core) sumUp(v *port.SessionView) {
	var usage run.Usage
	for _, id := range v.Order {
		card := c.sessions.runs[id]
		if card == nil {
			continue
		}
		view := card.run.View(run.At{})
		if view.Usage != nil {
			usage.InputTokens += view.Usage.InputTokens
			usage.OutputTokens += view.Usage.OutputTokens
		}
		if d, ok := c.delivered[id]; ok && d.State == port.Sent {
			v.Note = "Your relays keep no history of AI sessions: another device sees only what comes while it is online."
		}
	}
	if usage != (run.Usage{}) {
		v.Usage, v.Cost = &usage, v.Info.Cost(usage)
	}
}

// runItem is a run for the page, with only the new end of its texts where the
// page has their beginning.
func (c *Core) runItem(w *watch, id string) (port.RunItem, bool) {
	card := c.sessions.runs[id]
	if card == nil {
		return port.RunItem{}, false
	}
	view := card.run.View(c.at(id, card.agent))
	card.deadline = view.Deadline
	item := port.RunItem{View: view}
	if e := c.entryOf(id); e != nil {
		d := deliveryOf(*e)
		item.Delivery = &d
	} else if d, ok := c.delivered[id]; ok {
		item.Delivery = &d
	}
	item.CanStop = !view.State.Ended() && view.State != run.StateCancelling
	item.Retry = view.State == run.StateFailed || view.State == run.StateCancelled || view.State == run.StateDone
	if !w.changed(id, item) {
		return item, false
	}
	if prev, ok := w.tails[id]; ok {
		patch := card.run.Since(prev)
		item.From, item.View.Text = patch.Keep, patch.Text
		item.ThinkingFrom, item.View.Thinking = patch.KeepThinking, patch.Thinking
	}
	w.tails[id] = card.run.Tail()
	return item, true
}
