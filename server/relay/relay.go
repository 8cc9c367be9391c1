// Package relay is Parley's embedded relay: small groups on one machine. It is
// durable, never shows a room to who may not read it, and one slow or hostile
// client costs the others nothing.
//
// NIPs 1, 9, 11, 29, 40, 42, 45, 59 and 70.
package relay

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/nbd-wtf/go-nostr"

	"parley/server/relay/store"
)

// Config is what a relay is told.
type Config struct {
	// Dir is the folder of the database and of the relay's key.
	Dir string
	// URL is the public WebSocket address. AUTH counts for exactly this one.
	URL string
	// Name is said in the NIP-11 document.
	Name string
	// Admins are public keys (hex) of those who look after the lobby.
	Admins []string
	Limits Limits
	// Rules are asked before an event is saved, besides those for questions
	// and tasks.
	Rules  []Rule
	Logger *slog.Logger     // nil: the default one
	Clock  func() time.Time // nil: time.Now
}

// Relay is an open relay, an http.Handler for its one path.
type Relay struct {
	config Config
	log    *slog.Logger
	url    address
	store  *store.Store
	key    identity
	rules  []Rule
	rooms  *rooms
	seen   *recent // ephemeral events passed on
	gates  *gates
	turns  *turns

	mu     sync.RWMutex
	conns  map[*conn]struct{}
	closed bool

	running sync.WaitGroup // connections and the sweeper
	stop    chan struct{}  // closed by Close
}

// Open opens the relay's folder, making the relay's key and the lobby when it
// is new. The caller must Close it.
func Open(config Config) (*Relay, error) {
	if config.Logger == nil {
		config.Logger = slog.Default()
	}
	if config.Clock == nil {
		config.Clock = time.Now
	}
	config.Limits = config.Limits.withDefaults()
	url, err := parseAddress(config.URL)
	if err != nil {
		return nil, fmt.Errorf("opening the relay: its URL: %w", err)
	}
	s, err := store.Open(config.Dir)
	if err != nil {
		return nil, fmt.Errorf("opening the relay: %w", err)
	}
	r := &Relay{
		config: config, log: config.Logger, url: url, store: s,
		rules: append([]Rule{questionRule, taskRule}, config.Rules...),
		seen:  newRecent(maxRecent), gates: newGates(config.Limits, config.Clock), turns: newTurns(),
		conns: map[*conn]struct{}{}, stop: make(chan struct{}),
	}
	if err := r.start(); err != nil {
		return nil, errors.Join(fmt.Errorf("opening the relay: %w", err), s.Close())
	}
	return r, nil
}

func (r *Relay) start() (err error) {
	if r.key, err = openIdentity(r.config.Dir); err != nil {
		return err
	}
	if err := r.openRooms(); err != nil {
		return err
	}
	r.running.Add(1)
	go r.sweep() // ended by Close
	return nil
}

// now is our own clock in unix seconds.
func (r *Relay) now() int64 { return r.config.Clock().Unix() }

// PubKey is the relay's own public key, the one that signs what it says of
// rooms (`self` in NIP-11).
func (r *Relay) PubKey() string { return r.key.public }

// Publish takes an event as if its author had sent it over an authenticated
// connection, and returns once it is kept and passed on. An error is the
// refusal, in the words and with the prefix of an OK message; an event that is
// here already is no error.
func (r *Relay) Publish(ctx context.Context, ev *nostr.Event) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	copied := *ev
	batch := []pending{{ev: &copied, keys: keyring{ev.PubKey}, own: true}}
	r.accept(batch)
	_, err := r.finish(batch[0])
	return err
}

// Close says goodbye to all clients, waits for what is under way until ctx
// ends, and closes the database. Call it once.
func (r *Relay) Close(ctx context.Context) error {
	r.mu.Lock()
	r.closed = true
	for c := range r.conns {
		c.out.goodbye(closeGoingAway, "the relay is shutting down")
	}
	r.mu.Unlock()
	close(r.stop)
	done := make(chan struct{})
	go func() { // ends when the connections have
		r.running.Wait()
		close(done)
	}()
	select {
	case <-done:
	case <-ctx.Done():
		r.mu.RLock()
		for c := range r.conns {
			c.out.kill()
		}
		r.mu.RUnlock()
		<-done
	}
	if err := r.store.Close(); err != nil {
		return fmt.Errorf("closing the relay: %w", err)
	}
	return nil
}

// sweep removes what has expired, now and then, until Close.
func (r *Relay) sweep() {
	defer r.running.Done()
	tick := time.NewTicker(SweepEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			r.expire()
			r.gates.sweep()
		case <-r.stop:
			return
		}
	}
}

// expireAtOnce is how many events one commit removes, so that the writer is
// never busy with it for long.
const expireAtOnce = 200

func (r *Relay) expire() {
	for n := expireAtOnce; n == expireAtOnce; {
		err := r.store.Update(func(tx *store.Tx) (err error) {
			n, err = tx.Expire(r.now(), expireAtOnce)
			return err
		})
		if err != nil {
			r.log.Error("removing expired events", "err", err)
			return
		}
	}
}

// ServeHTTP answers WebSocket upgrades, requests for the NIP-11 document, and
// tells everybody else what this is.
func (r *Relay) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	switch {
	case isUpgrade(req):
		r.connect(w, req)
	case wantsInfo(req):
		r.serveInfo(w, req)
	default:
		w.Header().Set("Upgrade", "websocket")
		http.Error(w, "This is a Nostr relay. Connect to it with a Nostr client, at "+r.config.URL+".", http.StatusUpgradeRequired)
	}
}
