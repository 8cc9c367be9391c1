// Package core is the protocol core of Parley: it holds the connections, the
// store, the outbox and the folds, and tells the page what changed. In the
// browser it runs in a worker; nothing in it needs a browser.
//
// Data goes one way round: a relay's event is verified, stored, folded and
// told to the page as a view; a call from the page becomes an event, is
// signed, goes to the outbox and from there to its relays.
package core

import (
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"sync"
	"time"

	"parley/wasm/port"
	"parley/wasm/relay"
	"parley/wasm/room"
	"parley/wasm/signer"
	"parley/wasm/store"
)

// Site is what the server says about itself in /config.json.
type Site struct {
	Relays     []string `json:"relays"` // URLs of relays, in the site's order; the first is the default
	Rooms      []string `json:"rooms"`  // ids of rooms on the default relay
	Agents     []string `json:"agents"` // npub or hex
	Upload     string   `json:"-"`      // URL of the Blossom endpoint, "" for none
	PushKey    string   `json:"push_key"`
	Build      string   `json:"build"`
	RunTimeout int64    `json:"run_timeout"` // seconds
}

// DefaultRunTimeout is the silence, in seconds, after which a run is
// incomplete, where the site does not say.
const DefaultRunTimeout = 120

// Config is what a core needs from outside. Store, Post and Wrapper must be
// set; the zero value of the others is the real thing.
type Config struct {
	Store   store.Store
	Post    func(port.Envelope) // to the page; must not block
	Wrapper signer.Wrapper      // seals keys that have no passphrase
	Secure  bool                // Wrapper works here (not on plain http)
	Site    Site
	Build   string
	Dial    relay.Dialer
	Now     func() time.Time
	Rand    io.Reader
	Fetch   Fetcher // HTTP, for NIP-05 names and uploads
	Ready   func()  // called once, when calls can be taken
}

// Core is one running core. All its state is under mu; what waits (storage,
// signing, the network) is done without it.
type Core struct {
	Config
	ctx  context.Context // ends with the core
	end  context.CancelFunc
	pool *relay.Pool
	life life

	switching sync.Mutex // one change of identity at a time; never taken under mu
	writing   sync.Mutex // one write to the store's outbox at a time; never taken under mu

	mu        sync.Mutex
	watches   map[string]*watch // by tab and the page's id
	stale     chan struct{}     // cap 1: some watch has to be looked at
	kick      chan struct{}     // cap 1: the outbox has to be looked at
	answers   map[int64]request
	nextID    int64
	strange   map[string]bool          // tabs of another build
	turns     map[string]chan struct{} // by tab: closed when its newest call lets the next one begin
	identity  identity
	rooms     map[room.Ref]*roomState
	born      int                    // rooms that were made
	passing   int                    // rooms made since some were let go of
	saved     map[room.Ref]savedRoom // what is kept of rooms, open or not
	leaks     bool                   // something that arrived could not be kept
	profiles  *room.Profiles
	wanted    map[string]wantedProfile // public keys whose kind 0 is to be asked for
	wantNow   chan struct{}
	outbox    map[string]*store.Entry
	sending   map[string]bool          // relays that an outbox sender works for
	delivered map[string]port.Delivery // own events that left the outbox in this session
	bad       map[string]int           // events that did not verify, by relay
	order     int64
	relays    relayList
	live      map[string]*liveRelay // what is heard, by relay
	planned   map[string]bool       // relays of which something else is to be heard
	planNow   chan struct{}         // cap 1
	asked     int                   // live subscriptions so far, for their names
	cards     cards
	sessions  sessions
	notices   []port.Notice
	blocked   map[string]bool
	look      port.Look
	known     *seenIDs
	drafts    map[string]string
	relayKeys map[string]string // of relays that were asked, "" for none
	unkept    map[smallValue]any
	keeping   bool // keepAll runs
}

