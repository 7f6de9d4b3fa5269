// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"
	"os"
	"sort"
	"strings"
)

const (
	blockBytes   = 4096
	maxNameBytes = 255
	maxPathBytes = 4095
	maxFollowed  = 40
	maxFiles     = 1 << 20
	maxDepth     = 2048
	// debugfs looks through all of a directory for room for each name: what is twice as long takes four
	// times as long, and this some minutes.
	maxNames = 32768
)

type kind byte

const (
	directoryKind kind = 'd'
	fileKind      kind = 'f'
	symlinkKind   kind = 'l'
	charKind      kind = 'c'
	blockKind     kind = 'b'
	pipeKind      kind = 'p'
)

// inode is what names lead to.
type inode struct {
	kind         kind
	mode         uint32 // permissions, with the set-id and sticky bits
	uid, gid     uint32
	mtime        int64 // seconds
	target       string
	major, minor uint32
	data         int // number of the file with the contents; 0 when there are none
	size         int64
	xattrs       map[string]string
	links        int
	written      string // path that the script gave it first
}

// node is a name in a directory.
type node struct {
	*inode
	name     string
	parent   *node
	children map[string]*node
	depth    int
	touched  int // the newest layer that has it, or something below it
}

// tree is a root file system as its layers so far make it. Paths are followed here, never on the
// host. Contents are numbered files in one directory, of which the ones not needed any more go.
type tree struct {
	root    *node
	layer   int
	data    string
	date    int64
	limit   int64 // bytes of the disk
	used    int64 // bytes of blocks that contents need
	entries int
	numbers int
}

func newTree(data string, date, limit int64) (*tree, error) {
	if err := os.MkdirAll(data, 0o755); err != nil {
		return nil, err
	}
	t := &tree{data: data, date: date, limit: limit}
	t.root = &node{inode: t.plainDirectory(), children: map[string]*node{}}
	t.root.parent = t.root
	return t, nil
}

func (t *tree) plainDirectory() *inode {
	return &inode{kind: directoryKind, mode: 0o755, mtime: t.date, links: 1}
}

func (t *tree) dataFile(number int) string { return fmt.Sprintf("%s/%d", t.data, number) }

// split takes a path apart; what leads out of the root is refused.
func split(path string) ([]string, error) {
	if len(path) > maxPathBytes {
		return nil, bad(notOurs, "the image has a path of %d bytes", len(path))
	}
	var parts []string
	for _, part := range strings.Split(path, "/") {
		switch {
		case part == "" || part == ".":
			continue
		case part == "..":
			return nil, bad(notOurs, "the image has a path that leads outside it: %q", path)
		case len(part) > maxNameBytes:
			return nil, bad(notOurs, "the image has a name of %d bytes", len(part))
		}
		parts = append(parts, part)
	}
	return parts, nil
}

// walk finds a directory, through symbolic links as the guest would. Without make it answers nil for
// what is not there; with it, directories are made.
func (t *tree) walk(parts []string, make bool) (*node, error) {
	at, followed := t.root, 0
	for len(parts) > 0 {
		part := parts[0]
		parts = parts[1:]
		switch part {
		case "", ".":
			continue
		case "..": // of a link
			at = at.parent
			continue
		}
		next := at.children[part]
		switch {
		case next == nil && !make:
			return nil, nil
		case next == nil:
			var err error
			if next, err = t.add(at, part, t.plainDirectory()); err != nil {
				return nil, err
			}
			at = next
		case next.kind == directoryKind:
			at = next
		case next.kind == symlinkKind:
			if followed++; followed > maxFollowed {
				return nil, bad(notOurs, "the image has a loop of symbolic links at %q", next.path())
			}
			if strings.HasPrefix(next.target, "/") {
				at = t.root
			}
			parts = append(strings.Split(next.target, "/"), parts...)
		case !make:
			return nil, nil
		default:
			return nil, bad(notOurs, "the image has files below %q, which is not a directory", next.path())
		}
	}
	return at, nil
}

// at finds the name itself, whose directory may be reached through links.
func (t *tree) at(parts []string) (*node, error) {
	if len(parts) == 0 {
		return t.root, nil
	}
	last := len(parts) - 1
	parent, err := t.walk(parts[:last], false)
	if parent == nil || err != nil {
		return nil, err
	}
	return parent.children[parts[last]], nil
}

