// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// ours is where all that Ramet adds lies, but for a few lines in files that machines need.
const ours = ".ramet"

// startFile tells the agent what of the image it goes by.
type startFile struct {
	Env   []string `json:"env"`
	Dir   string   `json:"dir"`
	User  string   `json:"user"`
	Start []string `json:"start,omitempty"`
	Ready []string `json:"ready,omitempty"`
}

// addGuest adds what makes of an image's root one that boots: places to mount on, accounts, names,
// and the directory with init and agent.
func addGuest(t *tree, config imageConfig, o options) error {
	for _, name := range []string{"dev", "proc", "sys"} {
		n, err := t.at([]string{name})
		if err != nil {
			return err
		}
		if n != nil && n.kind != directoryKind {
			return bad(notOurs, "the image's /%s is not a directory", name)
		}
	}
	for _, name := range []string{"dev", "proc", "sys", "run", "etc", "root", "tmp", "home"} {
		if err := t.addDirectory(name, map[string]uint32{"tmp": 0o1777, "root": 0o700}[name], 0); err != nil {
			return err
		}
	}
	if err := addAccounts(t); err != nil {
		return err
	}
	for _, f := range []struct{ name, content string }{
		{"etc/hostname", "ramet\n"},
		{"etc/hosts", "127.0.0.1 localhost ramet\n::1 localhost\n"},
		{"etc/resolv.conf", "nameserver 10.0.2.3\n"},
	} {
		old, there, err := t.text(f.name)
		if err != nil {
			return err
		}
		if there && len(old) > 0 {
			continue // the image's own
		}
		if err := t.write(f.name, []byte(f.content), 0o644); err != nil {
			return err
		}
	}
	start, err := t.startFile(config, o)
	if err != nil {
		return err
	}
	return t.addOurs(o.add, start)
}

func (t *tree) startFile(config imageConfig, o options) ([]byte, error) {
	c := config.Config
	start := startFile{Env: c.Env, Dir: c.WorkingDir, User: c.User}
	if start.Dir == "" {
		start.Dir = "/"
	}
	if !strings.HasPrefix(start.Dir, "/") {
		start.Dir = "/" + start.Dir
	}
	parts, err := split(start.Dir)
	if err != nil {
		return nil, err
	}
	if _, err := t.walk(parts, true); err != nil {
		return nil, err
	}
	switch {
	case o.noStart:
	case o.start != "":
		start.Start = []string{"/bin/sh", "-c", o.start}
	default:
		start.Start = append(append([]string{}, c.Entrypoint...), c.Cmd...)
	}
	if o.ready != "" {
		start.Ready = []string{"/bin/sh", "-c", o.ready}
	}
	return json.Marshal(start)
}

// addOurs makes /.ramet of a directory of the host that the recipe filled.
func (t *tree) addOurs(from string, start []byte) error {
	if there := t.root.children[ours]; there != nil {
		t.drop(there)
	}
	err := filepath.Walk(from, func(name string, info os.FileInfo, err error) error {
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(from, name)
		if err != nil {
			return err
		}
		inside := ours + "/" + relative
		mode := uint32(0o644)
		if info.Mode()&0o111 != 0 {
			mode = 0o755
		}
		switch {
		case info.IsDir():
			return t.addDirectory(inside, mode, 0)
		case info.Mode()&os.ModeSymlink != 0:
			target, err := os.Readlink(name)
			if err != nil {
				return err
			}
			parts, err := split(inside)
			if err == nil {
				_, err = t.put(parts, &inode{kind: symlinkKind, target: target, mtime: t.date})
			}
			return err
		}
		content, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		return t.write(inside, content, mode)
	})
	if err != nil {
		return err
	}
	return t.write(ours+"/start.json", start, 0o644)
}

// addDirectory leaves one that is there as it is, and a link that somebody thought of.
func (t *tree) addDirectory(name string, mode, owner uint32) error {
	parts, err := split(name)
	if err != nil {
		return err
	}
	if n, err := t.at(parts); n != nil || err != nil {
		return err
	}
	i := t.plainDirectory()
	i.uid, i.gid = owner, owner
	if mode != 0 {
		i.mode = mode
	}
	_, err = t.put(parts, i)
	return err
}

