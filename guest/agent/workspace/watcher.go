// SPDX-License-Identifier: Apache-2.0

package workspace

import (
	"encoding/binary"
	"fmt"
	"os"
	"strings"
	"sync"
	"syscall"
	"time"
	"unsafe"
)

// The kernel's interface: <linux/fanotify.h>, fanotify_init(2), fanotify_mark(2), fanotify(7).
const (
	fanReportDirAndName = 0xc00
	fanNonblock         = 0x2
	fanCloexec          = 0x1
	fanMarkAdd          = 0x1
	fanMarkFilesystem   = 0x100

	fanModify     = 0x2
	fanAttrib     = 0x4
	fanCloseWrite = 0x8
	fanMovedFrom  = 0x40
	fanMovedTo    = 0x80
	fanCreate     = 0x100
	fanDelete     = 0x200
	fanOverflow   = 0x4000
	fanRename     = 0x10000000
	fanOnDir      = 0x40000000

	fanChanges = fanModify | fanAttrib | fanCloseWrite | fanCreate | fanDelete | fanOnDir

	infoName    = 2
	infoOldName = 10
	infoNewName = 12

	fanHeader = 24
)

const (
	// pause is how long the kernel collects events before they are read: it merges equal ones, and
	// programs that write are interrupted less often. Its queue takes 16384 meanwhile.
	pause = 20 * time.Millisecond
	// A file that is written without end is reported this often.
	repeat = time.Second
	// mostNamed limits the memory for paths that were written since the last walk.
	mostNamed = 200_000
	ownPrefix = ".ramet-restore-"
)

// folder is a directory of the workspace, by which the kernel's events find their paths.
type folder struct {
	parent   *folder
	name     string
	children map[string]*folder
	handle   string
	out      bool // it is not in the workspace any more, or not yet known where
}

func (f *folder) path() (string, bool) {
	if f.out {
		return "", false
	}
	if f.parent == nil {
		return "", true
	}
	above, ok := f.parent.path()
	if !ok || above == "" {
		return f.name, ok
	}
	return above + "/" + f.name, true
}

// watcher receives the kernel's events of the file systems of a workspace. Safe for several
// goroutines.
type watcher struct {
	root  string
	file  *os.File
	own   int32 // this process
	ring  *ring
	ended chan struct{}

	mu       sync.Mutex
	folders  map[string]*folder // by handle
	marked   map[uint64]bool    // devices
	top      *folder
	named    map[string]bool
	lost     bool
	reported map[string]time.Time // when a file was last reported as modified
	swept    time.Time
	buffer   []byte
}

