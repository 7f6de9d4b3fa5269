// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
	"unsafe"
)

// The kinds of changes, as the wire contract names them.
const (
	changeCreate = "EVENT_TYPE_CREATE"
	changeWrite  = "EVENT_TYPE_WRITE"
	changeRemove = "EVENT_TYPE_REMOVE"
	changeRename = "EVENT_TYPE_RENAME"
	changeChmod  = "EVENT_TYPE_CHMOD"
)

const (
	watchedChanges = syscall.IN_CREATE | syscall.IN_MODIFY | syscall.IN_ATTRIB | syscall.IN_DELETE |
		syscall.IN_MOVED_FROM | syscall.IN_MOVED_TO | syscall.IN_ONLYDIR | syscall.IN_DONT_FOLLOW | syscall.IN_EXCL_UNLINK
	// maxWatchedFolders limits the kernel memory that watching one tree takes.
	maxWatchedFolders = 16384
	inotifyBuffer     = 16 << 10
	// maxPending limits the number of changes that one new folder can report.
	maxPending = 65536
)

// change is one event of a watched folder. Its name is relative to the folder.
type change struct {
	Name  string     `json:"name"`
	Type  string     `json:"type"`
	Entry *entryInfo `json:"entry,omitempty"`
}

var errEventsLost = failed(codeResourceExhausted, "events were lost: they came faster than they were read")

// folderWatch reports what happens in a folder, and below it if it is recursive. It is used by one
// goroutine; another one may call close.
type folderWatch struct {
	root      string
	recursive bool
	file      *os.File
	folders   map[int32]string // the folder of each kernel watch, relative to root
	pending   []change
	buffer    []byte

	upload     uint32 // cookie of an upload that was moved away, until its arrival
	uploadType string
}

// watchFolder follows links in root itself, and none below it.
func watchFolder(root string, recursive bool) (*folderWatch, error) {
	real, err := filepath.EvalSymlinks(root)
	if err != nil {
		return nil, err
	}
	if info, err := os.Stat(real); err != nil {
		return nil, err
	} else if !info.IsDir() {
		return nil, failed(codeInvalidArgument, fmt.Sprintf("%s is not a directory", root))
	}
	fd, err := syscall.InotifyInit1(syscall.IN_CLOEXEC | syscall.IN_NONBLOCK)
	if err != nil {
		return nil, failed(codeResourceExhausted, "cannot watch: "+err.Error())
	}
	w := &folderWatch{root: real, recursive: recursive, file: os.NewFile(uintptr(fd), "inotify"),
		folders: make(map[int32]string), buffer: make([]byte, inotifyBuffer)}
	if err := w.add(".", false); err != nil {
		w.close()
		return nil, err
	}
	return w, nil
}

func (w *folderWatch) close() { w.file.Close() }

// add watches a folder and everything below it. With found, it reports existing entries: a folder
// that has just appeared may have been filled before it was watched.
func (w *folderWatch) add(folder string, found bool) error {
	if len(w.folders) >= maxWatchedFolders {
		return failed(codeResourceExhausted, fmt.Sprintf("%s has more than %d directories", w.root, maxWatchedFolders))
	}
	var number int
	err := w.control(func(fd int) (err error) {
		number, err = syscall.InotifyAddWatch(fd, filepath.Join(w.root, folder), watchedChanges)
		return err
	})
	if err != nil {
		if folder != "." && (errors.Is(err, syscall.ENOENT) || errors.Is(err, syscall.ENOTDIR) || errors.Is(err, syscall.EACCES)) {
			return nil // removed meanwhile
		}
		if errors.Is(err, syscall.ENOSPC) {
			return failed(codeResourceExhausted, "the guest's limit of watched directories is reached: see /proc/sys/fs/inotify/max_user_watches")
		}
		return err
	}
	w.folders[int32(number)] = folder
	if !w.recursive {
		return nil
	}
	children, err := os.ReadDir(filepath.Join(w.root, folder))
	if err != nil && folder == "." {
		return err
	}
	for _, child := range children {
		path := filepath.Join(folder, child.Name())
		if strings.HasPrefix(child.Name(), newUpload) || strings.HasPrefix(child.Name(), oldUpload) {
			continue
		}
		if found {
			if len(w.pending) >= maxPending {
				return errEventsLost
			}
			w.pending = append(w.pending, change{Name: path, Type: changeCreate})
		}
		if child.IsDir() {
			if err := w.add(path, found); err != nil {
				return err
			}
		}
	}
	return nil
}

