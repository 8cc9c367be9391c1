package relay

import (
	"errors"
	"time"
)

// Sizes. A relay that oversteps costs itself something, never the others.
const (
	// MaxFrame is the longest frame read, in bytes: our own relay's largest
	// (2.25 MiB) with room to spare. A longer one is ignored and counted.
	MaxFrame = 4 << 20
	// MaxBacklog is how many bytes of a relay may wait to be taken out of Next,
	// each thing counted with Overhead. Past it the connection is closed.
	MaxBacklog = 32 << 20
	Overhead   = 512
	// MaxUnsent is how many bytes may wait for the network. Past it the
	// connection is given up.
	MaxUnsent = 8 << 20
	// MaxRelays is how many relays a pool holds (browsers allow about 200
	// sockets a process).
	MaxRelays = 100
	// MaxLive and MaxOneShot are how many subscriptions and Fetches of one
	// relay are open at once. Others wait in line.
	MaxLive    = 16
	MaxOneShot = 4
	// MaxSeen is how many event ids a subscription remembers.
	MaxSeen = 10_000
	// MaxFetch is how many events Fetch gives.
	MaxFetch = 10_000
	// MaxBatch is how many things Next gives at once.
	MaxBatch = 512
	// MaxNotices is how many NOTICEs are kept of a relay.
	MaxNotices = 20
	// MaxWords is how much of a NOTICE or a reason is kept, in bytes.
	MaxWords = 1000
)

// Overlap is how far before the newest known event a subscription asks again
// after a reconnect, in seconds: clocks differ, and relays store late.
const Overlap = 600

// Times.
const (
	// DialWait is how long opening a socket may take.
	DialWait = 10 * time.Second
	// FirstRetry and LastRetry bound the wait between two attempts to connect,
	// which doubles, less up to half of it at random. StableAfter is how long
	// a connection must stand for the waiting to begin anew.
	FirstRetry  = time.Second
	LastRetry   = time.Minute
	StableAfter = 30 * time.Second
	// KickAfter is how soon after an attempt a person's act, or Probe, makes
	// another one.
	KickAfter = time.Second
	// EOSEWait is how long a relay may be silent on a subscription before its
	// EOSE, EOSELimit how long EOSE may take in all, EOSETries how often it is
	// asked on one connection.
	EOSEWait  = 15 * time.Second
	EOSELimit = time.Minute
	EOSETries = 3
	// SilenceAfter is how long a relay may be silent before it is probed;
	// ProbeWait is how long it may then stay silent, and ProbeLimit how long
	// the answer to the probe itself may take while other frames arrive.
	SilenceAfter = time.Minute
	ProbeWait    = 8 * time.Second
	ProbeLimit   = 40 * time.Second
	// Heartbeat is how often the clock is looked at; when it has jumped by
	// JumpAfter more, the machine was asleep and every relay is probed.
	Heartbeat = 10 * time.Second
	JumpAfter = 10 * time.Second
	// OKWait is how long a relay may take to answer an EVENT or an AUTH. A
	// person who reads a signer's dialog has all the time in the world.
	OKWait = 20 * time.Second
	// ChallengeWait is how long a relay that refused for want of AUTH may take
	// to send its challenge.
	ChallengeWait = 10 * time.Second
	// FirstAskAgain and LastAskAgain bound the wait before a subscription that
	// was closed with rate-limited: or error: is asked again; it doubles.
	FirstAskAgain = 5 * time.Second
	LastAskAgain  = 5 * time.Minute
	// IdleAfter is how long a connection that nobody needs is kept.
	IdleAfter = 30 * time.Second
)

// Why a connection ends, in words.
var (
	errFlooded     = errors.New("the relay sends more than can be read")
	errNotOpen     = errors.New("the connection is closed")
	errUnsent      = errors.New("the relay takes nothing any more")
	errSilent      = errors.New("the relay does not answer any more")
	errDialTimeout = errors.New("the relay did not answer in time")
)