// New makes a core that does nothing until Run.
func New(cfg Config) *Core {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Rand == nil {
		cfg.Rand = rand.Reader
	}
	if cfg.Site.RunTimeout <= 0 {
		cfg.Site.RunTimeout = DefaultRunTimeout
	}
	ctx, end := context.WithCancel(context.Background())
	return &Core{
		Config:    cfg,
		ctx:       ctx,
		end:       end,
		watches:   map[string]*watch{},
		stale:     make(chan struct{}, 1),
		kick:      make(chan struct{}, 1),
		wantNow:   make(chan struct{}, 1),
		answers:   map[int64]request{},
		strange:   map[string]bool{},
		turns:     map[string]chan struct{}{},
		rooms:     map[room.Ref]*roomState{},
		saved:     map[room.Ref]savedRoom{},
		profiles:  room.NewProfiles(),
		wanted:    map[string]wantedProfile{},
		outbox:    map[string]*store.Entry{},
		sending:   map[string]bool{},
		delivered: map[string]port.Delivery{},
		bad:       map[string]int{},
		blocked:   map[string]bool{},
		known:     newSeenIDs(MaxKnown),
		drafts:    map[string]string{},
		relayKeys: map[string]string{},
		unkept:    map[smallValue]any{},
		live:      map[string]*liveRelay{},
		planned:   map[string]bool{},
		planNow:   make(chan struct{}, 1),
		cards:     newCards(),
		sessions:  newSessions(),
	}
}

// Run reads the store, connects and works until ctx ends. It is called once.
// The error says what could not be read; a store that fails later does not end
// the core.
func (c *Core) Run(ctx context.Context) error {
	defer context.AfterFunc(ctx, c.end)()
	c.pool = relay.NewPool(relay.Options{
		Policy: c.authPolicy, Ask: c.askAuth, Auth: c.makeAuth, Dial: c.Dial,
	})
	c.life.begin()
	defer func() {
		c.end()
		c.pool.Close()
		c.life.finish()
		c.closeRemotes()
	}()
	if err := c.restore(c.ctx); err != nil {
		return fmt.Errorf("start the core: %w", err)
	}
	for _, loop := range []func(context.Context){c.receive, c.deliver, c.tell, c.tick, c.askProfiles, c.planLive} {
		c.spawn(func() { loop(c.ctx) })
	}
	c.spawn(func() { c.retargetAll(c.ctx) })
	c.connectAll()
	c.wakeRemote()
	if c.Ready != nil {
		c.Ready()
	}
	<-c.ctx.Done()
	return nil
}

// spawn runs f as a goroutine that Run waits for. It is false when the core
// does not run, and f is not called.
func (c *Core) spawn(f func()) bool { return c.life.spawn(f) }

func (c *Core) now() int64 { return c.Now().Unix() }

// touch has the page told what changed. Call it after every change.
func (c *Core) touch() { poke(c.stale) }

func poke(signal chan struct{}) {
	select {
	case signal <- struct{}{}:
	default:
	}
}

// notice tells the person something once; Code names what it is about.
func (c *Core) notice(code, text string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.setNotice(code, text)
}

// setNotice is notice for those who hold mu. An empty text takes it away.
func (c *Core) setNotice(code, text string) {
	kept := c.notices[:0]
	for _, n := range c.notices {
		if n.Code != code {
			kept = append(kept, n)
		}
	}
	c.notices = kept
	if text != "" {
		c.notices = append(c.notices, port.Notice{Code: code, Text: text})
	}
	c.touch()
}

// restore reads what an earlier run has left.
func (c *Core) restore(ctx context.Context) error {
	for _, read := range []func(context.Context) error{
		c.restoreLook, c.restoreRelays, c.restoreIdentity, c.restoreOutbox, c.restoreRooms, c.restoreBlocked, c.restoreDrafts, c.forgetReplies, c.restoreCards, c.restoreSessions,
	} {
		if err := read(ctx); err != nil {
			return err
		}
	}
	return nil
}

// tick looks once a second at what changes by time alone: deadlines of
// questions, silent runs, tasks that nobody takes, a store that gave up. It
// also gives the tabs that share this core their sign of life.
func (c *Core) tick(ctx context.Context) {
	every := time.NewTicker(time.Second)
	defer every.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-every.C:
			if ok, why := c.Store.Durable(); !ok {
				c.StoreFailed(why)
			}
			c.timePasses()
			c.askAgain()
			c.Post(port.Envelope{Type: port.Hello, Build: c.Build})
		}
	}
}

// StoreFailed tells the person that nothing more is kept, in the words of
// [store.Store.Durable]. It may be called from any goroutine; why is told once,
// beside what else there is to say about storage.
func (c *Core) StoreFailed(why string) { c.noticeOnce("durable", why) }

// noticeOnce is notice, unless one with this code stands already or was put
// away by the person.
func (c *Core) noticeOnce(code, text string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, n := range c.notices {
		if n.Code == code {
			return
		}
	}
	c.setNotice(code, text)
}
