package core

import (
	"context"
	"errors"
	"fmt"

	"parley/wasm/port"
	"parley/wasm/relay"
	"parley/wasm/signer"
)

// remotePerms is what a remote signer is asked to allow when it connects
// (NIP-46, "Requested permissions"): the kinds of events that are made here.
var remotePerms = permissions(
	0, 5, 7, 9, 11, 12, 13, 1111, 1984, // profile, deletion, messages, seals, reports
	9000, 9001, 9002, 9005, 9007, 9008, 9009, 9021, 9022, // rooms (NIP-29)
	22242, 24242, // signing in to relays and uploads
	25802, 25806, 40003, 43001, 43005, // prompts, edits, tasks
)

func permissions(kinds ...int) []string {
	perms := []string{"nip44_encrypt", "nip44_decrypt"}
	for _, kind := range kinds {
		perms = append(perms, fmt.Sprintf("sign_event:%d", kind))
	}
	return perms
}

// joining is an attempt to connect to a remote signer.
type joining struct {
	remote *signer.Remote
	cancel context.CancelFunc
	uri    string // the invitation to show; "" for a bunker address
}

var errNotJoined = &port.Error{Code: port.CodeUnavailable, Message: "Cancelled. No signer was connected."}

// useRemote connects to the signer of a bunker address, and signs in as who it
// acts for. It waits for the person at the signer.
func (c *Core) useRemote(ctx context.Context, p port.RemoteParams) error {
	b, err := signer.ParseBunker(p.Address)
	if err != nil {
		return err
	}
	return c.joinRemote(ctx, signer.RemoteOptions{Signer: b.PubKey, Relays: b.Relays}, func(ctx context.Context, r *signer.Remote) error {
		return r.Connect(ctx, b.Secret)
	})
}

// inviteRemote shows an invitation, and signs in as who the signer acts for that
// takes it.
func (c *Core) inviteRemote(ctx context.Context, p port.RelayParams) error {
	url, err := relay.Normalize(p.URL)
	if err != nil {
		return invalid("%s", sentence(err.Error()))
	}
	return c.joinRemote(ctx, signer.RemoteOptions{Relays: []string{url}}, func(ctx context.Context, r *signer.Remote) error {
		invitation, err := signer.NewInvitation(r, c.Rand)
		if err != nil {
			return err
		}
		c.mu.Lock()
		if j := c.identity.joining; j != nil && j.remote == r {
			j.uri = invitation.String()
		}
		c.mu.Unlock()
		c.touch()
		return r.Await(ctx, invitation.Secret)
	})
}

func (c *Core) joinRemote(ctx context.Context, o signer.RemoteOptions, connect func(context.Context, *signer.Remote) error) error {
	passTurn(ctx)
	secret, wrapped, err := signer.NewClientKey(ctx, c.keeper(), c.Rand)
	if err != nil {
		return err
	}
	r, err := signer.NewRemote(secret, c.remoteOptions(o))
	clear(secret[:])
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	j := &joining{remote: r, cancel: cancel}
	c.mu.Lock()
	if c.identity.joining != nil {
		c.identity.joining.cancel()
	}
	c.identity.joining = j
	c.mu.Unlock()
	c.touch()
	err = connect(ctx, r)
	c.mu.Lock()
	if c.identity.joining == j {
		c.identity.joining = nil
	}
	c.mu.Unlock()
	c.touch()
	if err == nil {
		err = c.signIn(ctx, signer.RemoteAccount(r, wrapped, c.now()), r)
	}
	if err != nil {
		r.Close()
		if errors.Is(err, context.Canceled) {
			return errNotJoined
		}
		return err
	}
	c.spawn(func() { c.moveRemote(r) })
	return nil
}

// keeper is what keeps keys without a passphrase; nil where that is not safe.
func (c *Core) keeper() signer.Wrapper {
	if !c.Secure {
		return nil
	}
	return c.Wrapper
}

func (c *Core) remoteOptions(o signer.RemoteOptions) signer.RemoteOptions {
	o.App = signer.App{Name: "Parley"}
	o.Perms, o.Dial, o.Rand, o.Changed = remotePerms, c.Dial, c.Rand, c.remoteChanged
	return o
}

// cancelRemote gives up the attempt to connect.
func (c *Core) cancelRemote(context.Context, nothing) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.identity.joining != nil {
		c.identity.joining.cancel()
	}
	return nil
}

