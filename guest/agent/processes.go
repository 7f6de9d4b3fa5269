// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"sort"
	"sync"
	"time"
)

// processTable holds the running processes, and for a while those that ended: a client that lost
// its connection can still learn how its process ended.
type processTable struct {
	keepEnded time.Duration

	mu  sync.Mutex
	all map[int]*process
}

// selector names a process by number or by the tag it was started with.
type selector struct {
	PID *uint32 `json:"pid"`
	Tag *string `json:"tag"`
}

// maxProcesses limits the number of remembered processes, each with its unread output.
const maxProcesses = 1024

func (t *processTable) hasRoom() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.all) >= maxProcesses {
		return failed(codeResourceExhausted, fmt.Sprintf("%d processes are running or ended recently; end some, or wait", len(t.all)))
	}
	return nil
}

// add records p. The kernel may reuse the number of an ended process that is still remembered; the
// newer one takes its place.
func (t *processTable) add(p *process) {
	t.mu.Lock()
	previous := t.all[p.pid]
	t.all[p.pid] = p
	t.mu.Unlock()
	if previous != nil {
		previous.out.retire()
	}
	go func() {
		<-p.exited
		time.AfterFunc(t.keepEnded, func() { t.forget(p) })
	}()
}

func (t *processTable) forget(p *process) {
	t.mu.Lock()
	if t.all[p.pid] == p {
		delete(t.all, p.pid)
	}
	t.mu.Unlock()
	p.out.retire()
}

func (t *processTable) find(s selector) (*process, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case s.PID != nil:
		if p := t.all[int(*s.PID)]; p != nil {
			return p, nil
		}
		return nil, failed(codeNotFound, fmt.Sprintf("process with pid %d not found", *s.PID))
	case s.Tag != nil:
		var newest *process
		for _, p := range t.all {
			if p.tag == *s.Tag && (newest == nil || p.started.After(newest.started)) {
				newest = p
			}
		}
		if newest != nil {
			return newest, nil
		}
		return nil, failed(codeNotFound, fmt.Sprintf("process with tag %q not found", *s.Tag))
	default:
		return nil, failed(codeInvalidArgument, "process must be selected by pid or tag")
	}
}

// running returns the processes that have not ended, oldest first.
func (t *processTable) running() []*process {
	t.mu.Lock()
	defer t.mu.Unlock()
	var list []*process
	for _, p := range t.all {
		select {
		case <-p.exited:
		default:
			list = append(list, p)
		}
	}
	sort.Slice(list, func(i, j int) bool { return list[i].started.Before(list[j].started) })
	return list
}
