package agent

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"sync"

	"parley/server/folder"
)

// The journal is what an agent must not forget: which prompts and tasks it took
// on, how they ended, which questions wait, what was said. It is a file of lines,
// JSON under a cover each, that only grows while the agent works; opening it
// writes it anew without what is over.
const (
	journalFile = "journal.jsonl"
	// compactAt is the size, in bytes, from which the file is written anew
	// while the agent works, once it has doubled.
	compactAt = 4 << 20
)

// The things that happen.
const (
	opHeard   = "heard"   // the agent was listening
	opBegin   = "begin"   // a run was taken on, or a prompt refused
	opEnd     = "end"     // a run has its terminal, Raw
	opSent    = "sent"    // and a relay has it
	opTurn    = "turn"    // a turn of a session
	opSeen    = "seen"    // a message in a room was taken up
	opAsked   = "asked"   // a question waits for its answer
	opSettled = "settled" // and does not any more
	opTask    = "task"    // a task waits
	opTaken   = "taken"   // its turn has begun
	opTold    = "told"    // and has its end, Raw
	opClosed  = "closed"  // and a relay has it
	opThread  = "thread"  // a thread that the agent opened for a handoff
)

// entry is one line.
type entry struct {
	Op      string          `json:"op"`
	At      int64           `json:"at"` // unix seconds
	ID      string          `json:"id,omitempty"`
	Client  string          `json:"client,omitempty"`
	Session string          `json:"session,omitempty"`
	Wrapped bool            `json:"wrapped,omitempty"`
	Relay   string          `json:"relay,omitempty"`
	Room    string          `json:"room,omitempty"`
	Memo    string          `json:"memo,omitempty"`
	Ask     string          `json:"ask,omitempty"`
	Answer  string          `json:"answer,omitempty"`
	Raw     json.RawMessage `json:"raw,omitempty"` // an event
}

// journal writes entries to the file and keeps what they amount to.
type journal struct {
	path  string
	cover cover
	log   *slog.Logger
	lock  *os.File // held while it is open; nil where there are no locks

	mu      sync.Mutex
	file    *os.File
	out     io.Writer // the file
	torn    bool      // its last line is not whole
	size    int64
	compact int64 // size after it was written anew
	state   state
}

// openJournal reads the journal in dir, making both if need be, and writes it
// anew. A line that cannot be read is skipped, with a warning: the last one is
// torn when the machine stopped while it was written. The journal of another key
// is an error, and stays as it is.
func openJournal(dir string, secret [32]byte, now int64, log *slog.Logger) (*journal, error) {
	if dir == "" {
		return nil, errors.New("its folder has no name")
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("making the agent's folder: %w", err)
	}
	under, err := newCover(secret)
	if err != nil {
		return nil, fmt.Errorf("making the key of the agent's journal: %w", err)
	}
	held, err := folder.Lock(dir)
	if err != nil {
		return nil, err
	}
	j := &journal{path: filepath.Join(dir, journalFile), cover: under, log: log, lock: held, state: newState()}
	if err := j.load(); err != nil {
		return nil, errors.Join(fmt.Errorf("reading the agent's journal: %w", err), folder.Unlock(j.lock))
	}
	j.state.prune(now)
	if err := j.rewrite(); err != nil {
		return nil, errors.Join(fmt.Errorf("writing the agent's journal: %w", err), folder.Unlock(j.lock))
	}
	return j, nil
}

func (j *journal) load() error {
	file, err := os.Open(j.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer file.Close()
	good, covered := 0, 0
	lines := bufio.NewReaderSize(file, 64<<10)
	for n := 1; ; n++ {
		line, end := lines.ReadBytes('\n')
		if line = bytes.TrimSpace(line); len(line) > 0 {
			e, err := j.cover.entry(line)
			switch {
			case err == nil:
				good++
				j.state.apply(e)
			case errors.Is(err, errCovered):
				covered++
				fallthrough
			default:
				j.log.Warn("a line of the journal cannot be read and is left out", "file", j.path, "line", n, "because", err)
			}
		}
		if errors.Is(end, io.EOF) {
			break
		}
		if end != nil {
			return end
		}
	}
	if good == 0 && covered > 0 {
		return fmt.Errorf("%s was written with another key: give the agent that key, or a folder of its own", j.path)
	}
	return nil
}

// rewrite replaces the file by one with only what still matters, whole or not
// at all.
func (j *journal) rewrite() error {
	draft, err := os.OpenFile(j.path+".new", os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(draft)
	for e := range j.state.entries() {
		line, err := j.cover.line(e)
		if err == nil {
			_, err = out.Write(line)
		}
		if err != nil {
			return errors.Join(err, draft.Close())
		}
	}
	err = errors.Join(out.Flush(), draft.Sync())
	if err == nil {
		err = os.Rename(j.path+".new", j.path)
	}
	if err != nil {
		return errors.Join(err, draft.Close())
	}
	if j.file != nil {
		j.file.Close() // it was replaced
	}
	j.file, j.out, j.torn = draft, draft, false
	j.size, err = draft.Seek(0, io.SeekEnd)
	j.compact = j.size
	return err
}

// add notes what happened. An error means that it is not on disk; the caller
// then does not do what it must not do twice.
func (j *journal) add(e entry) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.file == nil {
		return errors.New("the agent's journal is closed")
	}
	line, err := j.cover.line(e)
	if err != nil {
		return err
	}
	if j.torn {
		line = append([]byte{'\n'}, line...)
	}
	n, err := j.out.Write(line)
	j.size += int64(n)
	if err != nil {
		j.torn = j.torn || n > 0
		return fmt.Errorf("writing the agent's journal: %w", err)
	}
	j.torn = false
	j.state.apply(e)
	if j.size > compactAt && j.size > 2*j.compact {
		j.state.prune(e.At)
		if err := j.rewrite(); err != nil {
			j.log.Error("writing the journal anew", "err", err)
			j.compact = j.size // not at every line from now on
		}
	}
	return nil
}

// note is add where the only thing to do about an error is to say so.
func (j *journal) note(e entry) {
	if err := j.add(e); err != nil {
		j.log.Error("keeping the journal", "what", e.Op, "err", err)
	}
}

func (j *journal) heard(now int64) { j.note(entry{Op: opHeard, At: now}) }

// look reads the state.
func (j *journal) look(read func(s *state)) {
	j.mu.Lock()
	defer j.mu.Unlock()
	read(&j.state)
}

func (j *journal) close() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.file == nil {
		return nil
	}
	err := errors.Join(j.file.Close(), folder.Unlock(j.lock))
	j.file = nil
	if err != nil {
		return fmt.Errorf("closing the agent's journal: %w", err)
	}
	return nil
}
