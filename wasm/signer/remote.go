package signer

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nbd-wtf/go-nostr"

	"parley/wasm/relay"
	"parley/wasm/verify"
)

// KindRemoteCall is the kind of all that we and a remote signer say (NIP-46).
const KindRemoteCall = 24133

// Methods of NIP-46 that are used here.
const (
	methodConnect   = "connect"
	methodPing      = "ping"
	methodPublicKey = "get_public_key"
	methodSign      = "sign_event"
	methodEncrypt   = "nip44_encrypt"
	methodDecrypt   = "nip44_decrypt"
	methodRelays    = "switch_relays"
	methodLogout    = "logout"
)

// Waits for a remote signer. A person may be reading a question there, so that
// silence alone ends nothing.
const (
	// LinkWait is how long none of the signer's relays may be reached before an
	// attempt to connect to it is given up.
	LinkWait = 12 * time.Second
	// PingAfter is how long an answer may take before the signer is asked for a
	// sign of life, PingAgain how long until the next, and PongWait how long it
	// may take to give one. Then it is away.
	PingAfter = 5 * time.Second
	PingAgain = 30 * time.Second
	PongWait  = 10 * time.Second
	// AnswerWait is how long a signer that gives signs of life may take to answer.
	AnswerWait = 10 * time.Minute
	// FirstProbe and LastProbe bound the wait between two looks for a signer
	// that is away; it doubles.
	FirstProbe = 5 * time.Second
	LastProbe  = time.Minute
	// HintWait is how long an answer is waited for that is not needed.
	HintWait = 20 * time.Second
)

// RemoteOptions are what a Remote needs from outside.
type RemoteOptions struct {
	Signer string   // the signer's own key, hex; "" until one has taken an invitation
	User   string   // the key it acts for, hex; "" until it is connected
	Relays []string // where the signer is spoken to, in normal form
	App    App      // what the signer may show of us
	Perms  []string // what to ask for when connecting
	Dial   relay.Dialer
	Rand   io.Reader // cryptographically secure, safe for concurrent use
	// Changed is called, from a goroutine of the Remote's, after State has changed
	// or a signer that was away is back. It must not call Close.
	Changed func()
}

// RemoteState is how a remote signer stands.
type RemoteState struct {
	Away  string // why it cannot sign now, in words; "" when it can
	Link  string // an https address where the person has to sign in first (auth_url); "" for none
	Asked bool   // a relay has taken the request to connect
	// Returns counts how often it came back after it was away.
	Returns int
	Relays  []string // where it is spoken to
}

// Remote signs by way of a remote signer, a "bunker" (NIP-46). It has its own
// connections, to the signer's relays only, and signs in there (NIP-42) with the
// client key, which belongs to nobody. Close ends it. It is safe for concurrent
// use.
//
// A call lasts as long as the signer gives signs of life, at most AnswerWait.
// Asked the same again it does not ask the signer a second time: it waits for
// the answer to the first, or gives it, if it came when nobody waited.
type Remote struct {
	options RemoteOptions
	client  *Local
	pool    *relay.Pool
	ctx     context.Context
	cancel  context.CancelFunc
	going   sync.WaitGroup
	began   int64         // unix seconds
	news    chan struct{} // cap 1: Changed is to be called
	nudge   chan struct{} // cap 1: somebody wants a signer that is away now

	mu     sync.Mutex
	closed bool
	signer string
	user   string
	urls   []string
	relays map[string]*signerRelay
	secret string        // of an invitation that stands
	met    chan struct{} // closed when a signer has taken it

	requests map[string]*request // by id
	byCall   map[string]*request // by method and parameters
	count    int64               // of requests made

	away      string        // why it cannot be reached, in words
	gone      chan struct{} // closed while it is away
	returns   int           // how often it came back
	other     string        // the key it acts for instead of user
	unfit     string        // why Check failed though it is there, in words
	asked     bool
	checking  bool // a sign of life was asked for
	returning bool // comeBack runs
}

var _ Signer = (*Remote)(nil)

// NewRemote makes the signer and begins to listen. client is the secret key that
// the remote signer knows us by. Errors wrap ErrNotKey, ErrNotBunker where a
// relay is none.
func NewRemote(client [32]byte, o RemoteOptions) (*Remote, error) {
	local, err := NewLocal(client, o.Rand)
	if err != nil {
		return nil, fmt.Errorf("use a remote signer: %w", err)
	}
	urls, err := signerRelays(o.Relays)
	if err != nil {
		return nil, fmt.Errorf("use a remote signer: %w: %w", ErrNotBunker, err)
	}
	r := &Remote{
		options: o, client: local, signer: o.Signer, user: o.User, began: time.Now().Unix(),
		news: make(chan struct{}, 1), nudge: make(chan struct{}, 1), met: make(chan struct{}), gone: make(chan struct{}),
		relays: map[string]*signerRelay{}, requests: map[string]*request{}, byCall: map[string]*request{},
	}
	r.ctx, r.cancel = context.WithCancel(context.Background())
	r.pool = relay.NewPool(relay.Options{
		Policy: func(string) relay.AuthPolicy { return relay.AuthAlways }, Auth: r.authenticate, Dial: o.Dial,
	})
	r.going.Go(r.listen)
	r.going.Go(r.report)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.setRelays(urls)
	return r, nil
}

// Close ends the connections and all calls that wait.
func (r *Remote) Close() {
	r.mu.Lock()
	r.closed = true
	r.mu.Unlock()
	r.cancel()
	r.pool.Close()
	r.going.Wait()
}

// PublicKey is the key it acts for; "" until it is connected.
func (r *Remote) PublicKey() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.user
}

// Signer is the remote signer's own key; "" until one is known.
func (r *Remote) Signer() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.signer
}

