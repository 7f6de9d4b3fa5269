// SPDX-License-Identifier: Apache-2.0

package main

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"
)

// maxKeptChanges limits the changes that a watcher keeps for a client that does not poll.
const maxKeptChanges = 4096

// keptWatch collects changes for a client that polls for them.
type keptWatch struct {
	folder *folderWatch

	mu      sync.Mutex
	changes []change
	failure error
}

func (a *agent) createWatcher(w http.ResponseWriter, r *http.Request) {
	var request watchRequest
	unary(w, r, &request, func() (interface{}, error) {
		var id [16]byte
		if _, err := rand.Read(id[:]); err != nil {
			return nil, err
		}
		folder, err := a.watch(r, request)
		if err != nil {
			return nil, err
		}
		kept := &keptWatch{folder: folder}
		name := hex.EncodeToString(id[:])
		a.watches.mu.Lock()
		a.watches.all[name] = kept
		a.watches.mu.Unlock()
		go kept.collect(a.users, request.IncludeEntry)
		return map[string]string{"watcherId": name}, nil
	})
}

func (k *keptWatch) collect(users userFiles, withEntry bool) {
	for {
		changes, err := k.folder.next(time.Time{})
		if withEntry && len(changes) > 0 {
			describer := users.describer()
			for i := range changes {
				describer.complete(&changes[i], k.folder.root)
			}
		}
		k.mu.Lock()
		k.changes = append(k.changes, changes...)
		if err == nil && len(k.changes) > maxKeptChanges {
			k.changes, err = nil, errEventsLost
		}
		if err != nil && err != io.EOF {
			k.failure = err
		}
		k.mu.Unlock()
		if err != nil {
			return
		}
	}
}

func (a *agent) watcherEvents(w http.ResponseWriter, r *http.Request) {
	a.onWatcher(w, r, false, func(k *keptWatch) (interface{}, error) {
		k.mu.Lock()
		defer k.mu.Unlock()
		if len(k.changes) == 0 && k.failure != nil {
			return nil, k.failure
		}
		changes := k.changes
		k.changes = nil
		if changes == nil {
			changes = []change{}
		}
		return map[string]interface{}{"events": changes}, nil
	})
}

func (a *agent) removeWatcher(w http.ResponseWriter, r *http.Request) {
	a.onWatcher(w, r, true, func(k *keptWatch) (interface{}, error) {
		a.unwatch(k.folder)
		return struct{}{}, nil
	})
}

func (a *agent) onWatcher(w http.ResponseWriter, r *http.Request, remove bool, handle func(*keptWatch) (interface{}, error)) {
	var request struct {
		WatcherID string `json:"watcherId"`
	}
	unary(w, r, &request, func() (interface{}, error) {
		a.watches.mu.Lock()
		k := a.watches.all[request.WatcherID]
		if remove {
			delete(a.watches.all, request.WatcherID)
		}
		a.watches.mu.Unlock()
		if k == nil {
			return nil, failed(codeNotFound, fmt.Sprintf("watcher %q not found", request.WatcherID))
		}
		return handle(k)
	})
}
