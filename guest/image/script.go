// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"fmt"
	"os"
	"sort"
	"strings"
)

// maxLineBytes: debugfs(8) reads its commands into a buffer of 8 KiB and takes the rest of a longer
// line for the next command.
const maxLineBytes = 8000

// script writes commands for debugfs(8). What an image says stands only between the quotes that
// quote makes: among its commands are some that read and write files of the host.
type script struct {
	to  *bufio.Writer
	err error
}

func (s *script) say(words ...string) {
	line := strings.Join(words, " ")
	if s.err == nil && len(line) > maxLineBytes {
		s.err = bad(notOurs, "the image has a name that is too long: %.200q", line)
	}
	if s.err == nil {
		_, s.err = s.to.WriteString(line + "\n")
	}
}

// quote: within quotes only a quote means something, which is doubled; but lines end where they end.
func (s *script) quote(text string) string {
	if strings.ContainsAny(text, "\n\r\x00") && s.err == nil {
		s.err = bad(notOurs, "the image has a name with a line break in it: %q", text)
	}
	return `"` + strings.ReplaceAll(text, `"`, `""`) + `"`
}

// here names something in the current directory; alone, a name may look like an inode's number.
func (s *script) here(name string) string { return s.quote("./" + name) }

func (s *script) set(what, field string, value interface{}) {
	s.say("set_inode_field", what, field, fmt.Sprint(value))
}

func writeScript(t *tree, name string) error {
	file, err := os.Create(name)
	if err != nil {
		return err
	}
	defer file.Close()
	s := &script{to: bufio.NewWriter(file)}
	s.metadata("/", t.root.inode, 0o755)
	s.directory(t, t.root)
	s.dated("/", t.root.inode)
	if s.err == nil {
		s.err = s.to.Flush()
	}
	if s.err != nil {
		return s.err
	}
	return file.Close()
}

func (s *script) directory(t *tree, d *node) {
	for _, n := range d.sorted() {
		if n.written != "" {
			// debugfs adds the name alone, and leaves it to us to count.
			s.say("ln", s.quote(n.written), s.quote(n.name))
			continue
		}
		made := uint32(0o644)
		switch n.kind {
		case directoryKind:
			made = 0o755
			// The one that mke2fs makes stays.
			if d.parent != d || n.name != "lost+found" {
				s.say("mkdir", s.quote(n.name))
			} else {
				made = 0o700
			}
		case fileKind:
			source := "/dev/null"
			if n.data != 0 {
				source = t.dataFile(n.data)
			} else {
				made = 0
			}
			s.say("write", s.quote(source), s.quote(n.name))
		case symlinkKind:
			made = 0o777
			n.mode = made
			s.say("symlink", s.quote(n.name), s.quote(n.target))
		case pipeKind:
			made = 0
			s.say("mknod", s.quote(n.name), "p")
		default:
			made = 0
			s.say("mknod", s.quote(n.name), string(n.kind), fmt.Sprint(n.major), fmt.Sprint(n.minor))
		}
		s.metadata(s.here(n.name), n.inode, made)
		if n.kind != directoryKind && n.links > 1 {
			n.written = n.path()
			s.set(s.here(n.name), "links_count", n.links)
		}
		s.attributes(t, n)
		if n.kind == directoryKind && len(n.children) > 0 {
			s.say("cd", s.here(n.name))
			s.directory(t, n)
			s.say("cd", `".."`)
		}
		s.dated(s.here(n.name), n.inode) // last: what is put into a directory changes it
	}
}

// format are the bits of a mode that tell the kind, as stat(2) has them.
var format = map[kind]uint32{
	directoryKind: 0o040000, fileKind: 0o100000, symlinkKind: 0o120000, charKind: 0o020000, blockKind: 0o060000, pipeKind: 0o010000,
}

func (s *script) metadata(what string, i *inode, made uint32) {
	if i.mode != made {
		s.set(what, "mode", fmt.Sprintf("0%o", format[i.kind]|i.mode))
	}
	if i.uid != 0 {
		s.set(what, "uid", i.uid)
	}
	if i.gid != 0 {
		s.set(what, "gid", i.gid)
	}
}

func (s *script) dated(what string, i *inode) { s.set(what, "mtime", fmt.Sprint("@", i.mtime)) }

// attributes go by files: their values are any bytes.
func (s *script) attributes(t *tree, n *node) {
	var names []string
	for name := range n.xattrs {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		t.numbers++
		file := t.dataFile(t.numbers)
		if err := os.WriteFile(file, []byte(n.xattrs[name]), 0o644); err != nil && s.err == nil {
			s.err = err
		}
		s.say("ea_set", "-f", s.quote(file), s.here(n.name), s.quote(name))
	}
}