// remoteWait is how the attempt to connect stands, for the page; nil when there
// is none. mu is held.
func (c *Core) remoteWait() *port.RemoteWait {
	j := c.identity.joining
	if j == nil {
		return nil
	}
	state := j.remote.State()
	w := &port.RemoteWait{Stage: port.RemoteConnecting, URI: j.uri, Link: state.Link, Relays: state.Relays}
	if state.Asked {
		w.Stage = port.RemoteApproval
	}
	return w
}

// moveRemote speaks to a signer where it wants to be spoken to from now on. One
// that does not say is no trouble.
func (c *Core) moveRemote(r *signer.Remote) {
	if changed, err := r.SwitchRelays(c.ctx); err != nil || !changed {
		return
	}
	c.mu.Lock()
	key := r.PublicKey()
	account, ok := c.identity.accounts[key]
	ok = ok && c.identity.signers[key] == signer.Signer(r)
	if ok {
		account.Relays = r.Relays()
		c.identity.accounts[key] = account
		c.keepLater(accountBucket, key, account)
	}
	c.mu.Unlock()
	c.touch()
}

// reconnect looks for the signer that is away, and signs what waited for it.
func (c *Core) reconnect(ctx context.Context, _ nothing) error {
	r, ok := c.signer().(*signer.Remote)
	if !ok {
		return invalid("Only a remote signer can be connected again.")
	}
	passTurn(ctx)
	if err := r.Check(ctx); err != nil {
		return err
	}
	c.spawn(func() { c.remoteIsBack(r) })
	return nil
}

// wakeRemote compares the public key of the current account's signer, if it is a
// remote one: at start, and when the page is looked at again.
func (c *Core) wakeRemote() {
	r, ok := c.signer().(*signer.Remote)
	c.mu.Lock()
	defer c.mu.Unlock()
	if !ok || c.identity.checking {
		return
	}
	c.identity.checking = c.spawn(func() {
		err := r.Check(c.ctx)
		c.mu.Lock()
		c.identity.checking = false
		c.mu.Unlock()
		if err == nil {
			c.remoteIsBack(r)
		}
		c.touch()
	})
}

// remoteChanged tells the page how the remote signers stand, and does what
// waited for one that is back.
func (c *Core) remoteChanged() {
	defer c.touch()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.dirtyDrafts()
	for key, s := range c.identity.signers {
		r, ok := s.(*signer.Remote)
		if !ok {
			continue
		}
		if back := r.State().Returns; back != c.identity.returns[key] {
			c.identity.returns[key] = back
			c.spawn(func() {
				if r.Check(c.ctx) == nil {
					c.remoteIsBack(r)
				}
			})
		}
	}
}

// remoteIsBack does what could not be done while a signer was away: signs
// drafts, reads messages, signs in to relays.
func (c *Core) remoteIsBack(r *signer.Remote) {
	c.mu.Lock()
	if c.identity.signers[c.identity.me] != signer.Signer(r) {
		c.mu.Unlock()
		return
	}
	relays := keysOf(c.identity.unsigned)
	clear(c.identity.unsigned)
	c.openAgain()
	c.mu.Unlock()
	for _, url := range relays {
		c.pool.ForgetConsent(url)
	}
	c.signWaiting(r)
	c.touch()
}

// closeRemote ends a remote signer that is not used any more, if s is one. With
// a word to it, it forgets us. mu is not held: its end waits for what it has to
// say, which is heard under mu.
func (c *Core) closeRemote(s signer.Signer, word bool) {
	r, ok := s.(*signer.Remote)
	if !ok {
		return
	}
	if !c.spawn(func() {
		if word {
			ctx, cancel := context.WithTimeout(c.ctx, signer.PongWait)
			defer cancel()
			_ = r.Logout(ctx) // a courtesy (NIP-46, "Ending a session")
		}
		r.Close()
	}) {
		r.Close()
	}
}

// closeRemotes ends all of them, with the core.
func (c *Core) closeRemotes() {
	c.mu.Lock()
	signers := c.identity.signers
	c.identity.signers = nil
	c.mu.Unlock()
	for _, s := range signers {
		if r, ok := s.(*signer.Remote); ok {
			r.Close()
		}
	}
}
