// Package agent is Parley's agent runtime: the agent's side of AI sessions, of
// questions in rooms and of long tasks, for one key on any relays. What it
// thinks with is a [brain.Brain].
package agent

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"parley/server/agent/brain"
	"parley/server/agent/tool"
	"parley/wasm/relay"
	"parley/wasm/room"
	"parley/wasm/run"
)

// Relay is a relay that an agent is on.
type Relay struct {
	URL string
	// Via is the address to connect to where it is another one than the
	// public URL, as for a relay on the same machine; "" for the URL itself.
	Via string
	// Upload is where the relay's site takes files (BUD-02), the address
	// before "/upload"; "" for the URL's own host, when that offers it.
	Upload string
}

// Room is a room to watch. Relay is "" for the first one.
type Room struct{ Relay, ID string }

// Config is what an agent is told. Relays, Secret, Dir and Brain are needed.
type Config struct {
	Relays []Relay
	Secret [32]byte
	Dir    string // the folder of its journal; made if need be
	Brain  brain.Brain
	Tools  []tool.Tool // nil: none
	Name   string      // "" is "Agent"
	About  string      // "" is what the brain says

	AllowAll bool
	Allow    []string // public keys, when not AllowAll
	Block    []string // public keys, before Allow
	Rooms    []Room

	Limits Limits
	Logger *slog.Logger // nil: the default one
	Clock  relay.Clock  // nil: the real one
}

// Agent is an agent. New makes it, Run lets it work until its context ends.
type Agent struct {
	config  Config
	limits  Limits
	log     *slog.Logger
	clock   relay.Clock
	keys    run.Keys
	info    run.Info
	began   int64 // when this life began, unix seconds
	reading int64 // from when on rooms are read, unix seconds
	tools   map[string]tool.Tool
	homes   []*home
	pool    *relay.Pool

	journal *journal
	// What an earlier life left behind.
	leftover  []runRecord
	leftTasks []taskRecord
	asked     []entry

	taskSignal, unsureSignal chan struct{} // each holds 1: a task waits
	// work ends when the agent is told to stop, with a cause; talk ends later,
	// once what is under way has been told to everybody.
	work     context.Context
	stopWork context.CancelCauseFunc
	talk     context.Context
	stopTalk context.CancelFunc
	wg       sync.WaitGroup // everything that runs

	ready     chan struct{} // closed once a relay delivers prompts
	readyOnce sync.Once
	done      chan struct{} // closed when Run has returned
	started   bool

	mu        sync.Mutex
	over      bool // nothing begins any more
	policy    run.Policy
	limiter   run.Limiter          // of what one sender asks
	everyone  run.Limiter          // of what all ask together
	names     []string             // what people call it
	refusals  run.Limiter          // of what is said to one who is refused
	told      run.Limiter          // of what is said to all who are
	jobs      map[string]*job      // unfinished runs by prompt
	rooms     map[room.Ref]bool    // those that are read
	talks     map[string]int       // turns in rooms under way, by whom they answer
	questions map[string]*question // those that wait, by id
	duties    []*duty              // tasks, the one at work first
	unsure    []*duty              // tasks that may have ended in an earlier life
	backlog   map[subscription]*backlog
}

// errStopped is why runs end when the agent does.
var errStopped = errors.New("the agent is shutting down")

// New prepares an agent: it checks the configuration and opens the journal. It
// connects to nothing before Run. The caller must Run or Close it.
func New(config Config) (*Agent, error) {
	a := &Agent{
		config: config, limits: config.Limits.withDefaults(), log: config.Logger, clock: config.Clock,
		tools: map[string]tool.Tool{}, ready: make(chan struct{}), done: make(chan struct{}),
		jobs: map[string]*job{}, backlog: map[subscription]*backlog{}, rooms: map[room.Ref]bool{},
		talks: map[string]int{}, questions: map[string]*question{}, taskSignal: make(chan struct{}, 1), unsureSignal: make(chan struct{}, 1),
	}
	if a.log == nil {
		a.log = slog.Default()
	}
	if a.clock == nil {
		a.clock = systemClock{}
	}
	a.names = []string{cmp.Or(config.Name, defaultName)}
	if err := a.prepare(); err != nil {
		return nil, fmt.Errorf("preparing the agent: %w", err)
	}
	return a, nil
}

