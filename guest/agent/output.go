// SPDX-License-Identifier: Apache-2.0

package main

import "sync"

type stream int

const (
	stdout stream = iota
	stderr
	pty // a terminal, which mixes the two
	streams
)

func (s stream) String() string { return [...]string{"stdout", "stderr", "pty"}[s] }

// output passes a process's output to its watchers.
//
// While there are watchers, the slowest one sets the pace: when a ring is full its writer waits,
// and finally the process does too. Without watchers, the process never waits, and the oldest bytes
// are dropped. The next watcher first gets the bytes that nobody has received yet; an additional
// watcher gets only later bytes.
type output struct {
	mu       sync.Mutex
	space    sync.Cond // signalled when a watcher advances or leaves
	rings    [streams]ring
	watchers map[*watcher]struct{}
	end      *endEvent
	retired  bool
}

// watcher is one reader's position. It is woken through wake, which holds at most one token.
type watcher struct {
	out    *output
	cursor [streams]uint64
	wake   chan struct{}
}

func newOutput() *output {
	o := &output{watchers: make(map[*watcher]struct{})}
	o.space.L = &o.mu
	return o
}

func (o *output) watch() *watcher {
	w := &watcher{out: o, wake: make(chan struct{}, 1)}
	o.mu.Lock()
	defer o.mu.Unlock()
	for s := range o.rings {
		if len(o.watchers) == 0 {
			w.cursor[s] = o.rings[s].start
		} else {
			w.cursor[s] = o.rings[s].end
		}
	}
	o.watchers[w] = struct{}{}
	return w
}

func (w *watcher) leave() {
	o := w.out
	o.mu.Lock()
	defer o.mu.Unlock()
	delete(o.watchers, w)
	o.trim()
}

// next calls encode with the next unread bytes of either stream and reports whether there were
// any. The bytes count as received only when the caller says so with received: if sending fails,
// they are kept for the next watcher.
func (w *watcher) next(limit int, encode func(s stream, data []byte)) (s stream, n int) {
	o := w.out
	o.mu.Lock()
	defer o.mu.Unlock()
	for s := stdout; s < streams; s++ {
		if r := &o.rings[s]; w.cursor[s] < r.end {
			data := r.view(w.cursor[s], limit)
			encode(s, data)
			return s, len(data)
		}
	}
	return 0, 0
}

func (w *watcher) received(s stream, n int) {
	o := w.out
	o.mu.Lock()
	defer o.mu.Unlock()
	w.cursor[s] += uint64(n)
	o.trim()
}

// ended returns the end event once everything before it was received.
func (w *watcher) ended() *endEvent {
	o := w.out
	o.mu.Lock()
	defer o.mu.Unlock()
	for s := range o.rings {
		if w.cursor[s] < o.rings[s].end {
			return nil
		}
	}
	return o.end
}

// room waits until there is space for bytes of s and returns that space.
func (o *output) room(s stream) ([]byte, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for len(o.watchers) > 0 && o.rings[s].free() == 0 {
		o.space.Wait()
	}
	return o.rings[s].reserve(len(o.watchers) == 0)
}

func (o *output) commit(s stream, n int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.rings[s].commit(n)
	o.wakeAll()
}

// finish publishes the end event; no output may follow.
func (o *output) finish(e endEvent) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.end = &e
	o.trim()
	o.wakeAll()
}

// retire records that no new watcher can start.
func (o *output) retire() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.retired = true
	o.trim()
}

func (o *output) wakeAll() {
	for w := range o.watchers {
		select {
		case w.wake <- struct{}{}:
		default: // it has not yet handled the previous wake-up
		}
	}
}

// trim drops the bytes that every watcher has received, and releases memory that is no longer
// needed.
func (o *output) trim() {
	for s := range o.rings {
		r := &o.rings[s]
		oldest := r.end
		if len(o.watchers) == 0 {
			oldest = r.start
		}
		for w := range o.watchers {
			if w.cursor[s] < oldest {
				oldest = w.cursor[s]
			}
		}
		r.start = oldest
		if o.end != nil && (r.empty() || (o.retired && len(o.watchers) == 0)) {
			r.release()
		}
	}
	o.space.Broadcast()
}
