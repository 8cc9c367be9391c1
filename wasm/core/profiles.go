package core

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nbd-wtf/go-nostr"

	"parley/wasm/port"
	"parley/wasm/room"
	"parley/wasm/store"
	"parley/wasm/verify"
)

const (
	// ProfileWait gathers the people of a page into one question.
	ProfileWait = 150 * time.Millisecond
	// ProfileAge is how old, in seconds, a question for a profile may be
	// before it is asked again.
	ProfileAge = 3600
)

// wantedProfile is a question for somebody's kind 0.
type wantedProfile struct {
	relays []string // where they were met
	asked  int64    // unix seconds; 0: not yet
}

// want notes people whose profiles are to be fetched. mu is held.
func (c *Core) want(relayURL string, keys []string) {
	news := false
	for _, key := range keys {
		w := c.wanted[key]
		if !slices.Contains(w.relays, relayURL) && relayURL != "" {
			w.relays, w.asked = append(w.relays, relayURL), 0
		}
		if w.asked == 0 || c.now()-w.asked > ProfileAge {
			w.asked, news = 0, true
		}
		c.wanted[key] = w
	}
	if news {
		poke(c.wantNow)
	}
}

// askProfiles fetches wanted profiles, many at a time: from the store, then
// from the relays the people were met on and the person's own.
func (c *Core) askProfiles(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-c.wantNow:
		}
		pause := time.NewTimer(ProfileWait)
		select {
		case <-ctx.Done():
			pause.Stop()
			return
		case <-pause.C:
		}
		keys, byRelay := c.takeWanted()
		if len(keys) == 0 {
			continue
		}
		records, err := c.Store.Query(ctx, store.Query{Authors: keys, Kinds: []int{nostr.KindProfileMetadata}})
		if err == nil {
			c.foldRecords("", records)
		}
		for url, keys := range byRelay {
			c.spawn(func() {
				events, _, err := c.pool.Fetch(ctx, url, room.ProfileFilters(keys)...)
				if err == nil {
					c.takeFetched(ctx, url, events)
				}
			})
		}
	}
}

// MaxMet is how many people of a page of the store are looked up before it is
// shown; the others get their names a moment later.
const MaxMet = 500

// meet reads the profiles that the store has of the people in some records
// before these are folded, so that nobody is shown by their key first. What it
// cannot read is asked for like any other profile.
func (c *Core) meet(ctx context.Context, records []store.Record) {
	var keys []string
	met := map[string]bool{}
	c.mu.Lock()
	note := func(key string) {
		if !met[key] && len(keys) < MaxMet && verify.IsPublicKey(key) && !c.profiles.Known(key) {
			met[key] = true
			keys = append(keys, key)
		}
	}
	for _, rec := range records {
		note(rec.Event.PubKey)
		for t := range rec.Event.Tags.FindAll("p") {
			if len(t) > 1 {
				note(t[1])
			}
		}
	}
	c.mu.Unlock()
	if len(keys) == 0 {
		return
	}
	profiles, err := c.Store.Query(ctx, store.Query{Authors: keys, Kinds: []int{nostr.KindProfileMetadata}})
	if err == nil {
		c.foldRecords("", profiles)
	}
}

func (c *Core) takeWanted() (keys []string, byRelay map[string][]string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	byRelay = map[string][]string{}
	for key, w := range c.wanted {
		if w.asked != 0 {
			continue
		}
		w.asked = c.now()
		c.wanted[key] = w
		keys = append(keys, key)
		urls := append(slices.Clone(c.relays.order), w.relays...)
		slices.Sort(urls)
		for _, url := range slices.Compact(urls) {
			if c.relays.mayOpen(url) {
				byRelay[url] = append(byRelay[url], key)
			}
		}
	}
	return keys, byRelay
}

// foldProfile takes a profile. A room knows whose messages it changes; cards
// name people who wrote none, and are looked at again. mu is held.
func (c *Core) foldProfile(e *nostr.Event, _ int64) {
	if !c.profiles.Add(e) {
		return
	}
	for _, w := range c.watches {
		for id := range w.items {
			_, isAsk := c.cards.asks[id]
			if _, isTask := c.cards.tasks[id]; isAsk || isTask {
				w.markDirty(id)
			}
		}
	}
}

// MaxProfileField is the longest name, about or picture taken, in bytes.
const MaxProfileField = 4096

func (c *Core) setProfile(ctx context.Context, p port.Profile) error {
	if len(p.Name) > MaxProfileField || len(p.About) > MaxProfileField || len(p.Picture) > MaxProfileField {
		return invalid("A profile's field has %d bytes at most.", MaxProfileField)
	}
	if p.Picture != "" && !strings.HasPrefix(p.Picture, "https://") {
		return invalid("A picture's address starts with https://")
	}
	fields, err := c.profileFields(ctx)
	if err != nil {
		return err
	}
	for name, value := range map[string]string{"name": p.Name, "about": p.About, "picture": p.Picture} {
		if value == "" {
			delete(fields, name)
		} else {
			fields[name] = value
		}
	}
	delete(fields, "display_name") // it would hide the name
	content, err := json.Marshal(fields)
	if err != nil {
		return fmt.Errorf("write the profile: %w", err)
	}
	c.mu.Lock()
	relays := slices.Clone(c.relays.order)
	c.mu.Unlock()
	_, err = c.submit(ctx, act{
		event:  nostr.Event{Kind: nostr.KindProfileMetadata, CreatedAt: nostr.Timestamp(c.now()), Content: string(content)},
		relays: relays,
	})
	return err
}

// profileFields is what my newest kind 0 says, so that what other programs
// wrote there is kept.
func (c *Core) profileFields(ctx context.Context) (map[string]any, error) {
	records, err := c.Store.Query(ctx, store.Query{Authors: []string{c.me()}, Kinds: []int{nostr.KindProfileMetadata}, Limit: 1})
	if err != nil {
		return nil, fmt.Errorf("read your profile: %w", err)
	}
	fields := map[string]any{}
	if len(records) > 0 {
		if json.Unmarshal([]byte(records[0].Event.Content), &fields) != nil || fields == nil {
			fields = map[string]any{}
		}
	}
	return fields, nil
}
