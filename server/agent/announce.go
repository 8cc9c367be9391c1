package agent

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/nbd-wtf/go-nostr"

	"parley/wasm/run"
)

// introduce tells a relay, once, who the agent is and what it can do, and reads
// what the relay says about itself.
func (a *Agent) introduce(url string) {
	h := a.home(url)
	if h == nil {
		return
	}
	h.mu.Lock()
	first := !h.asked
	h.asked = true
	h.mu.Unlock()
	if !first {
		return
	}
	a.wg.Go(func() {
		if err := h.read(a.work); err != nil {
			a.log.Info("a relay does not say what it is", "err", err)
		}
		close(h.known)
		a.announce(url)
		close(h.told)
	})
}

// announce publishes kind 0, unless there is one, and 31340, unless it is as it
// should be.
func (a *Agent) announce(url string) {
	events, err := a.fetch(a.work, url, nostr.Filter{Kinds: []int{nostr.KindProfileMetadata, run.KindInfo}, Authors: []string{a.keys.PubKey}})
	if err != nil {
		a.log.Warn("asking a relay what it knows of the agent", "err", err)
		return
	}
	now := a.now()
	profile := nostr.Event{Kind: nostr.KindProfileMetadata, CreatedAt: nostr.Timestamp(now), Content: a.profile()}
	info, err := run.NewInfo(a.info, a.keys.PubKey, now)
	if err != nil {
		a.log.Error("writing the agent's info", "err", err)
		return
	}
	wanted := map[int]*nostr.Event{profile.Kind: &profile, info.Kind: &info}
	for _, old := range events {
		next := wanted[old.Kind]
		switch {
		case next == nil:
		case old.Kind == nostr.KindProfileMetadata && old.Content != next.Content:
			a.callItself(old.Content)
			delete(wanted, old.Kind)
		case old.Kind == nostr.KindProfileMetadata, old.Content == next.Content && old.Tags.GetD() == next.Tags.GetD():
			delete(wanted, old.Kind)
		case old.CreatedAt >= next.CreatedAt:
			next.CreatedAt = old.CreatedAt + 1
		}
	}
	for _, ev := range wanted {
		if err := a.sign(ev); err != nil {
			a.log.Error("introducing the agent", "err", err)
			continue
		}
		if v := a.publish(a.work, []string{url}, ev); !v.stored {
			a.log.Warn("a relay does not take what the agent says of itself", "kind", ev.Kind, "because", v.words)
		}
	}
}

// defaultName is what an agent is called that was given no name.
const defaultName = "Agent"

// callItself takes over the name of a profile that somebody gave the agent, so
// that it hears when it is called.
func (a *Agent) callItself(content string) {
	var profile struct {
		Name        string `json:"name"`
		DisplayName string `json:"display_name"`
	}
	if json.Unmarshal([]byte(content), &profile) != nil {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, name := range []string{profile.DisplayName, profile.Name} {
		if name = strings.TrimSpace(name); name != "" && !slices.Contains(a.names, name) {
			a.names = append(a.names, name)
		}
	}
}

// profile is the content of kind 0 (NIP-01, NIP-24).
func (a *Agent) profile() string {
	name, about := a.config.Name, a.config.About
	if name == "" {
		name = defaultName
	}
	if about == "" {
		about = a.config.Brain.About().Words
	}
	content, _ := json.Marshal(struct { // strings and a bool cannot fail
		Name  string `json:"name"`
		About string `json:"about,omitempty"`
		Bot   bool   `json:"bot"`
	}{name, about, true})
	return string(content)
}
