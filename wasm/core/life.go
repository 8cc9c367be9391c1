package core

import "sync"

// life owns the goroutines of a core, between begin and finish.
type life struct {
	mu    sync.Mutex
	runs  bool
	going sync.WaitGroup
}

func (l *life) begin() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.runs = true
}

// spawn runs f, unless finish was called: then nobody would wait for it.
func (l *life) spawn(f func()) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.runs {
		l.going.Go(f)
	}
	return l.runs
}

// finish lets nothing more begin, and waits for what has.
func (l *life) finish() {
	l.mu.Lock()
	l.runs = false
	l.mu.Unlock()
	l.going.Wait()
}
