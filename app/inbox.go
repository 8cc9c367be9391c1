package app

import "sync"

// inbox carries work from JavaScript's callbacks to the page's goroutine. It
// asks for one turn however much is put in, since go-app's queue holds only
// 4,096 turns and blocks when it is full.
type inbox struct {
	mu    sync.Mutex
	queue []func()
	asked bool
	turn  func() // asks the page's goroutine to call drain
}

// post puts work in. It never blocks and may be called from anywhere.
func (b *inbox) post(work func()) {
	b.mu.Lock()
	b.queue = append(b.queue, work)
	ask := !b.asked
	b.asked = true
	b.mu.Unlock()
	if ask {
		b.turn()
	}
}

// drain does what is there, on the page's goroutine.
func (b *inbox) drain() {
	b.mu.Lock()
	work := b.queue
	b.queue, b.asked = nil, false
	b.mu.Unlock()
	for _, f := range work {
		f()
	}
}
