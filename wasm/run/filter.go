package run

import "github.com/nbd-wtf/go-nostr"

// WrapBacklog is how far back in time the outer events of gift wraps may lie, in
// seconds (NIP-59: two days).
const WrapBacklog = 2 * 24 * 60 * 60

// runKinds are the kinds an agent writes, in the order of the NIP's filters.
var runKinds = []int{KindStatus, KindDelta, KindResponse, KindTool, KindError}

func kindsOfAgent() []int { return append([]int(nil), runKinds...) }

// FilterRun asks for everything an agent answers to one prompt. The prompt's id
// is known before it is published, so this is subscribed first: most relays keep
// nothing of these kinds.
func FilterRun(prompt, client, agent string) nostr.Filter {
	return nostr.Filter{Kinds: kindsOfAgent(), Authors: []string{agent},
		Tags: nostr.TagMap{"p": {client}, "e": {prompt}}}
}

// FilterResume asks again for the events of one run, as the NIP's recipe does.
func FilterResume(prompt, agent string) nostr.Filter {
	return nostr.Filter{Kinds: kindsOfAgent(), Authors: []string{agent}, Tags: nostr.TagMap{"e": {prompt}}}
}

// FilterAnswers asks for all that agents say to a person, with the messages that
// answer no prompt. Subscribed while a session is open.
func FilterAnswers(client string, agents ...string) nostr.Filter {
	return nostr.Filter{Kinds: kindsOfAgent(), Authors: agents, Tags: nostr.TagMap{"p": {client}}}
}

// FilterRecovery asks for all prompts and cancels of a person to agents. They
// are grouped into sessions here: a filter on s misses prompts without the tag.
func FilterRecovery(client string, agents ...string) nostr.Filter {
	return nostr.Filter{Kinds: []int{KindPrompt, KindCancel}, Authors: []string{client}, Tags: nostr.TagMap{"p": agents}}
}

// FilterInfo asks for what agents say about themselves.
func FilterInfo(agents ...string) nostr.Filter {
	return nostr.Filter{Kinds: []int{KindInfo}, Authors: agents}
}

// FilterWraps asks for gift wraps to a person or an agent since then (0: all).
// Outer times lie back in the past, so the filter goes WrapBacklog further.
func FilterWraps(pubkey string, since int64) nostr.Filter {
	f := nostr.Filter{Kinds: []int{KindWrap, KindWrapLive}, Tags: nostr.TagMap{"p": {pubkey}}}
	if since > 0 {
		t := nostr.Timestamp(max(0, since-WrapBacklog))
		f.Since = &t
	}
	return f
}

// FilterPrompts asks, as an agent, for prompts and cancels.
func FilterPrompts(agent string) nostr.Filter {
	return nostr.Filter{Kinds: []int{KindPrompt, KindCancel}, Tags: nostr.TagMap{"p": {agent}}}
}
