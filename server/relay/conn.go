package relay

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/gorilla/websocket"
)

// conn is one client. A goroutine reads its messages and takes them in order. Its
// events go on to a second, which checks them, and a third, which finishes them,
// in that order. A fourth writes.
type conn struct {
	relay     *Relay
	ws        *websocket.Conn
	ip        string
	challenge string
	out       *outbox
	reading   chan struct{} // a place for each query that reads the store
	arrived   chan pending  // events to be checked
	pending   chan pending  // events to be finished
	flow      flow          // bytes of both
	queries   sync.WaitGroup

	mu     sync.Mutex
	subs   map[string]*sub
	keys   keyring // replaced, never changed
	counts int     // COUNTs under way
}

var upgrader = websocket.Upgrader{
	HandshakeTimeout: 10 * time.Second,
	// Any site may have a client: nothing here goes by cookies.
	CheckOrigin: func(*http.Request) bool { return true },
}

func isUpgrade(req *http.Request) bool { return websocket.IsWebSocketUpgrade(req) }

// connect serves one client until it leaves.
func (r *Relay) connect(w http.ResponseWriter, req *http.Request) {
	ip := r.ClientIP(req)
	if !r.gates.enter(ip) {
		w.Header().Set("Retry-After", "30")
		http.Error(w, "There are too many connections from your address. Close some and try again.", http.StatusTooManyRequests)
		return
	}
	defer r.gates.leave(ip)
	ws, err := upgrader.Upgrade(w, req, nil)
	if err != nil {
		r.log.Debug("upgrading a connection", "ip", ip, "err", err) // the client was told
		return
	}
	defer ws.Close()
	c := &conn{
		relay: r, ws: ws, ip: ip, challenge: newChallenge(), out: newOutbox(ws.NetConn()),
		reading: make(chan struct{}, MaxQueries), arrived: make(chan pending, maxPending),
		pending: make(chan pending, maxPending), subs: map[string]*sub{},
	}
	c.flow.less = sync.NewCond(&c.flow.mu)
	if !r.enter(c) { // Close came between the handshake and here
		goodbye := websocket.FormatCloseMessage(closeGoingAway, "the relay is shutting down")
		if err := ws.WriteControl(websocket.CloseMessage, goodbye, time.Now().Add(WriteWait)); err != nil {
			r.log.Debug("saying goodbye", "ip", ip, "err", err)
		}
		return
	}
	defer r.leave(c)
	c.serve()
}

// newChallenge is what an AUTH must repeat (NIP-42).
func newChallenge() string {
	b := make([]byte, 16)
	rand.Read(b) // never fails (crypto/rand)
	return hex.EncodeToString(b)
}

func (r *Relay) enter(c *conn) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return false
	}
	r.conns[c] = struct{}{}
	r.running.Add(1)
	return true
}

func (r *Relay) leave(c *conn) {
	r.mu.Lock()
	delete(r.conns, c)
	r.mu.Unlock()
	r.running.Done()
}

// ClientIP is whose request it is. What a proxy on this machine says of its
// client is believed when the relay's address is a public one; nobody else's
// word is.
func (r *Relay) ClientIP(req *http.Request) string {
	host, _, err := net.SplitHostPort(req.RemoteAddr)
	if err != nil {
		return req.RemoteAddr
	}
	if ip := net.ParseIP(host); ip == nil || !ip.IsLoopback() || r.url.local() {
		return host
	}
	// The last entry is the one that our own proxy wrote.
	said := strings.Split(strings.Join(req.Header.Values("X-Forwarded-For"), ","), ",")
	if ip := net.ParseIP(strings.TrimSpace(said[len(said)-1])); ip != nil {
		return ip.String()
	}
	return host
}

