package core

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"parley/wasm/port"
	"parley/wasm/room"
	"parley/wasm/signer"
	"parley/wasm/verify"
)

const (
	accountBucket = "accounts" // signer.Account by public key
	stateBucket   = "state"    // small facts: who is signed in
	currentKey    = "current"
)

// identity is who this browser acts for.
type identity struct {
	me       string // hex public key, "" when signed out
	accounts map[string]signer.Account
	signers  map[string]signer.Signer // those that can sign now
	away     map[string]string        // why a signer cannot be reached, in words
	lastTab  string                   // the tab to ask the extension in
	joining  *joining                 // an attempt to connect to a remote signer
	checking bool                     // the remote signer's public key is being compared
	returns  map[string]int           // how often a remote signer was seen to come back, by account
	unsigned map[string]bool          // relays that could not be signed in to, since the signer was away
	signing  map[string]bool          // drafts that a signer outside is asked for now
}

func (c *Core) restoreIdentity(ctx context.Context) error {
	c.identity = identity{
		accounts: map[string]signer.Account{}, signers: map[string]signer.Signer{}, away: map[string]string{},
		returns: map[string]int{}, unsigned: map[string]bool{}, signing: map[string]bool{},
	}
	kept, err := c.Store.List(ctx, accountBucket)
	if err != nil {
		return fmt.Errorf("read the accounts: %w", err)
	}
	for key, text := range kept {
		var a signer.Account
		if json.Unmarshal(text, &a) == nil && a.PubKey == key {
			c.identity.accounts[key] = a
		}
	}
	me, _ := load[string](ctx, c, stateBucket, currentKey)
	if account, ok := c.identity.accounts[me]; ok {
		c.identity.me = me
		c.openAccount(ctx, account)
	}
	return nil
}

// openAccount makes the signer of an account where that needs nobody: a key
// without a passphrase, an extension or a remote signer. mu is not held.
func (c *Core) openAccount(ctx context.Context, a signer.Account) {
	var s signer.Signer
	var err error
	switch a.Kind {
	case signer.KindWrapped:
		s, err = signer.Unlock(ctx, c.Wrapper, a, "")
	case signer.KindExtension:
		s = signer.NewExtension(a.PubKey, c.callExtension)
	case signer.KindRemote:
		var r *signer.Remote
		if r, err = signer.OpenRemote(ctx, c.keeper(), a, c.remoteOptions(signer.RemoteOptions{})); err == nil {
			s = r
		}
	default:
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if err != nil {
		c.identity.away[a.PubKey] = err.Error()
		return
	}
	c.identity.signers[a.PubKey] = s
}

// signer is what signs for the current account now; nil when it is locked or
// nobody is signed in.
func (c *Core) signer() signer.Signer {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.identity.signers[c.identity.me]
}

// signerOf is what signs for an account now; nil when it is locked or gone.
func (c *Core) signerOf(pubkey string) signer.Signer {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.identity.signers[pubkey]
}

func (c *Core) me() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.identity.me
}

// callExtension is the Caller of the extension signer: it goes to the tab
// whose call needs it, else to the one that was last used.
func (c *Core) callExtension(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error) {
	if tabOf(ctx) == "" {
		c.mu.Lock()
		ctx = withTab(ctx, c.identity.lastTab)
		c.mu.Unlock()
	}
	answer, err := c.ask(ctx, method, params)
	var coded *port.Error
	if errors.As(err, &coded) && coded.Code == port.CodeUnavailable {
		err = fmt.Errorf("%w: %w", signer.ErrAway, err) // nobody said no: the act waits
	}
	return answer, err
}

func (c *Core) createKey(ctx context.Context, p port.Secret) error {
	passTurn(ctx)
	account, s, err := signer.Create(ctx, c.Wrapper, c.Rand, p.Passphrase, c.now())
	if err != nil {
		return err
	}
	return c.signIn(ctx, account, s)
}

func (c *Core) importKey(ctx context.Context, p port.Secret) error {
	passTurn(ctx)
	account, s, err := signer.Import(ctx, c.Wrapper, c.Rand, p.Secret, p.Passphrase, c.now())
	if err != nil {
		return err
	}
	return c.signIn(ctx, account, s)
}

func (c *Core) useExtension(ctx context.Context, _ nothing) error {
	answer, err := c.ask(ctx, port.ExtGetPublicKey, json.RawMessage("[]"))
	if err != nil {
		return err
	}
	var key string
	if json.Unmarshal(answer, &key) != nil || !verify.IsPublicKey(key) {
		return fmt.Errorf("use the browser extension: %w: it gave no public key", signer.ErrBadSigner)
	}
	account := signer.Account{PubKey: key, Kind: signer.KindExtension, BackedUp: true, CreatedAt: c.now()}
	return c.signIn(ctx, account, signer.NewExtension(key, c.callExtension))
}

// signIn makes an account the current one. A key that is here already keeps
// what is known of it: importing twice never loses a backup's mark.
func (c *Core) signIn(ctx context.Context, a signer.Account, s signer.Signer) error {
	c.switching.Lock()
	defer c.switching.Unlock()
	c.mu.Lock()
	old, had := c.identity.accounts[a.PubKey]
	if had && old.Kind == a.Kind && old.BackedUp {
		a.BackedUp = true
	}
	c.mu.Unlock()
	if err := c.keep(ctx, accountBucket, a.PubKey, a); err != nil {
		return err
	}
	if err := c.keep(ctx, stateBucket, currentKey, a.PubKey); err != nil {
		return err
	}
	c.mu.Lock()
	before := c.identity.signers[a.PubKey]
	c.identity.accounts[a.PubKey] = a
	c.identity.signers[a.PubKey] = s
	delete(c.identity.away, a.PubKey)
	delete(c.identity.returns, a.PubKey)
	c.identity.lastTab = tabOf(ctx)
	c.become(a.PubKey)
	c.mu.Unlock()
	if before != s {
		c.closeRemote(before, false)
	}
	c.identityChanged()
	return nil
}

