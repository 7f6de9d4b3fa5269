// SPDX-License-Identifier: Apache-2.0

package workspace

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

const (
	// mostDepth limits the directories that are open at a time.
	mostDepth   = 400
	mostEntries = 1 << 20
	// uncertainty is longer than the steps in which the kernel's file times advance: 10 ms at most.
	uncertainty = 50 * time.Millisecond
)

// The file systems below which a workspace continues: those that are part of the machine, by their
// numbers in <linux/magic.h>.
const (
	magicExt     = 0xef53
	magicXFS     = 0x58465342
	magicBtrfs   = 0x9123683e
	magicTmpfs   = 0x01021994
	magicRamfs   = 0x858458f6
	magicOverlay = 0x794c7630
	magicF2FS    = 0xf2f52010
)

var errTooMany = fmt.Errorf("the workspace has more than %d entries", mostEntries)

// difference is what one path was before a state began.
type difference struct {
	path string
	old  *record // nil if there was nothing
}

// walker reads a tree once. Every entry's status is read; its content only if the status differs
// from the one before, or cannot show that the content is still the same.
type walker struct {
	ctx   context.Context
	old   []item
	next  int // in old
	out   []item
	diffs []difference

	named     map[string]bool // paths that the kernel named as written
	mapped    map[uint64]bool // inodes of files that are mapped into a process's memory
	certain   int64           // a file changed after this may change again without another time
	watched   bool            // the kernel named every write since the last walk
	observe   func(fd int, path string)
	fileTypes map[uint64]int64 // of file systems, by device
	hash      *contentHash
}

// walk reads the tree of an open directory and compares it with a list from before.
func (k *walker) walk(root int) error {
	k.certain = time.Now().Add(-uncertainty).UnixNano()
	k.mapped = mappedFiles()
	k.fileTypes = make(map[uint64]int64)
	k.hash = newContentHash()
	k.out = make([]item, 0, len(k.old))
	var stat syscall.Stat_t
	if err := syscall.Fstat(root, &stat); err != nil {
		return err
	}
	if err := k.directory(root, "", stat.Dev, 0); err != nil {
		return err
	}
	for ; k.next < len(k.old); k.next++ {
		k.gone()
	}
	return nil
}

func (k *walker) gone() {
	k.diffs = append(k.diffs, difference{k.old[k.next].path, k.old[k.next].record})
}

func (k *walker) directory(fd int, prefix string, dev uint64, depth int) error {
	if k.observe != nil {
		k.observe(fd, strings.TrimSuffix(prefix, "/"))
	}
	names, err := sortedNames(fd)
	if err != nil {
		return err
	}
	for _, name := range names {
		if err := k.ctx.Err(); err != nil {
			return err
		}
		var stat syscall.Stat_t
		if err := statName(fd, name, &stat); err != nil {
			continue // removed meanwhile
		}
		if err := k.entry(fd, prefix+name, name, &stat, dev, depth); err != nil {
			return err
		}
	}
	return nil
}

func (k *walker) entry(dir int, path, name string, stat *syscall.Stat_t, dev uint64, depth int) error {
	if len(k.out) >= mostEntries {
		return errTooMany
	}
	var old *record
	for ; k.next < len(k.old) && before(k.old[k.next].path, path); k.next++ {
		k.gone()
	}
	if k.next < len(k.old) && k.old[k.next].path == path {
		path, old = k.old[k.next].path, k.old[k.next].record
		k.next++
	}
	fresh := recordOf(stat)
	if fresh.kind == kindDirectory {
		return k.subdirectory(dir, path, name, old, fresh, dev, depth)
	}
	if old == nil || !old.looksLike(fresh) || old.failure != "" || k.suspect(path, old, dir) {
		if err := k.read(dir, name, fresh); errors.Is(err, syscall.ENOENT) {
			if old != nil {
				k.diffs = append(k.diffs, difference{path, old})
			}
			return nil
		} else if err != nil {
			return err
		}
		k.add(path, old, fresh)
	} else {
		k.out = append(k.out, item{path, old})
	}
	return nil
}

// suspect reports whether a file must be read although its status is the same as before. Writes to
// mapped memory do not change it while the pages are unwritten, and never in tmpfs.
func (k *walker) suspect(path string, old *record, dir int) bool {
	if old.kind != kindFile {
		return false
	}
	return old.unsure || k.named[path] || k.mapped[old.inode] || !k.watched && isMemory(k.fileType(old.dev, dir))
}

func isMemory(magic int64) bool { return magic == magicTmpfs || magic == magicRamfs }

func (k *walker) fileType(dev uint64, fd int) int64 {
	if magic, known := k.fileTypes[dev]; known {
		return magic
	}
	var stat syscall.Statfs_t
	if err := syscall.Fstatfs(fd, &stat); err != nil {
		return 0
	}
	k.fileTypes[dev] = int64(stat.Type)
	return int64(stat.Type)
}