func (a *Agent) prepare() (err error) {
	if a.config.Brain == nil {
		return errors.New("it has no brain")
	}
	if a.homes, err = newHomes(a.config.Relays); err != nil {
		return err
	}
	if a.keys, err = run.LocalKeys(a.config.Secret, rand.Reader); err != nil {
		return err
	}
	for _, r := range a.config.Rooms {
		if url, err := relay.Normalize(r.Relay); r.ID == "" || r.Relay != "" && (err != nil || a.home(url) == nil) {
			return fmt.Errorf("the room %q on %q is on none of its relays", r.ID, r.Relay)
		}
	}
	for _, t := range a.config.Tools {
		a.tools[t.Name] = t
	}
	a.info = a.buildInfo()
	if a.journal, err = openJournal(a.config.Dir, a.config.Secret, a.now(), a.log); err != nil {
		return err
	}
	a.leftover, a.leftTasks, a.asked = a.journal.unfinished()
	a.policy = run.Policy{
		Agent: a.keys.PubKey, Info: a.info, Started: a.journal.answering(a.now()),
		AllowAll: a.config.AllowAll, Allow: set(a.config.Allow), Block: set(a.config.Block),
		Provider: a.config.Brain.About().Provider,
		MaxTurns: a.limits.MaxTurns, MaxActive: a.limits.MaxActive,
	}
	a.limiter = run.Limiter{Max: a.limits.Prompts, Window: int64(a.limits.Window / time.Second)}
	a.everyone = run.Limiter{Max: a.limits.AllPrompts, Window: a.limiter.Window}
	a.refusals, a.told = a.limiter, a.everyone
	a.began, a.reading = a.now(), a.journal.listening(a.now())
	a.work, a.stopWork = context.WithCancelCause(context.Background())
	a.talk, a.stopTalk = context.WithCancel(context.Background())
	return nil
}

// PubKey is the agent's public key in hex.
func (a *Agent) PubKey() string { return a.keys.PubKey }

// Ready is closed once the agent hears prompts from one of its relays.
func (a *Agent) Ready() <-chan struct{} { return a.ready }

// Run works until ctx ends or Close is called, then ends what is open
// truthfully and returns. Call it once.
func (a *Agent) Run(ctx context.Context) error {
	a.mu.Lock()
	if a.started {
		a.mu.Unlock()
		return errors.New("running the agent: it has run before")
	}
	a.started = true
	a.mu.Unlock()
	defer close(a.done)
	stop := context.AfterFunc(ctx, func() { a.stopWork(errStopped) })
	defer stop()
	a.pool = a.newPool()
	a.listen()
	a.wg.Go(a.resume)
	a.wg.Go(a.keepHeard)
	a.wg.Go(a.runTasks)
	a.wg.Go(a.checkUnsure)
	a.receive()
	return a.finish()
}

// Close ends Run and waits for it. On an agent that never ran it only closes
// the journal.
func (a *Agent) Close() error {
	a.stopWork(errStopped)
	a.mu.Lock()
	started := a.started
	a.started = true
	a.mu.Unlock()
	if started {
		<-a.done
		return nil
	}
	defer close(a.done)
	a.stopTalk()
	return a.journal.close()
}

// receive takes what the relays send until work ends.
func (a *Agent) receive() {
	for {
		batch, err := a.pool.Next(a.work)
		if err != nil {
			return
		}
		a.take(batch)
	}
}

// finish lets open runs tell their end, for a while, and closes everything.
func (a *Agent) finish() error {
	a.log.Info("agent is stopping", "agent", a.keys.PubKey)
	a.stopWork(errStopped)
	a.mu.Lock()
	a.over = true
	a.mu.Unlock()
	quiet := make(chan struct{})
	go func() { // ends when everything has
		a.wg.Wait()
		close(quiet)
	}()
	timer := time.NewTimer(ShutdownWait)
	defer timer.Stop()
	select {
	case <-quiet:
	case <-timer.C:
		a.log.Warn("not everything could be ended in time")
	}
	a.stopTalk()
	<-quiet
	a.pool.Close()
	a.journal.heard(a.now())
	if err := a.journal.close(); err != nil {
		return fmt.Errorf("closing the agent: %w", err)
	}
	return nil
}

func set(keys []string) map[string]bool {
	m := make(map[string]bool, len(keys))
	for _, k := range keys {
		m[k] = true
	}
	return m
}