// become switches what depends on who I am. mu is held.
func (c *Core) become(me string) {
	if c.identity.me == me {
		return
	}
	c.identity.me = me
	c.cards.become()
	c.sessions = newSessions()
	clear(c.drafts) // the other account's words are its own
	for _, r := range c.rooms {
		r.listed = r.listed && r.site
	}
	for _, w := range c.watches {
		w.reset, w.items, w.tails = true, nil, nil
		w.view = viewState{looked: w.view.looked} // the divider was another reader's
	}
}

// identityChanged connects anew, since a relay knows a connection by the key
// that signed in on it, reads what belongs to the new account, and signs what
// waited for it. switching is held.
func (c *Core) identityChanged() {
	for _, s := range c.pool.States() {
		c.pool.ForgetConsent(s.URL)
		c.pool.Drop(s.URL)
	}
	c.mu.Lock()
	clear(c.relays.states)
	for url := range c.live {
		c.connectionEnded(url)
	}
	clear(c.live)
	clear(c.cards.loaded)
	for _, r := range c.rooms {
		r.subscribed = false
	}
	c.mu.Unlock()
	for _, read := range []func(context.Context) error{c.restoreRooms, c.restoreBlocked, c.restoreDrafts, c.restoreCards, c.restoreSessions} {
		if err := read(c.ctx); err != nil {
			c.notice("storage", err.Error())
		}
	}
	c.signDrafts()
	c.wakeRemote()
	c.connectAll()
	poke(c.kick)
	c.touch()
}

func (c *Core) unlock(ctx context.Context, p port.Secret) error {
	c.mu.Lock()
	account, ok := c.identity.accounts[c.identity.me]
	c.mu.Unlock()
	if !ok {
		return errSignedOut
	}
	passTurn(ctx)
	s, err := signer.Unlock(ctx, c.Wrapper, account, p.Passphrase)
	if err != nil {
		return err
	}
	c.switching.Lock()
	defer c.switching.Unlock()
	c.mu.Lock()
	c.identity.signers[account.PubKey] = s
	delete(c.identity.away, account.PubKey)
	c.mu.Unlock()
	for _, state := range c.pool.States() {
		c.pool.ForgetConsent(state.URL)
	}
	c.identityChanged()
	return nil
}

var errSignedOut = &port.Error{Code: port.CodeSignedOut, Message: "Nobody is signed in."}

func (c *Core) current() (signer.Account, signer.Signer, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	a, ok := c.identity.accounts[c.identity.me]
	if !ok {
		return a, nil, errSignedOut
	}
	return a, c.identity.signers[a.PubKey], nil
}

func (c *Core) backup(ctx context.Context, _ nothing) (port.BackupText, error) {
	account, s, err := c.current()
	if err != nil {
		return port.BackupText{}, err
	}
	text, err := signer.Backup(account, s)
	if err != nil {
		return port.BackupText{}, err
	}
	return port.BackupText{Text: text, Name: "parley-backup-" + room.NPub(account.PubKey)[5:13] + ".txt"}, nil
}

func (c *Core) checkBackup(ctx context.Context, p port.Secret) error {
	account, _, err := c.current()
	if err != nil {
		return err
	}
	passTurn(ctx)
	if err := signer.CheckBackup(account, p.Secret, p.Passphrase); err != nil {
		return err
	}
	account.BackedUp = true
	c.mu.Lock()
	c.identity.accounts[account.PubKey] = account
	c.mu.Unlock()
	c.touch()
	return c.keep(ctx, accountBucket, account.PubKey, account)
}

func (c *Core) switchAccount(ctx context.Context, p port.PubKey) error {
	c.switching.Lock()
	defer c.switching.Unlock()
	c.mu.Lock()
	account, ok := c.identity.accounts[p.PubKey]
	c.mu.Unlock()
	if !ok {
		return &port.Error{Code: port.CodeNotFound, Message: "This account is not on this browser."}
	}
	if err := c.keep(ctx, stateBucket, currentKey, p.PubKey); err != nil {
		return err
	}
	if c.signerOf(account.PubKey) == nil {
		c.openAccount(ctx, account)
	}
	c.mu.Lock()
	c.become(account.PubKey)
	c.identity.lastTab = tabOf(ctx)
	c.mu.Unlock()
	c.identityChanged()
	return nil
}

// identities is every account of this browser for the page; the first result
// is the current one.
func (c *Core) identities() (*port.Identity, []port.Identity) {
	var me *port.Identity
	all := make([]port.Identity, 0, len(c.identity.accounts))
	for key, a := range c.identity.accounts {
		id := port.Identity{
			Person: c.profiles.Person(key), NPub: room.NPub(key), Signer: "local",
			Locked: c.identity.signers[key] == nil && a.Kind == signer.KindPassphrase,
			Away:   c.identity.away[key], BackedUp: a.BackedUp, Sealed: a.Kind == signer.KindPassphrase,
		}
		switch a.Kind {
		case signer.KindExtension:
			id.Signer = "extension"
		case signer.KindRemote:
			id.Signer, id.Relays = "remote", a.Relays
			if r, ok := c.identity.signers[key].(*signer.Remote); ok {
				state := r.State()
				id.Away, id.Link, id.Relays = sentence(state.Away), state.Link, state.Relays
			}
		}
		if key == c.identity.me {
			me = &id
		}
		all = append(all, id)
	}
	slices.SortFunc(all, func(a, b port.Identity) int { return compare(a.NPub, b.NPub) })
	return me, all
}