func (w *folderWatch) control(do func(fd int) error) error {
	raw, err := w.file.SyscallConn()
	if err != nil {
		return err
	}
	var failure error
	if err := raw.Control(func(fd uintptr) { failure = do(int(fd)) }); err != nil {
		return err
	}
	return failure
}

// next waits for changes. It returns os.ErrDeadlineExceeded at the deadline, and io.EOF if the
// folder is gone.
func (w *folderWatch) next(deadline time.Time) ([]change, error) {
	_ = w.file.SetReadDeadline(deadline)
	for {
		if len(w.pending) > 0 {
			changes := w.pending
			w.pending = nil
			return changes, nil
		}
		if len(w.folders) == 0 {
			return nil, io.EOF
		}
		n, err := w.file.Read(w.buffer)
		if err != nil {
			return nil, err
		}
		if err := w.take(w.buffer[:n]); err != nil {
			return nil, err
		}
	}
}

// take interprets the kernel's events: see inotify(7).
func (w *folderWatch) take(raw []byte) error {
	for len(raw) >= syscall.SizeofInotifyEvent {
		event := (*syscall.InotifyEvent)(unsafe.Pointer(&raw[0]))
		end := syscall.SizeofInotifyEvent + int(event.Len)
		name := strings.TrimRight(string(raw[syscall.SizeofInotifyEvent:end]), "\x00")
		raw = raw[end:]
		if event.Mask&syscall.IN_Q_OVERFLOW != 0 {
			return errEventsLost
		}
		folder, known := w.folders[event.Wd]
		if event.Mask&syscall.IN_IGNORED != 0 {
			delete(w.folders, event.Wd)
			continue
		}
		if !known || name == "" {
			continue
		}
		if w.noteUpload(folder, name, event) {
			continue
		}
		if err := w.note(filepath.Join(folder, name), event.Mask); err != nil {
			return err
		}
	}
	return nil
}

// noteUpload turns the steps of an upload into their result: a file that is written, and created
// first if it did not exist.
func (w *folderWatch) noteUpload(folder, name string, event *syscall.InotifyEvent) bool {
	switch {
	case strings.HasPrefix(name, newUpload), strings.HasPrefix(name, oldUpload):
		if event.Mask&syscall.IN_MOVED_FROM != 0 {
			w.upload, w.uploadType = event.Cookie, changeWrite
			if strings.HasPrefix(name, newUpload) {
				w.uploadType = changeCreate
			}
		}
		return true
	case event.Mask&syscall.IN_MOVED_TO != 0 && w.upload != 0 && event.Cookie == w.upload:
		path := filepath.Join(folder, name)
		if w.uploadType == changeCreate {
			w.pending = append(w.pending, change{Name: path, Type: changeCreate})
		}
		w.pending = append(w.pending, change{Name: path, Type: changeWrite})
		w.upload = 0
		return true
	}
	return false
}

func (w *folderWatch) note(path string, mask uint32) error {
	isFolder := mask&syscall.IN_ISDIR != 0
	switch {
	case mask&(syscall.IN_CREATE|syscall.IN_MOVED_TO) != 0:
		w.pending = append(w.pending, change{Name: path, Type: changeCreate})
		if isFolder && w.recursive {
			return w.add(path, true)
		}
	case mask&syscall.IN_MODIFY != 0:
		w.pending = append(w.pending, change{Name: path, Type: changeWrite})
	case mask&syscall.IN_ATTRIB != 0:
		w.pending = append(w.pending, change{Name: path, Type: changeChmod})
	case mask&syscall.IN_DELETE != 0:
		w.pending = append(w.pending, change{Name: path, Type: changeRemove})
	case mask&syscall.IN_MOVED_FROM != 0:
		w.pending = append(w.pending, change{Name: path, Type: changeRename})
		if isFolder {
			w.forget(path)
		}
	}
	return nil
}

// forget stops watching a folder that was moved away, and everything below it, because its names
// are wrong from now on. If it was moved within the tree, its arrival is reported and it is watched
// again.
func (w *folderWatch) forget(path string) {
	for number, folder := range w.folders {
		if folder == path || strings.HasPrefix(folder, path+"/") {
			_ = w.control(func(fd int) error {
				_, err := syscall.InotifyRmWatch(fd, uint32(number))
				return err
			})
			delete(w.folders, number)
		}
	}
}
