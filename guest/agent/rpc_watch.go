// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// maxWatches limits the number of folders watched at once, by streams and watchers together.
const maxWatches = 128

type watchRequest struct {
	Path               string `json:"path"`
	Recursive          bool   `json:"recursive"`
	IncludeEntry       bool   `json:"includeEntry"`
	AllowNetworkMounts bool   `json:"allowNetworkMounts"`
}

// watchTable counts all watches, and holds the watchers that clients poll.
type watchTable struct {
	active int32
	mu     sync.Mutex
	all    map[string]*keptWatch
}

// watch opens a watch for a request; the caller closes it with unwatch.
func (a *agent) watch(r *http.Request, request watchRequest) (*folderWatch, error) {
	if request.Path == "" {
		return nil, failed(codeInvalidArgument, "the path is missing")
	}
	path, _, err := a.pathOf(r, request.Path)
	if err != nil {
		return nil, fileRPCError(err)
	}
	if kind := networkFileSystem(path); kind != "" && !request.AllowNetworkMounts {
		return nil, failed(codeInvalidArgument, fmt.Sprintf(
			"%s is on %s, where changes made elsewhere are not visible; set allowNetworkMounts to watch it anyway", path, kind))
	}
	if atomic.AddInt32(&a.watches.active, 1) > maxWatches {
		atomic.AddInt32(&a.watches.active, -1)
		return nil, failed(codeResourceExhausted, fmt.Sprintf("%d directories are watched already; stop watching some", maxWatches))
	}
	w, err := watchFolder(path, request.Recursive)
	if err != nil {
		atomic.AddInt32(&a.watches.active, -1)
		return nil, fileRPCError(err)
	}
	return w, nil
}

func (a *agent) unwatch(w *folderWatch) {
	w.close()
	atomic.AddInt32(&a.watches.active, -1)
}

// networkFileSystem returns the type of a network file system, from the magic numbers of statfs(2).
func networkFileSystem(path string) string {
	var about syscall.Statfs_t
	if syscall.Statfs(path, &about) != nil {
		return ""
	}
	switch uint32(about.Type) {
	case 0x6969:
		return "NFS"
	case 0xFF534D42, 0xFE534D42, 0x517B:
		return "SMB"
	case 0x65735546:
		return "FUSE"
	case 0x01021997:
		return "9P"
	case 0x00C36400:
		return "Ceph"
	}
	return ""
}

// watchDir streams changes until the client disconnects.
func (a *agent) watchDir(w http.ResponseWriter, r *http.Request) {
	var request watchRequest
	var folder *folderWatch
	var limit time.Duration
	err := streamRequest(r, &request)
	if err == nil {
		limit, err = callTimeout(r)
	}
	if err == nil {
		folder, err = a.watch(r, request)
	}
	f := startStream(w)
	defer f.release()
	if err == nil {
		defer a.unwatch(folder)
		err = a.streamChanges(r, f, folder, request.IncludeEntry, limit)
	}
	f.end(err)
}

func (a *agent) streamChanges(r *http.Request, f *frameWriter, folder *folderWatch, withEntry bool, limit time.Duration) error {
	if err := f.message(map[string]interface{}{"start": struct{}{}}); err != nil {
		return err
	}
	gone := make(chan struct{})
	defer close(gone)
	go func() {
		select {
		case <-r.Context().Done():
			folder.file.Close() // ends the read below
		case <-gone:
		}
	}()
	var end time.Time
	if limit > 0 {
		end = time.Now().Add(limit)
	}
	interval := keepaliveInterval(r)
	for {
		wake := time.Now().Add(interval)
		if limit > 0 && end.Before(wake) {
			wake = end
		}
		changes, err := folder.next(wake)
		switch {
		case errors.Is(err, os.ErrDeadlineExceeded) && limit > 0 && !time.Now().Before(end):
			return failed(codeDeadlineExceeded, "the call's timeout has passed")
		case errors.Is(err, os.ErrDeadlineExceeded):
			err = f.message(map[string]interface{}{"keepalive": struct{}{}})
		case err == io.EOF:
			return nil
		}
		if err != nil {
			return err
		}
		describer := a.users.describer()
		for _, c := range changes {
			if withEntry {
				describer.complete(&c, folder.root)
			}
			if err := f.message(map[string]interface{}{"filesystem": c}); err != nil {
				return err
			}
		}
	}
}

// complete adds the entry as it is now, if it exists.
func (d describer) complete(c *change, root string) {
	if c.Type == changeRemove || c.Type == changeRename {
		return
	}
	if entry, err := d.describe(filepath.Join(root, c.Name)); err == nil {
		c.Entry = &entry
	}
}
