//go:build !js

package relay

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/coder/websocket"
)

// writeWait is how long the network may take for one frame.
const writeWait = 10 * time.Second

// socket is a WebSocket over coder/websocket. A goroutine of its own writes,
// so that a peer that does not read blocks nobody.
type socket struct {
	ws     *websocket.Conn
	ctx    context.Context
	cancel context.CancelFunc
	signal chan struct{} // holds 1: something is to be written
	done   chan struct{} // closed when the writer has ended

	mu     sync.Mutex
	unsent []string
	bytes  int
	ended  error
}

func dial(ctx context.Context, url string) (Conn, error) {
	ws, _, err := websocket.Dial(ctx, url, nil)
	if err != nil {
		return nil, err
	}
	ws.SetReadLimit(-1) // Read has its own, which does not end the connection
	s := &socket{ws: ws, signal: make(chan struct{}, 1), done: make(chan struct{})}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	go s.write()
	return s, nil
}

// write ends with the connection.
func (s *socket) write() {
	defer close(s.done)
	for {
		s.mu.Lock()
		frames := s.unsent
		s.unsent = nil
		s.mu.Unlock()
		for _, frame := range frames {
			ctx, cancel := context.WithTimeout(s.ctx, writeWait)
			err := s.ws.Write(ctx, websocket.MessageText, []byte(frame))
			cancel()
			if err != nil {
				s.end(fmt.Errorf("the connection broke while sending: %w", err))
				return
			}
			s.mu.Lock()
			s.bytes -= len(frame)
			s.mu.Unlock()
		}
		select {
		case <-s.signal:
		case <-s.ctx.Done():
			return
		}
	}
}

// end closes the connection at once, without the closing handshake, for which
// a hostile peer could make us wait; the first reason stays.
func (s *socket) end(why error) {
	s.mu.Lock()
	if s.ended == nil {
		s.ended = why
	}
	s.mu.Unlock()
	s.cancel()
	s.ws.CloseNow()
}

func (s *socket) Read(ctx context.Context) (Frame, error) {
	kind, reader, err := s.ws.Reader(ctx)
	if err != nil {
		return Frame{}, s.reason(err)
	}
	text, err := io.ReadAll(io.LimitReader(reader, MaxFrame+1))
	if err == nil && len(text) > MaxFrame {
		_, err = io.Copy(io.Discard, reader)
	}
	switch {
	case err != nil:
		return Frame{}, s.reason(err)
	case len(text) > MaxFrame:
		return Frame{Oversized: true}, nil
	case kind != websocket.MessageText:
		return Frame{Binary: true}, nil
	}
	return Frame{Text: string(text)}, nil
}

// reason puts the end of the connection in words.
func (s *socket) reason(err error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var closed websocket.CloseError
	switch {
	case s.ended != nil:
		return s.ended
	case errors.As(err, &closed) && closed.Reason != "":
		return fmt.Errorf("the relay closed the connection: %.200q (code %d)", closed.Reason, closed.Code)
	case errors.As(err, &closed):
		return fmt.Errorf("the relay closed the connection (code %d)", closed.Code)
	}
	return fmt.Errorf("the connection broke: %w", err)
}

func (s *socket) Send(frame string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.ended != nil:
		return s.ended
	case s.bytes > MaxUnsent:
		return errUnsent
	}
	s.unsent = append(s.unsent, frame)
	s.bytes += len(frame)
	select {
	case s.signal <- struct{}{}:
	default:
	}
	return nil
}

func (s *socket) Close() {
	s.end(errNotOpen)
	<-s.done
}