func (k *walker) subdirectory(dir int, path, name string, old, fresh *record, dev uint64, depth int) error {
	fd, err := openName(dir, name, syscall.O_RDONLY|syscall.O_DIRECTORY)
	if errors.Is(err, syscall.ENOENT) || errors.Is(err, syscall.ENOTDIR) || errors.Is(err, syscall.ELOOP) {
		if old != nil {
			k.diffs = append(k.diffs, difference{path, old})
		}
		return nil
	}
	if err != nil {
		fresh.failure = err.Error()
		k.add(path, old, fresh)
		return nil
	}
	defer syscall.Close(fd)
	if fresh.dev != dev && !ofMachine(k.fileType(fresh.dev, fd)) {
		fresh.kind, fresh.mode, fresh.uid, fresh.gid = kindMount, 0, 0, 0
		k.add(path, old, fresh)
		return nil
	}
	if old != nil && old.looksLike(fresh) && old.failure == "" {
		fresh = old
	} else if attributes, err := attributesOf(fd); err != nil {
		fresh.failure = err.Error()
	} else {
		fresh.attributes = digestOfAttributes(attributes)
	}
	if depth >= mostDepth {
		deep := *fresh
		deep.failure = fmt.Sprintf("more than %d directories deep: not read", mostDepth)
		k.add(path, old, &deep)
		return nil
	}
	k.add(path, old, fresh)
	return k.directory(fd, path+"/", fresh.dev, depth+1)
}

func ofMachine(magic int64) bool {
	switch magic {
	case magicExt, magicXFS, magicBtrfs, magicTmpfs, magicRamfs, magicOverlay, magicF2FS:
		return true
	}
	return false
}

// add appends an entry, with its old record if only what this agent needs differs.
func (k *walker) add(path string, old, fresh *record) {
	if old == nil || old.modified != fresh.modified || differences(old, fresh) != nil {
		k.diffs = append(k.diffs, difference{path, old})
	}
	k.out = append(k.out, item{path, fresh})
}

// read reads what the status of an entry does not show. A failure that concerns only this entry
// becomes part of it.
func (k *walker) read(dir int, name string, r *record) error {
	var err error
	switch r.kind {
	case kindLink:
		r.target, err = readLink(dir, name)
	case kindFile:
		err = k.readFile(dir, name, r)
	}
	if err == nil || errors.Is(err, syscall.ENOENT) {
		return err
	}
	if ended := k.ctx.Err(); ended != nil {
		return ended
	}
	r.failure = err.Error()
	return nil
}

func (k *walker) readFile(dir int, name string, r *record) error {
	fd, err := openName(dir, name, syscall.O_RDONLY|syscall.O_NOATIME)
	if err != nil {
		return err
	}
	defer syscall.Close(fd)
	var stat syscall.Stat_t
	if err := syscall.Fstat(fd, &stat); err != nil {
		return err
	}
	opened := recordOf(&stat)
	if opened.kind != kindFile {
		return errors.New("it was replaced while it was read")
	}
	*r = *opened
	attributes, err := attributesOf(fd)
	if err != nil {
		return err
	}
	r.attributes = digestOfAttributes(attributes)
	if r.content, r.size, err = k.hash.file(k.ctx, fd, stat.Size); err != nil {
		return err
	}
	if err := syscall.Fstat(fd, &stat); err != nil {
		return err
	}
	after := recordOf(&stat)
	r.unsure = r.size != after.size || r.modified != after.modified || r.changed != after.changed ||
		r.changed >= k.certain || k.mapped[r.inode]
	return nil
}

// mappedFiles returns the inodes of all files that processes share by mapping them. Devices are left
// out, because Btrfs shows another one there (proc(5)): one file too many is only read in vain.
func mappedFiles() map[uint64]bool {
	found := make(map[uint64]bool)
	processes, _ := filepath.Glob("/proc/[0-9]*/maps")
	for _, path := range processes {
		file, err := os.Open(path)
		if err != nil {
			continue // it has ended
		}
		lines := bufio.NewReader(file)
		for {
			line, err := lines.ReadSlice('\n')
			if len(line) > 0 {
				fields := strings.Fields(string(line[:min(len(line), 100)]))
				if len(fields) > 4 && len(fields[1]) == 4 && fields[1][3] == 's' {
					if inode, err := strconv.ParseUint(fields[4], 10, 64); err == nil && inode != 0 {
						found[inode] = true
					}
				}
			}
			if err != nil && err != bufio.ErrBufferFull {
				break
			}
		}
		file.Close()
	}
	return found
}

func min(a, b int) int {
	if a < b {
		return a
	}
	return b
}
