package relay

import (
	"encoding/binary"
	"net"
	"sync"
	"time"
)

// Opcodes of RFC 6455, section 5.2, each with the FIN bit.
const (
	opText  = 0x81
	opClose = 0x88
	opPing  = 0x89
	opPong  = 0x8a
)

// Close codes of RFC 6455, section 7.4.1.
const (
	closeNormal    = 1000
	closeGoingAway = 1001
	closeTryLater  = 1013
)

// frame is one message to a client: a head of its own, and a body that is
// shared by all who get the same event.
type frame struct {
	op   byte
	head []byte
	body []byte
	tail []byte
	last bool // nothing is sent after it
}

// closeBracket ends every message that carries an event.
var closeBracket = []byte("]")

func (f frame) size() int { return len(f.head) + len(f.body) + len(f.tail) }

// outbox is what waits for one client, counted in bytes. One goroutine writes
// it out; nobody else writes to the connection, whose frames are put together
// here rather than by the WebSocket library so that many go in one write.
type outbox struct {
	net  net.Conn
	wake chan struct{} // cap 1: there is something to write, or the end

	mu      sync.Mutex
	room    *sync.Cond // bytes went down, or the end came
	frames  []frame
	waiting int // bytes of frames, and of what is being written
	dead    bool
	leaving bool // goodbye was said
}

func newOutbox(conn net.Conn) *outbox {
	o := &outbox{net: conn, wake: make(chan struct{}, 1)}
	o.room = sync.NewCond(&o.mu)
	return o
}

// put adds a frame and never waits. A client with too much waiting is cut off.
// It says whether the frame was taken.
func (o *outbox) put(f frame) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.dead || o.leaving {
		return false
	}
	if o.waiting+f.size() > MaxBacklog && o.waiting > 0 {
		o.end()
		return false
	}
	o.add(f)
	return true
}

// putText adds a text message.
func (o *outbox) putText(message []byte) bool { return o.put(frame{op: opText, head: message}) }

func (o *outbox) add(f frame) {
	o.frames = append(o.frames, f)
	o.waiting += f.size()
	select {
	case o.wake <- struct{}{}:
	default:
	}
}

// waitRoom waits until little enough waits that stored events may be added. It
// says false once the connection has ended.
func (o *outbox) waitRoom() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	for !o.dead && !o.leaving && o.waiting > StoredBacklog {
		o.room.Wait()
	}
	return !o.dead && !o.leaving
}

// goodbye closes the connection once what waits is written.
func (o *outbox) goodbye(code uint16, reason string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.dead || o.leaving {
		return
	}
	payload := append(binary.BigEndian.AppendUint16(nil, code), reason...)
	o.add(frame{op: opClose, head: payload, last: true})
	o.leaving = true
	o.room.Broadcast()
}

// kill ends the connection at once.
func (o *outbox) kill() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.end()
}

// ended says whether anything put in now would be lost.
func (o *outbox) ended() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.dead || o.leaving
}

func (o *outbox) saidGoodbye() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.leaving
}

// end is kill for who holds mu.
func (o *outbox) end() {
	if o.dead {
		return
	}
	o.dead = true
	o.frames = nil
	o.net.Close() // the reader and the writer see it; there is nobody to tell
	o.room.Broadcast()
	select {
	case o.wake <- struct{}{}:
	default:
	}
}

// take hands over all that waits; ok is false after the end.
func (o *outbox) take() (frames []frame, ok bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	frames, o.frames = o.frames, nil
	return frames, !o.dead
}

// wrote says that so many bytes are out.
func (o *outbox) wrote(n int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.waiting -= n
	if o.waiting <= StoredBacklog {
		o.room.Broadcast()
	}
}

const (
	writeSize = 64 << 10 // bytes of one write
	copySize  = 8 << 10  // a body up to this is copied together with others
)

// run writes until the connection ends, and pings now and then.
func (o *outbox) run() {
	defer o.kill()
	ping := time.NewTicker(PingEvery)
	defer ping.Stop()
	buf := make([]byte, 0, 4<<10)
	for {
		select {
		case <-o.wake:
		case <-ping.C:
			o.put(frame{op: opPing})
		}
		frames, ok := o.take()
		if !ok {
			return
		}
		var err error
		if buf, err = o.write(frames, buf); err != nil {
			return
		}
		if cap(buf) > 2*writeSize {
			buf = nil
		}
		if n := len(frames); n > 0 && frames[n-1].last {
			return
		}
	}
}

// write writes frames, small ones together. It returns the buffer, empty.
func (o *outbox) write(frames []frame, buf []byte) ([]byte, error) {
	held := 0 // bytes of the frames in buf
	flush := func() error {
		err := o.send(buf)
		buf = buf[:0]
		o.wrote(held)
		held = 0
		return err
	}
	for i, f := range frames {
		frames[i] = frame{last: f.last} // what is written need not be held
		buf = header(buf, f.op, f.size())
		buf = append(buf, f.head...)
		if len(f.body) > copySize {
			if err := flush(); err != nil {
				return buf, err
			}
			if err := o.send(f.body); err != nil {
				return buf, err
			}
		} else {
			buf = append(buf, f.body...)
		}
		buf = append(buf, f.tail...)
		if held += f.size(); len(buf) >= writeSize-copySize {
			if err := flush(); err != nil {
				return buf, err
			}
		}
	}
	return buf, flush()
}

// send writes bytes; a client has its time for each piece of them.
func (o *outbox) send(b []byte) error {
	for len(b) > 0 {
		piece := b[:min(len(b), writeSize)]
		if err := o.net.SetWriteDeadline(time.Now().Add(WriteWait)); err != nil {
			return err
		}
		if _, err := o.net.Write(piece); err != nil {
			return err
		}
		b = b[len(piece):]
	}
	return nil
}

// header begins a frame (RFC 6455, section 5.2; a server does not mask).
func header(buf []byte, op byte, size int) []byte {
	switch {
	case size < 126:
		return append(buf, op, byte(size))
	case size <= 0xffff:
		return binary.BigEndian.AppendUint16(append(buf, op, 126), uint16(size))
	}
	return binary.BigEndian.AppendUint64(append(buf, op, 127), uint64(size))
}