// watch starts to watch the file system of an open directory.
func watch(root string, fd int, r *ring) (*watcher, error) {
	group, _, errno := syscall.Syscall(sysFanotifyInit, fanReportDirAndName|fanNonblock|fanCloexec,
		syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
	if errno != 0 {
		return nil, os.NewSyscallError("fanotify_init", errno)
	}
	w := &watcher{
		root: root, file: os.NewFile(group, "fanotify"), own: int32(os.Getpid()), ring: r, ended: make(chan struct{}),
		folders: make(map[string]*folder), marked: make(map[uint64]bool), named: make(map[string]bool),
		reported: make(map[string]time.Time), buffer: make([]byte, 256<<10),
	}
	w.mu.Lock()
	err := w.know(fd, "")
	w.mu.Unlock()
	if err != nil {
		w.close()
		return nil, err
	}
	go w.run()
	return w, nil
}

func (w *watcher) close() { w.file.Close() }

// mark has the kernel report what happens in a directory's file system.
func (w *watcher) mark(fd int, dev uint64) error {
	if w.marked[dev] {
		return nil
	}
	raw, err := w.file.SyscallConn()
	if err != nil {
		return err
	}
	here := []byte(".\x00")
	var errno syscall.Errno
	err = raw.Control(func(group uintptr) {
		for _, moves := range []uint64{fanRename, fanMovedFrom | fanMovedTo} { // Linux 5.17 has the first
			_, _, errno = syscall.Syscall6(sysFanotifyMark, group, fanMarkAdd|fanMarkFilesystem,
				uintptr(fanChanges|moves), uintptr(fd), uintptr(unsafe.Pointer(&here[0])), 0)
			if errno != syscall.EINVAL {
				return
			}
		}
	})
	if err == nil && errno != 0 {
		err = os.NewSyscallError("fanotify_mark", errno)
	}
	if err == nil {
		w.marked[dev] = true
	}
	return err
}

// learn makes a directory's events known by its path. A walk calls it for each.
func (w *watcher) learn(fd int, path string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.know(fd, path); err != nil {
		w.lost = true // its events will not come
	}
}

func (w *watcher) know(fd int, path string) error {
	var stat syscall.Stat_t
	if err := syscall.Fstat(fd, &stat); err != nil {
		return err
	}
	if err := w.mark(fd, stat.Dev); err != nil {
		return err
	}
	key, err := keyOf(fd)
	if err != nil {
		return err
	}
	f := w.folders[key]
	if path == "" {
		if f == nil || f != w.top {
			w.top = &folder{children: make(map[string]*folder), handle: key}
			w.folders = map[string]*folder{key: w.top}
		}
		return nil
	}
	parent, name := w.top, path
	for {
		first, rest, deeper := strings.Cut(name, "/")
		if !deeper {
			break
		}
		if parent = parent.children[first]; parent == nil {
			return fmt.Errorf("%s was not read before what is in it", path)
		}
		name = rest
	}
	if f == nil {
		f = &folder{children: make(map[string]*folder), handle: key}
		w.folders[key] = f
	}
	w.place(f, parent, name)
	return nil
}

// place makes a folder the one that has a name.
func (w *watcher) place(f, parent *folder, name string) {
	if f.parent == parent && f.name == name && !f.out {
		return
	}
	for above := parent; above != nil; above = above.parent {
		if above == f {
			return // a name that is not true any more
		}
	}
	if f.parent != nil && f.parent.children[f.name] == f {
		delete(f.parent.children, f.name)
	}
	if other := parent.children[name]; other != nil {
		other.out = true
	}
	f.parent, f.name, f.out = parent, name, false
	parent.children[name] = f
}

// keyOf returns the bytes by which events name a directory: the file system's number and a handle.
func keyOf(fd int) (string, error) {
	var stat syscall.Statfs_t
	if err := syscall.Fstatfs(fd, &stat); err != nil {
		return "", err
	}
	handle, err := handleOf(fd)
	number := *(*[8]byte)(unsafe.Pointer(&stat.Fsid))
	return string(number[:]) + handle, err
}

func (w *watcher) run() {
	defer close(w.ended)
	raw, err := w.file.SyscallConn()
	if err != nil {
		return
	}
	for {
		err := raw.Read(func(fd uintptr) bool {
			w.mu.Lock()
			defer w.mu.Unlock()
			return w.drain(int(fd))
		})
		if err != nil {
			return
		}
		time.Sleep(pause)
	}
}

// drain handles the events that are there, and reports whether there were any.
func (w *watcher) drain(fd int) bool {
	any := false
	for {
		n, err := syscall.Read(fd, w.buffer)
		if err == syscall.EINTR {
			continue
		}
		if err != nil || n < fanHeader {
			return any
		}
		any = true
		for raw := w.buffer[:n]; len(raw) >= fanHeader; {
			size := int(binary.LittleEndian.Uint32(raw))
			if size < fanHeader || size > len(raw) {
				break
			}
			w.handle(raw[:size])
			raw = raw[size:]
		}
	}
}

// takeNamed returns the paths that were written since the last call, and whether there is none
// missing.
func (w *watcher) takeNamed() (map[string]bool, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if raw, err := w.file.SyscallConn(); err == nil {
		_ = raw.Control(func(fd uintptr) { w.drain(int(fd)) })
	}
	select {
	case <-w.ended:
		w.lost = true
	default:
	}
	named, all := w.named, !w.lost
	w.named, w.lost = make(map[string]bool), false
	return named, all
}

// returnNamed undoes takeNamed after a walk that failed.
func (w *watcher) returnNamed(named map[string]bool, all bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for path := range named {
		w.named[path] = true
	}
	w.lost = w.lost || !all
}

// spot is an entry of a known directory.
type spot struct {
	folder *folder
	name   string
	path   string
}

// handle takes one event: struct fanotify_event_metadata and its information records.
func (w *watcher) handle(raw []byte) {
	mask := binary.LittleEndian.Uint64(raw[8:])
	pid := int32(binary.LittleEndian.Uint32(raw[20:]))
	if mask&fanOverflow != 0 {
		w.lost = true
		w.ring.add(actionLost, "", "", 0, false)
		return
	}
	var at, from, to *spot
	for info := raw[binary.LittleEndian.Uint16(raw[6:]):]; len(info) >= 20; {
		size := int(binary.LittleEndian.Uint16(info[2:]))
		if size < 20 || size > len(info) {
			break
		}
		switch info[0] {
		case infoName:
			at = w.spot(info[4:size])
		case infoOldName:
			from = w.spot(info[4:size])
		case infoNewName:
			to = w.spot(info[4:size])
		}
		info = info[size:]
	}
	folder := mask&fanOnDir != 0
	if mask&fanRename != 0 {
		w.renamed(from, to, folder, pid)
		return
	}
	if at == nil {
		return
	}
	w.happened(at, mask, folder, pid)
}

// spot reads a file system's number, a file handle and a name; nil if the directory is not one of
// the workspace.
func (w *watcher) spot(info []byte) *spot {
	end := 16 + int(binary.LittleEndian.Uint32(info[8:]))
	if end >= len(info) {
		return nil
	}
	f := w.folders[string(info[:end])]
	if f == nil {
		return nil
	}
	path, known := f.path()
	name := strings.TrimRight(string(info[end:]), "\x00")
	if !known || name == "" {
		return nil
	}
	if name == "." {
		return nil // the directory itself: its own parent's event says the same, or it is the workspace
	}
	if path != "" {
		path += "/"
	}
	return &spot{f, name, path + name}
}

func (w *watcher) happened(at *spot, mask uint64, folder bool, pid int32) {
	w.name(at.path)
	exists, size := w.look(at.path)
	if folder && mask&(fanCreate|fanMovedTo) != 0 {
		w.arrived(at)
	}
	if folder && mask&(fanDelete|fanMovedFrom) != 0 {
		w.left(at, mask&fanDelete != 0)
	}
	if pid == w.own || strings.HasPrefix(at.name, ownPrefix) {
		return
	}
	appeared, vanished := mask&(fanCreate|fanMovedTo) != 0, mask&(fanDelete|fanMovedFrom) != 0
	if vanished && exists {
		w.ring.add(actionDeleted, at.path, "", 0, folder)
	}
	switch {
	case appeared:
		w.ring.add(actionCreated, at.path, "", size, folder)
		w.reported[at.path] = time.Now()
	case mask&(fanModify|fanCloseWrite) != 0 && !(vanished && !exists):
		w.modified(at.path, size, mask&fanCloseWrite != 0)
	case mask&fanAttrib != 0 && !vanished:
		w.ring.add(actionMetadata, at.path, "", size, folder)
	}
	if vanished && !exists {
		w.ring.add(actionDeleted, at.path, "", 0, folder)
	}
}

// modified reports a write: the first, those that end with a file being closed, and sometimes one
// in between.
func (w *watcher) modified(path string, size int64, closed bool) {
	now := time.Now()
	if now.Sub(w.swept) > repeat {
		for other, at := range w.reported {
			if now.Sub(at) > repeat {
				delete(w.reported, other)
			}
		}
		w.swept = now
	}
	if _, just := w.reported[path]; just && !closed {
		return
	}
	w.reported[path] = now
	w.ring.add(actionModified, path, "", size, false)
}

func (w *watcher) renamed(from, to *spot, folder bool, pid int32) {
	if from != nil {
		w.name(from.path)
	}
	var size int64
	if to != nil {
		w.name(to.path)
		_, size = w.look(to.path)
	}
	if folder {
		w.moved(from, to)
	}
	if pid == w.own {
		return
	}
	switch {
	case from != nil && to != nil:
		w.ring.add(actionRenamed, to.path, from.path, size, folder)
	case from != nil:
		w.ring.add(actionDeleted, from.path, "", 0, folder)
	case to != nil:
		w.ring.add(actionCreated, to.path, "", size, folder)
	}
}

func (w *watcher) moved(from, to *spot) {
	if from != nil {
		w.left(from, false)
	}
	if to != nil {
		w.arrived(to)
	}
}

// left takes a folder out of the tree. It comes back if it was moved within the workspace.
func (w *watcher) left(at *spot, forever bool) {
	f := at.folder.children[at.name]
	if f == nil {
		return
	}
	delete(at.folder.children, at.name)
	f.out = true
	if forever {
		delete(w.folders, f.handle)
	}
}

// arrived finds out which directory has a name now, and learns what is in it.
func (w *watcher) arrived(at *spot) {
	root, err := openat2(-100, w.root, oPath|syscall.O_DIRECTORY, resolveNoSymlinks|resolveNoMagicLinks)
	if err != nil {
		return
	}
	defer syscall.Close(root)
	fd, err := openBeneath(root, at.path, syscall.O_RDONLY|syscall.O_DIRECTORY)
	if err != nil {
		return // it has gone on, which another event says
	}
	defer syscall.Close(fd)
	if key, err := keyOf(fd); err == nil {
		if f := w.folders[key]; f != nil && f.parent == at.folder && f.name == at.name && !f.out {
			return // read already, with the directory above it
		}
	}
	w.enter(fd, at.path, 0)
}

func (w *watcher) enter(fd int, path string, depth int) {
	if w.know(fd, path) != nil || depth > mostDepth {
		w.lost = true
		return
	}
	names, _ := sortedNames(fd)
	for _, name := range names {
		var stat syscall.Stat_t
		if statName(fd, name, &stat) != nil {
			continue
		}
		if stat.Mode&syscall.S_IFMT != syscall.S_IFDIR {
			w.name(path + "/" + name) // it may have been written before this directory was known
			continue
		}
		if below, err := openName(fd, name, syscall.O_RDONLY|syscall.O_DIRECTORY); err == nil {
			w.enter(below, path+"/"+name, depth+1)
			syscall.Close(below)
		}
	}
}

// name remembers that a path must be read at the next walk.
func (w *watcher) name(path string) {
	if len(w.named) >= mostNamed {
		w.lost = true
		return
	}
	w.named[path] = true
}

// look returns whether something has a path now, and its size if it is a file. This is for events
// alone, and therefore need not be safe from links.
func (w *watcher) look(path string) (bool, int64) {
	var stat syscall.Stat_t
	if err := syscall.Lstat(w.root+"/"+path, &stat); err != nil {
		return false, 0
	}
	if stat.Mode&syscall.S_IFMT != syscall.S_IFREG {
		return true, 0
	}
	return true, stat.Size
}
