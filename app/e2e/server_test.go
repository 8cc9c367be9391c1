package e2e

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// patience is how long a test waits for what must come.
const patience = 30 * time.Second

// server is a running bin/parley.
type server struct {
	t      testing.TB
	data   string
	args   []string
	addr   string // host:port, the same over restarts
	url    string
	relay  string // WebSocket URL of the embedded relay, "" without one
	cmd    *exec.Cmd
	output *lines
}

// lines keeps what a program has printed.
type lines struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *lines) add(line string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.text.WriteString(line + "\n")
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// binary is the product under test, built by make.
func binary(t testing.TB) string {
	t.Helper()
	path, err := filepath.Abs("../../bin/parley")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); err != nil {
		t.Fatal("bin/parley is not there: run `make test`, or `make build` first")
	}
	return path
}

// serve starts the server on a free port with data of its own.
func serve(t testing.TB, args ...string) *server {
	t.Helper()
	return serveOn(t, "localhost:0", args...)
}

// serveOn is serve on a given address.
func serveOn(t testing.TB, addr string, args ...string) *server {
	t.Helper()
	s := &server{t: t, data: t.TempDir(), args: args, addr: addr, output: &lines{}}
	s.start()
	t.Cleanup(func() {
		s.stop()
		if t.Failed() {
			t.Logf("the server printed:\n%s", s.output)
		}
	})
	return s
}

var readyLine = regexp.MustCompile(`Parley is ready at (http://(\S+))`)

// start starts the server, again on the same address after a stop.
func (s *server) start() {
	s.t.Helper()
	s.cmd = exec.Command(binary(s.t), append([]string{"-addr", s.addr, "-data", s.data}, s.args...)...)
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		s.t.Fatal(err)
	}
	s.cmd.Stderr = s.cmd.Stdout
	if err := s.cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	found := make(chan []string, 1)
	go func() { // ends with the program's output
		scanner := bufio.NewScanner(out)
		for scanner.Scan() {
			s.output.add(scanner.Text())
			if m := readyLine.FindStringSubmatch(scanner.Text()); m != nil {
				select {
				case found <- m:
				default:
				}
			}
		}
	}()
	select {
	case m := <-found:
		s.url = m[1]
		if strings.HasSuffix(s.addr, ":0") {
			s.addr = m[2]
		}
		s.relay = s.relayURL()
	case <-time.After(patience):
		s.t.Fatalf("the server did not start; it printed:\n%s", s.output)
	}
}

// relayURL asks the server where its relay is.
func (s *server) relayURL() string {
	s.t.Helper()
	body, err := get(s.url + "/config.json")
	if err != nil {
		s.t.Fatal(err)
	}
	var config struct{ Relays []string }
	if err := json.Unmarshal(body, &config); err != nil {
		s.t.Fatal(err)
	}
	if len(config.Relays) == 0 {
		return ""
	}
	return config.Relays[0]
}

// stop ends the server as a service manager does.
func (s *server) stop() { s.end(syscall.SIGTERM) }

// kill ends the server as a crash does.
func (s *server) kill() { s.end(syscall.SIGKILL) }

func (s *server) end(signal syscall.Signal) {
	if s.cmd == nil {
		return
	}
	cmd := s.cmd
	s.cmd = nil
	if err := cmd.Process.Signal(signal); err != nil && !errors.Is(err, os.ErrProcessDone) {
		s.t.Errorf("end the server: %v", err)
	}
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	select {
	case err := <-done:
		if signal == syscall.SIGTERM && err != nil {
			s.t.Errorf("the server did not end cleanly: %v", err)
		}
	case <-time.After(patience):
		s.t.Error("the server did not end; killed")
		_ = cmd.Process.Kill() // it is reported already
		<-done
	}
}

func get(url string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	return io.ReadAll(response.Body)
}
