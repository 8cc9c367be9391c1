package serve

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"parley/server/agent"
	"parley/server/files"
	"parley/server/pages"
	"parley/server/relay"
	"parley/web"
)

const (
	headerTimeout = 10 * time.Second // to send a request's header
	idleTimeout   = 2 * time.Minute  // between two requests of a connection
	maxHeader     = 32 << 10         // bytes of a request's header
	closeTimeout  = 10 * time.Second // for requests to end by themselves
)

// Main is a running server. New makes it, Run starts it, Close ends it.
type Main struct {
	config Config
	log    *slog.Logger
	build  string

	listener net.Listener
	server   *http.Server
	relay    *relay.Relay // nil without an embedded relay
	agent    *agent.Agent // nil without a house agent
	ready    atomic.Bool
	failed   chan error // cap 1: why serving ended by itself

	closing sync.Once
	closed  error // what closing came to
}

// New returns a server that is not running yet.
func New(config Config) *Main {
	log := config.Log
	if log == nil {
		log = slog.Default()
	}
	return &Main{config: config, log: log, failed: make(chan error, 1)}
}

// Run starts the server and returns once it answers. It serves until Close;
// should it end before, Failed says why.
func (m *Main) Run() (err error) {
	if err := m.config.Check(); err != nil {
		return err
	}
	m.listener, err = net.Listen("tcp", m.config.Addr)
	if err != nil {
		return fmt.Errorf("listening on %s: %w", m.config.Addr, err)
	}
	handler, err := m.handler()
	if err != nil {
		return errors.Join(fmt.Errorf("starting the server: %w", err), m.listener.Close())
	}
	if err := m.prepareAgent(); err != nil {
		return errors.Join(fmt.Errorf("starting the house agent: %w", err), m.closeRelay(context.Background()), m.listener.Close())
	}
	m.server = &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: headerTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeader,
		ErrorLog:          slog.NewLogLogger(m.log.Handler(), slog.LevelWarn),
	}
	go func() { // ends when Close closes the server
		if err := m.server.Serve(m.listener); !errors.Is(err, http.ErrServerClosed) {
			m.failed <- fmt.Errorf("serving on %s: %w", m.listener.Addr(), err)
		}
	}()
	m.runAgent()
	m.ready.Store(true)
	m.log.Info("serving", "addr", m.listener.Addr().String(), "url", m.URL(), "build", m.build, "relays", m.config.Relays)
	return nil
}

// Failed delivers why the server ended, if not by Close.
func (m *Main) Failed() <-chan error { return m.failed }

// Addr returns what the server listens on, once Run has returned.
func (m *Main) Addr() net.Addr { return m.listener.Addr() }

// URL returns the public address, without a slash at the end. Without -url it
// is known once Run has returned.
func (m *Main) URL() string {
	if m.config.URL != "" {
		return strings.TrimSuffix(m.config.URL, "/")
	}
	host, _, _ := net.SplitHostPort(m.config.Addr) // Check has seen it
	_, port, _ := net.SplitHostPort(m.listener.Addr().String())
	return "http://" + net.JoinHostPort(host, port)
}

// Close ends the server: it takes no new requests, says goodbye to the relay's
// clients and waits a while for requests under way. Closing again, or what
// never ran, does nothing.
func (m *Main) Close() error {
	if m.server == nil {
		return nil
	}
	m.closing.Do(func() { m.closed = m.close() })
	return m.closed
}

func (m *Main) close() error {
	m.ready.Store(false)
	ctx, cancel := context.WithTimeout(context.Background(), closeTimeout)
	defer cancel()
	err := errors.Join(m.closeAgent(), m.closeRelay(ctx), m.server.Shutdown(ctx))
	if err != nil {
		return fmt.Errorf("closing the server: %w", errors.Join(err, m.server.Close()))
	}
	m.log.Info("closed")
	return nil
}

// closeRelay ends the embedded relay, since Shutdown knows nothing of
// WebSockets.
func (m *Main) closeRelay(ctx context.Context) error {
	if m.relay == nil {
		return nil
	}
	return m.relay.Close(ctx)
}

// handler puts together everything the server answers.
func (m *Main) handler() (http.Handler, error) {
	static, err := files.New(m.config.Files)
	if err != nil {
		return nil, err
	}
	m.build = static.Index().Build
	site, err := pages.Site(static.Index(), "/")
	if err != nil {
		return nil, err
	}
	var rooms []web.Room
	if m.embedded() {
		rooms = []web.Room{{Name: "Lobby", Path: "/rooms/" + lobby}}
	}
	app, err := pages.New(site, rooms)
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	mux.Handle("/", app)
	mux.Handle("/assets/", static)
	mux.Handle("/manifest.webmanifest", static)
	mux.HandleFunc("GET /config.json", m.serveConfig)
	mux.HandleFunc("GET /healthz", serveHealth)
	mux.HandleFunc("GET /readyz", m.serveReady)
	mux.HandleFunc("GET /robots.txt", serveRobots)
	for _, none := range []string{"/favicon.ico", "/sitemap.xml", "/ads.txt"} {
		mux.HandleFunc(none, serveNone)
	}
	if err := m.openRelay(mux); err != nil {
		return nil, err
	}
	front, err := m.withFiles(mux)
	if err != nil {
		return nil, err
	}
	policy := web.Policy{PlainHTTP: !strings.HasPrefix(m.config.URL, "https://")}
	return secure(policy.String(), front), nil
}
