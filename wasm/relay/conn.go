package relay

import (
	"context"
	"time"
)

// Conn is one open WebSocket that carries text frames. There is one in the
// browser (conn_js.go) and one elsewhere (conn_notjs.go).
type Conn interface {
	// Read gives the next text frame. After the connection has ended it gives
	// what is left and then an error that says why, in words.
	Read(ctx context.Context) (Frame, error)
	// Send hands a text frame over and does not wait for the network. An
	// error means that the connection has ended or is hopelessly behind.
	Send(frame string) error
	// Close ends the connection at once and frees everything it holds.
	Close()
}

// Frame is one message from a relay.
type Frame struct {
	// Text is empty when the frame was over MaxFrame, or not text.
	Text string
	// Oversized: it was over MaxFrame bytes and was thrown away.
	Oversized bool
	// Binary: it was not a text frame and was thrown away.
	Binary bool
}

// Dialer opens a connection. When ctx ends first, nothing may be left open.
type Dialer func(ctx context.Context, url string) (Conn, error)

// Clock is the time and its alarms.
type Clock interface {
	Now() time.Time
	// AfterFunc calls f once, d from now, unless stop is called before.
	AfterFunc(d time.Duration, f func()) (stop func())
}

// Dial opens a real socket: what a pool does unless Options.Dial is set.
func Dial(ctx context.Context, url string) (Conn, error) { return dial(ctx, url) }