// serve runs the connection and returns when all of it has ended.
func (c *conn) serve() {
	var helpers sync.WaitGroup
	helpers.Add(3)
	go func() { // ends when the outbox is killed
		defer helpers.Done()
		c.out.run()
	}()
	go func() { // ends when arrived is closed
		defer helpers.Done()
		defer close(c.pending)
		c.checkAll()
	}()
	go func() { // ends when pending is closed
		defer helpers.Done()
		c.finishAll()
	}()
	c.out.putText(message(msgAuth, c.challenge))
	c.read()
	if !c.out.saidGoodbye() { // else it ends once that is written
		c.out.kill()
	}
	c.endSubs()
	close(c.arrived)
	helpers.Wait()
	c.queries.Wait()
}

// read takes messages until the connection ends.
func (c *conn) read() {
	c.ws.SetReadLimit(MaxMessage)
	alive := func() { c.ws.SetReadDeadline(time.Now().Add(SilentFor)) } // fails when closed, as reading then does
	c.ws.SetPongHandler(func(string) error { alive(); return nil })
	c.ws.SetPingHandler(func(payload string) error {
		alive()
		c.out.put(frame{op: opPong, head: []byte(payload)})
		return nil
	})
	c.ws.SetCloseHandler(func(int, string) error {
		c.out.goodbye(closeNormal, "")
		return nil
	})
	for {
		alive()
		if err := c.take(); err != nil {
			c.relay.log.Debug("a connection ends", "ip", c.ip, "err", err)
			return
		}
	}
}

// errCrowded ends a connection whose long message finds no room.
var errCrowded = refuse(rateLimited, "too many long messages are on their way; try again later")

// take reads one message and does what it says. Long ones need a place, of
// which there are few, so that nobody fills the memory by sending slowly.
func (c *conn) take() error {
	kind, reader, err := c.ws.NextReader()
	if err != nil {
		return err
	}
	data, err := io.ReadAll(io.LimitReader(reader, shortMessage))
	if err != nil {
		return err
	}
	if len(data) == shortMessage {
		if !c.relay.gates.enterLong(c.ip) {
			c.notice(errCrowded)
			c.out.goodbye(closeTryLater, errCrowded.Error())
			return errCrowded
		}
		defer c.relay.gates.leaveLong(c.ip)
		rest, err := io.ReadAll(reader)
		if err != nil {
			return err
		}
		data = append(data, rest...)
	}
	if kind != websocket.TextMessage {
		c.notice(refuse(invalid, "messages must be text"))
		return nil
	}
	c.handle(data)
	return nil
}

// handle does what one message says. A panic costs the client its connection
// and nobody else anything.
func (c *conn) handle(data []byte) {
	defer c.fence("handling a message")
	label, parts, err := splitMessage(data)
	if err != nil {
		c.notice(err)
		return
	}
	if label != msgEvent && label != msgClose {
		if wait, ok := c.relay.gates.request(c.ip); !ok {
			c.tooFast(label, parts, slowDown("requests", wait))
			return
		}
	}
	switch label {
	case msgEvent:
		c.event(parts[0], len(data))
	case msgReq:
		c.request(parts)
	case msgCount:
		c.count(parts)
	case msgClose:
		var id string
		if text(parts[0], &id) {
			c.endSub(id)
		}
	case msgAuth:
		c.auth(parts[0])
	default:
		c.notice(refuse(invalid, "this relay does not know %.20q messages", label))
	}
}

func (c *conn) fence(what string) {
	if p := recover(); p != nil {
		c.relay.log.Error(what, "panic", p)
		c.out.kill()
	}
}

// tooFast answers a request there is no room for, each in its own way.
func (c *conn) tooFast(label string, parts []json.RawMessage, err error) {
	var id string
	if (label == msgReq || label == msgCount) && text(parts[0], &id) && len(id) <= 4*MaxSubID {
		c.out.putText(message(msgClosed, id, err.Error()))
		return
	}
	c.notice(err)
}

func (c *conn) notice(err error) { c.out.putText(message(msgNotice, err.Error())) }
