// SPDX-License-Identifier: Apache-2.0

package workspace

import (
	"sync"
	"time"
)

// mostEvents is the number of events that are kept.
const mostEvents = 32 << 10

// The actions of events. One that is lost stands for any number of events that nobody saw.
const (
	actionCreated  = "created"
	actionModified = "modified"
	actionMetadata = "metadata"
	actionDeleted  = "deleted"
	actionRenamed  = "renamed"
	actionLost     = "lost"
)

// event is something that happened to a path.
type event struct {
	Number int64  `json:"number"` // 1, 2, …
	Time   int64  `json:"time"`   // nanoseconds since 1970, when it was read
	Action string `json:"action"`
	Path   string `json:"path,omitempty"`
	Path64 string `json:"path64,omitempty"`
	From   string `json:"from,omitempty"` // of a renamed one
	From64 string `json:"from64,omitempty"`
	Size   int64  `json:"size"` // of a file; 0 if there is none any more
	Folder bool   `json:"directory,omitempty"`
}

// ring keeps the newest events. Safe for several goroutines.
type ring struct {
	mu    sync.Mutex
	all   []event // as a ring, once it is full
	last  int64
	added chan struct{} // closed at the next event
}

func (r *ring) add(action, path, from string, size int64, folder bool) {
	p, f := textOf(path), textOf(from)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.last++
	e := event{r.last, time.Now().UnixNano(), action, p.plain, p.encoded, f.plain, f.encoded, size, folder}
	if len(r.all) < mostEvents {
		r.all = append(r.all, e)
	} else {
		r.all[int((r.last-1)%mostEvents)] = e
	}
	if r.added != nil {
		close(r.added)
		r.added = nil
	}
}

// since returns at most limit events after a number, the number of the newest event, and, if there
// are none, a channel that is closed at the next. Where events are not kept any more, there is a
// lost one instead.
func (r *ring) since(number int64, limit int) ([]event, int64, <-chan struct{}) {
	r.mu.Lock()
	defer r.mu.Unlock()
	first := r.last - int64(len(r.all)) + 1
	var found []event
	if number > r.last || number < 0 {
		number = 0 // a number of another life of this agent
	}
	if number+1 < first {
		number = first - 1
		found = append(found, event{Number: number, Time: r.at(first).Time, Action: actionLost})
	}
	for n := number + 1; n <= r.last && len(found) < limit; n++ {
		found = append(found, *r.at(n))
	}
	if found == nil && r.added == nil {
		r.added = make(chan struct{})
	}
	return found, r.last, r.added
}

func (r *ring) at(number int64) *event { return &r.all[int((number-1)%mostEvents)] }