// Relays are where the signer is spoken to.
func (r *Remote) Relays() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.urls)
}

// Local is false.
func (r *Remote) Local() bool { return false }

// State is how it stands now.
func (r *Remote) State() RemoteState {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := RemoteState{Away: r.away, Asked: r.asked, Returns: r.returns, Relays: slices.Clone(r.urls)}
	switch {
	case r.other != "":
		s.Away = otherKeyWords
	case r.away == "":
		s.Away = r.unfit
	}
	newest := int64(0)
	for _, q := range r.requests {
		if q.link != "" && !q.over() && q.number > newest {
			s.Link, newest = q.link, q.number
		}
	}
	return s
}

// Connect introduces us to the signer of a bunker address and asks for whom it
// acts (NIP-46, "connect" and "get_public_key"). secret is the address's. It
// waits for the person; only ctx, a refusal or relays that are away end it.
func (r *Remote) Connect(ctx context.Context, secret string) error {
	result, err := r.askPatiently(ctx, methodConnect, r.Signer(), secret, strings.Join(r.options.Perms, ","), r.options.App.metadata())
	switch {
	case err != nil:
		return err
	case result != "ack" && (secret == "" || result != secret):
		return badSigner("your remote signer answered the request to connect with something else")
	}
	return r.learnUser(ctx)
}

// Await waits until a signer takes an invitation, which must name its secret,
// and asks for whom it acts.
func (r *Remote) Await(ctx context.Context, secret string) error {
	r.mu.Lock()
	r.secret = secret
	r.mu.Unlock()
	select {
	case <-r.met:
		return r.learnUser(ctx)
	case <-ctx.Done():
		return ctx.Err()
	case <-r.ctx.Done():
		return errClosed
	}
}

func (r *Remote) learnUser(ctx context.Context) error {
	key, err := r.askPatiently(ctx, methodPublicKey)
	if err != nil {
		return err
	}
	if !verify.IsPublicKey(key) {
		return badSigner("your remote signer gave no public key")
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.user != "" && r.user != key {
		return otherKey()
	}
	r.user = key
	return nil
}

// Check looks whether the signer is there and acts for the same key as before.
// Errors wrap ErrAway, ErrOtherKey, ErrRefused or ErrBadSigner.
func (r *Remote) Check(ctx context.Context) error {
	if r.isAway() && !r.probe(ctx) {
		r.mu.Lock()
		defer r.mu.Unlock()
		return r.awayError()
	}
	key, err := r.ask(ctx, methodPublicKey)
	r.mu.Lock()
	defer r.mu.Unlock()
	other, unfit := r.other, ""
	switch {
	case errors.Is(err, ErrRefused) || errors.Is(err, ErrBadSigner):
		unfit = err.Error()
	case err != nil:
		return err
	case !verify.IsPublicKey(key):
		err = badSigner("your remote signer gave no public key")
		unfit = err.Error()
	case key != r.user:
		other, err = key, otherKey()
	default:
		other = ""
	}
	if r.other != other || r.unfit != unfit {
		r.other, r.unfit = other, unfit
		r.tell()
	}
	return err
}

// SwitchRelays asks the signer where it wants to be spoken to, and does so from
// then on. changed is true when these are others than before.
func (r *Remote) SwitchRelays(ctx context.Context) (changed bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, HintWait)
	defer cancel()
	result, err := r.askPatiently(ctx, methodRelays)
	if err != nil || result == "" || result == "null" {
		return false, err
	}
	var list []string
	if json.Unmarshal([]byte(result), &list) != nil {
		return false, badSigner("your remote signer gave no list of relays")
	}
	urls, err := signerRelays(list)
	if err != nil {
		return false, badSigner("your remote signer gave no usable relays: " + err.Error())
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if slices.Equal(urls, r.urls) {
		return false, nil
	}
	r.setRelays(urls)
	r.tell()
	return true, nil
}

// Logout tells the signer that we will not come back. It is a courtesy, and
// waits no longer than ctx.
func (r *Remote) Logout(ctx context.Context) error {
	_, err := r.askPatiently(ctx, methodLogout)
	return err
}

// Sign lets the signer sign, and holds the answer against what was asked, the
// time included.
func (r *Remote) Sign(ctx context.Context, e *nostr.Event) error {
	text, err := json.Marshal(templateOf(e))
	if err != nil {
		return fmt.Errorf("sign: %w", err)
	}
	result, err := r.ask(ctx, methodSign, string(text))
	if err != nil {
		return err
	}
	signed, err := checkSigned([]byte(result), e, r.PublicKey())
	switch {
	case errors.Is(err, ErrOtherKey):
		r.noticeOther()
		return otherKey()
	case err != nil:
		return badSigner("your remote signer gave back something else than it was asked to sign")
	case signed.CreatedAt != e.CreatedAt:
		return badSigner("your remote signer changed the time of what it signed")
	}
	*e = *signed
	return nil
}

// Encrypt lets the signer make a NIP-44 payload.
func (r *Remote) Encrypt(ctx context.Context, plaintext, peer string) (string, error) {
	payload, err := r.ask(ctx, methodEncrypt, peer, plaintext)
	if err != nil {
		return "", err
	}
	if checkPayload(payload) != nil {
		return "", badSigner("your remote signer did not encrypt what it was given")
	}
	return payload, nil
}

// Decrypt lets the signer read a NIP-44 payload.
func (r *Remote) Decrypt(ctx context.Context, payload, peer string) (string, error) {
	plaintext, err := r.ask(ctx, methodDecrypt, peer, payload)
	if err == nil && plaintext == "" { // NIP-44 knows no empty text
		return "", badSigner("your remote signer decrypted nothing")
	}
	return plaintext, err
}