const maxTextBytes = 1 << 20

// text reads a file, also where a link leads to it; what is no file, or too large, is not there.
func (t *tree) text(name string) ([]byte, bool, error) {
	for followed := 0; followed < maxLinks; followed++ {
		parts, err := split(name)
		if err != nil {
			return nil, false, nil // a link's: leads nowhere
		}
		n, err := t.at(parts)
		if n == nil || err != nil {
			return nil, false, err
		}
		switch {
		case n.kind == symlinkKind && strings.HasPrefix(n.target, "/"):
			name = n.target
			continue
		case n.kind == symlinkKind:
			name = n.parent.path() + "/" + n.target
			continue
		case n.kind != fileKind || n.size > maxTextBytes:
			return nil, false, nil
		case n.data == 0:
			return nil, true, nil
		}
		content, err := os.ReadFile(t.dataFile(n.data))
		return content, err == nil, err
	}
	return nil, false, nil
}

// write makes a file of root's in place of whatever had the name.
func (t *tree) write(name string, content []byte, mode uint32) error {
	parts, err := split(name)
	if err != nil {
		return err
	}
	i := &inode{kind: fileKind, mode: mode, mtime: t.date}
	if err := t.fill(i, int64(len(content)), bytes.NewReader(content)); err != nil {
		return err
	}
	_, err = t.put(parts, i)
	return err
}

// rewrite gives a file other contents; what is no file becomes one.
func (t *tree) rewrite(name string, content []byte) error {
	parts, err := split(name)
	if err != nil {
		return err
	}
	n, err := t.at(parts)
	if err != nil {
		return err
	}
	if n == nil || n.kind != fileKind {
		return t.write(name, content, 0o644)
	}
	t.forget(n.inode)
	return t.fill(n.inode, int64(len(content)), bytes.NewReader(content))
}

// addAccounts: clients may ask for root and for user, which an image need not have.
func addAccounts(t *tree) error {
	passwd, _, err := t.text("etc/passwd")
	if err != nil {
		return err
	}
	group, _, err := t.text("etc/group")
	if err != nil {
		return err
	}
	shell := "/bin/sh"
	if n, err := t.at([]string{"bin", "bash"}); err != nil {
		return err
	} else if n != nil {
		shell = "/bin/bash"
	}
	if !hasName(passwd, "root") {
		passwd = line(passwd, "root:x:0:0:root:/root:"+shell)
	}
	if !hasName(group, "root") {
		group = line(group, "root:x:0:")
	}
	if !hasName(passwd, "user") {
		id := freeID(passwd, group)
		passwd = line(passwd, fmt.Sprintf("user:x:%d:%d:user:/home/user:%s", id, id, shell))
		if !hasName(group, "user") {
			group = line(group, fmt.Sprintf("user:x:%d:", id))
		}
		shadow, there, err := t.text("etc/shadow")
		if err == nil && there && !hasName(shadow, "user") {
			err = t.rewrite("etc/shadow", line(shadow, "user:*:19000:0:99999:7:::"))
		}
		if err == nil {
			err = t.addDirectory("home/user", 0o755, id)
		}
		if err != nil {
			return err
		}
	}
	if err := t.rewrite("etc/passwd", passwd); err != nil {
		return err
	}
	return t.rewrite("etc/group", group)
}

func hasName(lines []byte, name string) bool {
	return bytes.HasPrefix(lines, []byte(name+":")) || bytes.Contains(lines, []byte("\n"+name+":"))
}

func line(lines []byte, added string) []byte {
	all := append([]byte{}, lines...)
	if len(all) > 0 && all[len(all)-1] != '\n' {
		all = append(all, '\n')
	}
	return append(all, added+"\n"...)
}

// freeID is the first from 1000 on that neither a user nor a group has.
func freeID(files ...[]byte) uint32 {
	taken := map[uint64]bool{}
	for _, file := range files {
		for _, l := range strings.Split(string(file), "\n") {
			if field := strings.Split(l, ":"); len(field) > 2 {
				if id, err := strconv.ParseUint(field[2], 10, 32); err == nil {
					taken[id] = true
				}
			}
		}
	}
	id := uint64(1000)
	for taken[id] {
		id++
	}
	return uint32(id)
}
