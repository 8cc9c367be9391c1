package relay

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"syscall/js"

	"parley/wasm/internal/jsx"
)

// normalClosure is the one close code below 3000 that browsers accept; any
// other makes close() throw and leaves the socket open.
const normalClosure = 1000

const readyStateOpen = 1

// socket is the browser's own WebSocket. Its callbacks only enqueue.
type socket struct {
	ws     js.Value
	signal chan struct{} // holds 1: something was enqueued

	mu     sync.Mutex
	opened bool
	frames []Frame
	bytes  int
	ended  error
	remove []func()
}

// dial opens a WebSocket. In a page that came over https the browser refuses
// ws:// by throwing.
func dial(ctx context.Context, url string) (Conn, error) {
	s := &socket{signal: make(chan struct{}, 1)}
	if err := jsx.Try(func() { s.ws = js.Global().Get("WebSocket").New(url) }); err != nil {
		return nil, fmt.Errorf("the browser refuses to connect: %w", err)
	}
	s.ws.Set("binaryType", "arraybuffer")
	s.remove = []func(){
		jsx.Listen(s.ws, "open", func(js.Value) { s.change(func() { s.opened = true }) }),
		jsx.Listen(s.ws, "message", s.onMessage),
		// An error event says nothing, and a close event always follows.
		jsx.Listen(s.ws, "close", func(ev js.Value) {
			s.end(closeReason(ev.Get("code").Int(), ev.Get("reason").String()))
		}),
	}
	for {
		s.mu.Lock()
		opened, ended := s.opened, s.ended
		s.mu.Unlock()
		switch {
		case opened:
			return s, nil
		case ended != nil:
			return nil, errors.New("no connection could be made")
		}
		select {
		case <-s.signal:
		case <-ctx.Done():
			s.Close()
			return nil, context.Cause(ctx)
		}
	}
}

func closeReason(code int, reason string) error {
	switch {
	case reason != "":
		return fmt.Errorf("the relay closed the connection: %.200q (code %d)", reason, code)
	case code == 1006: // what browsers say of a connection that broke
		return errors.New("the connection broke")
	default:
		return fmt.Errorf("the relay closed the connection (code %d)", code)
	}
}

func (s *socket) onMessage(ev js.Value) {
	data := ev.Get("data")
	var frame Frame
	switch {
	case data.Type() != js.TypeString:
		frame.Binary = true
	case units(data) > MaxFrame: // at least as many bytes
		frame.Oversized = true
	default:
		if frame.Text = data.String(); len(frame.Text) > MaxFrame {
			frame = Frame{Oversized: true}
		}
	}
	flooded := false
	s.change(func() {
		s.frames = append(s.frames, frame)
		s.bytes += len(frame.Text)
		flooded = s.bytes > MaxBacklog
	})
	if flooded {
		s.end(errFlooded)
	}
}

// object makes an object of any value.
var object = js.Global().Get("Object")

// units gives a string's length in UTF-16 units, without copying it to Go.
// Only of an object can a property be read.
func units(text js.Value) int { return object.Invoke(text).Get("length").Int() }

// change enqueues and wakes whoever waits, without blocking.
func (s *socket) change(f func()) {
	s.mu.Lock()
	f()
	s.mu.Unlock()
	select {
	case s.signal <- struct{}{}:
	default:
	}
}

// end closes and frees the socket; the first reason stays.
func (s *socket) end(why error) {
	first := false
	s.change(func() {
		if first = s.ended == nil; first {
			s.ended = why
		}
	})
	if !first {
		return
	}
	for _, remove := range s.remove {
		remove()
	}
	// It cannot throw with this code; if a browser does, the socket is beyond
	// our reach anyway.
	_ = jsx.Try(func() { s.ws.Call("close", normalClosure) })
}

func (s *socket) Read(ctx context.Context) (Frame, error) {
	for {
		s.mu.Lock()
		if len(s.frames) > 0 {
			frame := s.frames[0]
			s.frames[0] = Frame{}
			s.frames = s.frames[1:]
			s.bytes -= len(frame.Text)
			s.mu.Unlock()
			return frame, nil
		}
		ended := s.ended
		s.mu.Unlock()
		if ended != nil {
			return Frame{}, ended
		}
		select {
		case <-s.signal:
		case <-ctx.Done():
			return Frame{}, ctx.Err()
		}
	}
}

func (s *socket) Send(frame string) error {
	switch {
	case s.ws.Get("readyState").Int() != readyStateOpen:
		return errNotOpen
	case s.ws.Get("bufferedAmount").Int() > MaxUnsent:
		return errUnsent
	}
	return jsx.Try(func() { s.ws.Call("send", frame) })
}

func (s *socket) Close() { s.end(errNotOpen) }
