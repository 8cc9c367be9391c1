package core

import (
	"context"
	"encoding/hex"
	"io"
	"net/url"
	"strings"

	"github.com/nbd-wtf/go-nostr"

	"parley/wasm/port"
	"parley/wasm/room"
)

// manage sends one of NIP-29's events to a room.
func (c *Core) manage(ctx context.Context, ref room.Ref, build func(room.Ref) nostr.Event) (*roomState, error) {
	r, err := c.in(ref)
	if err != nil {
		return nil, err
	}
	_, err = c.submit(ctx, act{event: build(r.ref), room: r.ref, relays: []string{r.ref.Relay}})
	return r, err
}

func (c *Core) createRoom(ctx context.Context, p port.RoomParams) (room.Ref, error) {
	if strings.TrimSpace(p.Name) == "" {
		return room.Ref{}, invalid("A room needs a name.")
	}
	if err := checkRoom(p.Name, p.About); err != nil {
		return room.Ref{}, err
	}
	if p.Ref.ID == "" {
		id, err := c.randomHex(6)
		if err != nil {
			return room.Ref{}, err
		}
		p.Ref.ID = id
	}
	now := c.now()
	r, err := c.manage(ctx, p.Ref, func(ref room.Ref) nostr.Event { return room.BuildCreateRoom(ref, now) })
	if err != nil {
		return room.Ref{}, err
	}
	p.Ref = r.ref
	if err := c.editRoom(ctx, p); err != nil {
		return room.Ref{}, err
	}
	c.list(r, true)
	c.openRoom(r)
	return r.ref, nil
}

func (c *Core) editRoom(ctx context.Context, p port.RoomParams) error {
	if err := checkRoom(p.Name, p.About); err != nil {
		return err
	}
	settings := room.Settings{Name: p.Name, About: p.About, Private: p.Private, Closed: p.Closed, Restricted: p.Restricted}
	_, err := c.manage(ctx, p.Ref, func(ref room.Ref) nostr.Event {
		c.mu.Lock()
		defer c.mu.Unlock()
		return room.BuildEditMeta(ref, settings, c.room(ref).fold.State(room.KindMeta), c.now())
	})
	return err
}

func (c *Core) deleteRoom(ctx context.Context, ref room.Ref) error {
	r, err := c.manage(ctx, ref, func(ref room.Ref) nostr.Event { return room.BuildDeleteRoom(ref, c.now()) })
	if err == nil {
		c.list(r, false)
	}
	return err
}

func (c *Core) joinRoom(ctx context.Context, p port.JoinParams) error {
	if err := checkBytes("An invite code", p.Invite, MaxInvite); err != nil {
		return err
	}
	r, err := c.manage(ctx, p.Room, func(ref room.Ref) nostr.Event { return room.BuildJoin(ref, p.Invite, "", c.now()) })
	if err != nil {
		return err
	}
	c.mu.Lock()
	r.joining = "Asked to join."
	c.mu.Unlock()
	c.list(r, true)
	c.openRoom(r)
	return nil
}

func (c *Core) leaveRoom(ctx context.Context, ref room.Ref) error {
	r, err := c.in(ref)
	if err != nil {
		return err
	}
	c.mu.Lock()
	member := c.identity.me != "" && r.fold.IsMember(c.identity.me)
	c.mu.Unlock()
	if member {
		if _, err = c.manage(ctx, r.ref, func(ref room.Ref) nostr.Event { return room.BuildLeave(ref, c.now()) }); err != nil {
			return err
		}
	}
	c.list(r, false)
	return nil
}

// list puts a room on my list, or takes it off.
func (c *Core) list(r *roomState, listed bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	r.listed = listed
	r.saved.Removed = !listed && r.site
	c.saveRoom(r)
	c.unhear(r)
	c.touch()
}

func (c *Core) addMember(ctx context.Context, p port.MemberParams) error {
	key, err := publicKey(p.PubKey)
	if err != nil {
		return err
	}
	if err := checkRunes("A role", p.Role, room.MaxRole); err != nil {
		return err
	}
	var roles []string
	if p.Role != "" {
		roles = []string{p.Role}
	}
	_, err = c.manage(ctx, p.Room, func(ref room.Ref) nostr.Event { return room.BuildPutUser(ref, key, roles, c.now()) })
	return err
}

func (c *Core) removeMember(ctx context.Context, p port.MemberParams) error {
	key, err := publicKey(p.PubKey)
	if err != nil {
		return err
	}
	_, err = c.manage(ctx, p.Room, func(ref room.Ref) nostr.Event { return room.BuildRemoveUser(ref, key, c.now()) })
	return err
}

func (c *Core) invite(ctx context.Context, ref room.Ref) (port.InviteCode, error) {
	code, err := c.randomHex(8)
	if err != nil {
		return port.InviteCode{}, err
	}
	r, err := c.manage(ctx, ref, func(ref room.Ref) nostr.Event { return room.BuildInvite(ref, code, c.now()) })
	if err != nil {
		return port.InviteCode{}, err
	}
	query := url.Values{"relay": {r.ref.Relay}, "invite": {code}}
	return port.InviteCode{Code: code, Path: "/rooms/" + url.PathEscape(r.ref.ID) + "?" + query.Encode()}, nil
}

func (c *Core) randomHex(bytes int) (string, error) {
	b := make([]byte, bytes)
	if _, err := io.ReadFull(c.Rand, b); err != nil {
		return "", err
	}
	return hex.EncodeToString(b), nil
}
