package core

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/nbd-wtf/go-nostr"

	"parley/wasm/run"
	"parley/wasm/store"
)

const (
	agentBucket       = "agents"   // agents that were found or spoken to, for each account
	hiddenBucket      = "hidden"   // runs that the person deleted here
	sessionReadBucket = "sessions" // when a session was last read, by agent and session
	// MaxLoose is how many messages of an agent that answer nothing are here, the
	// newest; the store has the others.
	MaxLoose = 200
	// MaxSessionRuns is how many runs of a session the page gets, the newest.
	MaxSessionRuns = 100
	// SessionsPage is how many stored events of each kind are read at start.
	SessionsPage = 20_000
	// RunsAtOnce is how many of them are decrypted and folded in one go.
	RunsAtOnce = 64
	wrapBucket = "wraps" // the entries that hide a message that waits, by its id, for each account
)

// sessions is every AI session of the account.
type sessions struct {
	list      *run.Sessions
	runs      map[string]*runCard
	infos     map[string]*run.Info // by agent
	agents    map[string]bool      // remembered
	loose     map[string][]run.Loose
	hidden    map[string]bool
	read      map[string]readMark
	withdrawn map[string]bool // prompts that never left
	heard     []string        // agents to be heard live, the most important first
	loaded    map[string]bool // by relay and agent: what there was of it is here
	secrets   openings
	wrapsOf   map[string][]string // gift wraps that a message came in
	wraps     map[string][]string // entries in the outbox that hide a message, the agent's first
}

// readMark is up to where a session was read. An answer may end within the
// second in which the reader left: the ends are counted, too.
type readMark struct {
	At   int64 `json:"at"`   // run.Session.Last
	Ends int   `json:"ends"` // run.Session.Ends
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
		loose: map[string][]run.Loose{}, hidden: map[string]bool{}, read: map[string]readMark{}, withdrawn: map[string]bool{},
		loaded: map[string]bool{}, secrets: newOpenings(), wraps: map[string][]string{}, wrapsOf: map[string][]string{},
	}
}

func isRunKind(kind int) bool {
	return run.IsKind(kind) || kind == run.KindInfo || kind == run.KindWrap || kind == run.KindWrapLive
}

// restoreSessions reads the agents, then the prompts and ends of all runs,
// then what else came of those that have no end, and what waits to be sent.
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
	if err := c.restoreWaiting(ctx, me); err != nil {
		return fmt.Errorf("read the prompts that wait: %w", err)
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

// restoreWaiting folds the account's messages that are in the outbox.
func (c *Core) restoreWaiting(ctx context.Context, me string) error {
	kept, err := c.Store.List(ctx, wrapBucket+"/"+me)
	if err != nil {
		return err
	}
	c.mu.Lock()
	var over []string
	for rumour, text := range kept {
		var ids []string
		if json.Unmarshal(text, &ids) == nil && len(ids) > 0 && c.outbox[ids[0]] != nil {
			c.sessions.wraps[rumour] = ids
		} else {
			over = append(over, rumour)
		}
	}
	for _, entry := range c.outbox {
		e := eventOf(entry)
		if !isRunKind(e.Kind) || e.PubKey != me && e.Kind != run.KindWrap && e.Kind != run.KindWrapLive {
			continue
		}
		c.foldRun(e, entry.CreatedAt, "")
	}
	c.mu.Unlock()
	for _, rumour := range over {
		if err := c.Store.Remove(ctx, wrapBucket+"/"+me, rumour); err != nil {
			return err
		}
	}
	return nil
}

// readRuns folds stored messages, and lets others work in between: decrypting
// many takes long.
func (c *Core) readRuns(ctx context.Context, q store.Query) error {
	records, err := c.Store.Query(ctx, q)
	if err != nil {
		return err
	}
	for some := range slices.Chunk(records, RunsAtOnce) {
		c.mu.Lock()
		for _, rec := range some {
			c.foldRun(rec.Event, rec.Seen, "")
		}
		c.mu.Unlock()
		if len(some) == RunsAtOnce {
			breathe(ctx)
		}
	}
	return nil
}

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
	c.sessions.loose[loose.Agent] = list[max(0, len(list)-MaxLoose):]
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