// put makes a name lead to the inode, in place of what was there. A directory in place of a
// directory keeps what is in it.
func (t *tree) put(parts []string, i *inode) (*node, error) {
	if len(parts) == 0 {
		if i.kind != directoryKind {
			return nil, bad(notOurs, "the image's root is not a directory")
		}
		t.root.inode, t.root.touched = i, t.layer
		return t.root, nil
	}
	last := len(parts) - 1
	parent, err := t.walk(parts[:last], true)
	if err != nil {
		return nil, err
	}
	there := parent.children[parts[last]]
	if there != nil && there.kind == directoryKind && i.kind == directoryKind {
		there.inode = i
		t.touch(there)
		return there, nil
	}
	i.links++ // before the old one goes: it may be the same
	if there != nil {
		t.drop(there)
	}
	i.links--
	return t.add(parent, parts[last], i)
}

func (t *tree) add(parent *node, name string, i *inode) (*node, error) {
	most := t.limit / blockBytes
	if most > maxFiles {
		most = maxFiles
	}
	if int64(t.entries) >= most {
		return nil, bad("give it a larger disk, or use a smaller image", "the image has more than %d files", most)
	}
	if len(parent.children) >= maxNames || parent.depth >= maxDepth {
		return nil, bad(notOurs, "the image has more than %d names in a directory, or directories more than %d deep", maxNames, maxDepth)
	}
	n := &node{inode: i, name: name, parent: parent, depth: parent.depth + 1}
	if i.kind == directoryKind {
		n.children = map[string]*node{}
	} else {
		i.links++
	}
	parent.children[name] = n
	t.entries++
	t.touch(n)
	return n, nil
}

func (t *tree) touch(n *node) {
	for ; n.touched != t.layer; n = n.parent {
		n.touched = t.layer
		if n == t.root {
			return
		}
	}
}

// drop removes a name with all that is below it.
func (t *tree) drop(n *node) {
	for _, child := range n.children {
		t.drop(child)
	}
	delete(n.parent.children, n.name)
	t.entries--
	if n.kind == directoryKind {
		return
	}
	if n.links--; n.links == 0 {
		t.forget(n.inode)
	}
}

func (t *tree) forget(i *inode) {
	if i.data != 0 {
		t.used -= blocks(i.size)
		_ = os.Remove(t.dataFile(i.data))
		i.data = 0
	}
}

// hide removes what older layers have below a directory.
func (t *tree) hide(n *node) {
	for _, child := range n.children {
		if child.touched < t.layer {
			t.drop(child)
		} else if child.kind == directoryKind {
			t.hide(child)
		}
	}
}

// fill writes a file's contents; the space is counted before any is used.
func (t *tree) fill(i *inode, size int64, from io.Reader) error {
	if size == 0 {
		return nil
	}
	if need := t.used + blocks(size); size > t.limit || need > t.limit {
		return t.tooLarge(need)
	}
	t.numbers++
	file, err := os.OpenFile(t.dataFile(t.numbers), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	i.data, i.size = t.numbers, size
	t.used += blocks(size)
	_, err = io.CopyN(file, from, size)
	if closing := file.Close(); err == nil {
		err = closing
	}
	return err
}

func (t *tree) tooLarge(need int64) error {
	return bad(fmt.Sprintf("give it a larger disk: %d MiB or more", need*5/4>>20+1),
		"the image does not fit on a disk of %d MiB", t.limit>>20)
}

// inodes is how many the file system needs; need is how large it has to be.
func (t *tree) inodes() int64 {
	least := t.limit >> 14 // what mke2fs would give it
	if most := int64(t.entries)*5/4 + 1024; most > least {
		return most
	}
	return least
}

func (t *tree) need(inodes int64) int64 {
	const journal, rest = 4 << 20, 2 << 20
	directories := int64(0)
	var count func(n *node)
	count = func(n *node) {
		bytes := int64(0)
		for _, child := range n.children {
			bytes += int64(len(child.name)) + 12
			if child.kind == directoryKind {
				count(child)
			}
		}
		directories += blocks(bytes + bytes/4 + 1)
	}
	count(t.root)
	return t.used + directories + inodes*256 + t.limit/2048 + journal + rest
}

func blocks(size int64) int64 { return (size + blockBytes - 1) / blockBytes * blockBytes }

func (n *node) path() string {
	if n.parent == n {
		return "/"
	}
	var parts []string
	for ; n.parent != n; n = n.parent {
		parts = append([]string{n.name}, parts...)
	}
	return "/" + strings.Join(parts, "/")
}

func (n *node) sorted() []*node {
	all := make([]*node, 0, len(n.children))
	for _, child := range n.children {
		all = append(all, child)
	}
	sort.Slice(all, func(a, b int) bool { return all[a].name < all[b].name })
	return all
}
