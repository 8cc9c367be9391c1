package relay

import (
	"context"
	"fmt"
	"time"
)

// link is the connection of a relay, or what is known about the next one.
type link struct {
	conn   Conn
	frames chan Frame // closed when the connection has ended
	ended  *error     // why; to be read after frames is closed
	ctx    context.Context
	cancel context.CancelFunc
	// lastFrame is when something was last heard; at first, when it opened.
	lastFrame time.Time
	openedAt  time.Time

	dialing  bool
	attempt  int // since it was last online for a while
	triedAt  time.Time
	retryAt  time.Time
	lastWord string // why the last one ended
}

// framesAhead is how many frames wait between the reader and the relay.
const framesAhead = 64

// dial begins an attempt to connect.
func (r *relay) dial(now time.Time) {
	r.link.dialing = true
	r.link.attempt++
	r.link.triedAt = now
	r.setState(Connecting, r.link.lastWord)
	ctx, cancel := context.WithCancelCause(r.ctx)
	stop := r.pool.options.Clock.AfterFunc(DialWait, func() { cancel(errDialTimeout) })
	r.pool.wg.Go(func() {
		conn, err := r.pool.options.Dial(ctx, r.url)
		stop()
		if cause := context.Cause(ctx); err != nil && cause != nil {
			err = cause
		}
		cancel(nil)
		if !r.mail.post(func() { r.dialed(conn, err) }) && conn != nil {
			conn.Close()
		}
	})
}

// dialed takes the outcome of an attempt.
func (r *relay) dialed(conn Conn, err error) {
	r.link.dialing = false
	if r.ctx.Err() != nil { // shutdown tells those who wait
		if conn != nil {
			conn.Close()
		}
		return
	}
	now := r.now()
	if err != nil {
		r.rest(now, fmt.Errorf("cannot connect: %w", err))
		for _, p := range r.pubs {
			r.finishPub(p, published{err: fmt.Errorf("%w: %v", ErrOffline, err)})
		}
		r.endFetches(fmt.Errorf("%w: %v", ErrOffline, err))
		return
	}
	r.link.conn = conn
	r.link.frames = make(chan Frame, framesAhead)
	r.link.ended = new(error)
	r.link.ctx, r.link.cancel = context.WithCancel(r.ctx)
	r.link.lastFrame, r.link.openedAt = now, now
	r.auth, r.probe = auth{}, probe{}
	l := r.link
	r.pool.wg.Go(func() { read(l.ctx, conn, l.frames, l.ended) })
	r.setState(Online, "")
}

// read is the connection's reader. It ends with the connection.
func read(ctx context.Context, conn Conn, frames chan<- Frame, ended *error) {
	defer close(frames)
	for {
		frame, err := conn.Read(ctx)
		if err != nil {
			*ended = err
			return
		}
		select {
		case frames <- frame:
		case <-ctx.Done():
			*ended = ctx.Err()
			return
		}
	}
}

// lost ends the connection and plans the next attempt.
func (r *relay) lost(why error) {
	if r.link.conn == nil {
		return
	}
	now := r.now()
	if now.Sub(r.link.openedAt) >= StableAfter {
		r.link.attempt = 0
	}
	r.hangUp()
	r.rest(now, why)
	for _, p := range r.pubs {
		r.finishPub(p, published{err: fmt.Errorf("%w: %v", ErrLost, why)})
	}
	r.endFetches(fmt.Errorf("%w: %v", ErrLost, why))
	for _, s := range r.subs {
		s.disconnected()
	}
}

// hangUp closes the connection, if there is one.
func (r *relay) hangUp() {
	if r.link.conn == nil {
		return
	}
	r.link.cancel()
	r.link.conn.Close()
	r.link.conn, r.link.frames = nil, nil
	r.auth, r.probe = auth{}, probe{}
	clear(r.byID)
}

// rest waits before the next attempt: longer each time, and less up to half
// at random, so that not all clients of a relay that was restarted come at
// once.
func (r *relay) rest(now time.Time, why error) {
	wait := backoff(max(r.link.attempt, 1), FirstRetry, LastRetry)
	wait -= time.Duration(float64(wait) / 2 * r.pool.options.Rand())
	r.link.retryAt = now.Add(wait)
	r.link.lastWord = words(why.Error())
	r.setState(Offline, r.link.lastWord)
}

// kick makes the next attempt now, or as soon as KickAfter allows.
func (r *relay) kick() {
	if soon := r.link.triedAt.Add(KickAfter); r.link.retryAt.After(soon) {
		r.link.retryAt = soon
	}
}

func (r *relay) setState(phase Phase, reason string) {
	now := r.now()
	state := State{URL: r.url, Phase: phase, Reason: reason, Since: now.Unix(), Attempt: r.link.attempt}
	if phase == Offline && r.needed() {
		state.RetryAt = r.link.retryAt.Unix()
	}
	r.front.mu.Lock()
	if r.front.now.Phase == phase {
		state.Since = r.front.now.Since
	}
	r.front.now = state
	r.front.mu.Unlock()
	r.push(Incoming{Kind: GotState, State: state})
}

// checkBacklog ends the connection of a relay that sends more than is read.
func (r *relay) checkBacklog() {
	if r.backlog.Load() > MaxBacklog {
		r.lost(errFlooded)
	}
}
