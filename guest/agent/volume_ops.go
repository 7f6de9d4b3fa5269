// SPDX-License-Identifier: Apache-2.0

package main

import (
	"syscall"
)

// entered responds with a file that was found under a name, or created.
func (s *volumeServer) entered(parent *node, name string) func([]byte) ([]byte, syscall.Errno) {
	return func(answer []byte) ([]byte, syscall.Errno) {
		e, ok := parseEntry(answer)
		if !ok {
			return nil, syscall.EIO
		}
		return fuseEntryOut(s.nodes.found(parent, name, e).id, e), 0
	}
}

func attributes(answer []byte) ([]byte, syscall.Errno) {
	e, ok := parseEntry(answer)
	if !ok {
		return nil, syscall.EIO
	}
	return fuseAttrOut(e), 0
}

func (s *volumeServer) lookup(r fuseRequest, n *node) syscall.Errno {
	names, ok := texts(r.body, 1)
	if !ok {
		return syscall.EINVAL
	}
	where := func() message { return message(nil).place(n.of(names[0])).u64(0) }
	s.askAgain(r, opStat, where, s.entered(n, names[0]))
	return 0
}

func (s *volumeServer) getattr(r fuseRequest, n *node) {
	s.askAgain(r, opStat, func() message { return message(nil).place(n.place()).u64(n.identity) }, attributes)
}

func (s *volumeServer) setattr(r fuseRequest, n *node) {
	b := append([]byte(nil), r.body[:88]...)
	nanos := func(seconds, part int) uint64 {
		return uint64(int64(le.Uint64(b[seconds:]))*1e9 + int64(le.Uint32(b[part:])))
	}
	s.askAgain(r, opSet, func() message {
		m := message(nil).place(n.place()).u64(n.identity).u32(le.Uint32(b))
		m = m.u32(le.Uint32(b[68:])).u32(le.Uint32(b[76:])).u32(le.Uint32(b[80:])) // mode, uid, gid
		return m.u64(le.Uint64(b[16:])).u64(nanos(32, 56)).u64(nanos(40, 60))      // size, times
	}, attributes)
}

func (s *volumeServer) symlink(r fuseRequest, n *node) syscall.Errno {
	names, ok := texts(r.body, 2)
	if !ok {
		return syscall.EINVAL
	}
	where := func() message {
		return message(nil).place(n.of(names[0])).text(names[1]).u32(r.uid).u32(r.gid)
	}
	s.askAgain(r, opSymlink, where, s.entered(n, names[0]))
	return 0
}

// create creates a file or a directory; volumes hold no other types.
func (s *volumeServer) create(r fuseRequest, n *node) syscall.Errno {
	skip, mode, exclusive, op := 16, le.Uint32(r.body), byte(1), opCreate
	switch r.opcode {
	case fuseMkdir:
		skip, op = 8, opMakeDir
	case fuseMknod:
		if kind := mode & syscall.S_IFMT; kind != syscall.S_IFREG && kind != 0 {
			return syscall.EPERM
		}
	case fuseCreate:
		mode = le.Uint32(r.body[4:])
		if le.Uint32(r.body)&syscall.O_EXCL == 0 {
			exclusive = 0
		}
	}
	names, ok := texts(r.body[skip:], 1)
	if !ok {
		return syscall.EINVAL
	}
	name := names[0]
	where := func() message {
		return message(nil).place(n.of(name)).u32(mode & 07777).u32(r.uid).u32(r.gid).u8(exclusive)
	}
	s.askAgain(r, op, where, func(answer []byte) ([]byte, syscall.Errno) {
		out, errno := s.entered(n, name)(answer)
		if errno == 0 && r.opcode == fuseCreate {
			n.children[name].opens++
			out = fuseOpenOut(out, 0)
		}
		return out, errno
	})
	return 0
}

// unlink removes a name. A file that is open here is kept without a name until it is closed.
func (s *volumeServer) unlink(r fuseRequest, n *node) syscall.Errno {
	names, ok := texts(r.body, 1)
	if !ok {
		return syscall.EINVAL
	}
	name, op, identity := names[0], opUnlink, uint64(0)
	child := n.children[name]
	switch {
	case r.opcode == fuseRmdir:
		op = opRemove
	case child != nil && child.opens > 0 && !child.hidden:
		op, identity = opHide, child.identity
	}
	where := func() message { return message(nil).place(n.of(name)).u64(identity) }
	s.askAgain(r, op, where, func([]byte) ([]byte, syscall.Errno) {
		if child != nil {
			child.lose(op == opHide)
			s.closed(child)
		}
		return nil, 0
	})
	return 0
}

// lose records that a file no longer has a name.
func (n *node) lose(kept bool) {
	if kept {
		n.move(nil, "")
		n.hidden = true
	}
}

// closed removes a file that was kept only while it was open.
func (s *volumeServer) closed(n *node) {
	if n.hidden && n.opens == 0 {
		s.ask(fuseRequest{}, opUnlink, message(nil).place(n.place()).u64(0), done)
	}
}

func (s *volumeServer) release(r fuseRequest, n *node) {
	n.opens--
	s.closed(n)
	s.answer(r.unique, 0, nil)
}

func (s *volumeServer) rename(r fuseRequest, n *node) syscall.Errno {
	skip, replace := 8, byte(1)
	if r.opcode == fuseRename2 {
		skip = 16
		switch le.Uint32(r.body[8:]) {
		case 0:
		case renameNoRepl:
			replace = 0
		default:
			return syscall.EINVAL
		}
	}
	target, errno := s.nodes.get(le.Uint64(r.body))
	names, ok := texts(r.body[skip:], 2)
	if errno != 0 || !ok {
		return syscall.EINVAL
	}
	moved, replaced, keep := n.children[names[0]], target.children[names[1]], uint64(0)
	if replaced != nil && replaced != moved && replaced.opens > 0 && !replaced.hidden {
		keep = replaced.identity
	}
	where := func() message {
		return message(nil).place(n.of(names[0])).place(target.of(names[1])).u8(replace).u64(keep)
	}
	s.askAgain(r, opRename, where, func([]byte) ([]byte, syscall.Errno) {
		if replaced != nil && replaced != moved {
			replaced.lose(keep != 0)
			s.closed(replaced)
		}
		if moved != nil && !moved.hidden {
			moved.move(target, names[1])
		}
		return nil, 0
	})
	return 0
}

func (s *volumeServer) link(r fuseRequest, n *node) syscall.Errno {
	old, errno := s.nodes.get(le.Uint64(r.body))
	names, ok := texts(r.body[8:], 1)
	if errno != 0 || !ok {
		return syscall.EINVAL
	}
	where := func() message { return message(nil).place(old.place()).place(n.of(names[0])) }
	s.askAgain(r, opLink, where, s.entered(n, names[0]))
	return 0
}

func (s *volumeServer) read(r fuseRequest, n *node) {
	offset, size := le.Uint64(r.body[8:]), le.Uint32(r.body[16:])
	if size > maxVolumeData {
		size = maxVolumeData
	}
	s.askAgain(r, opRead, func() message {
		return message(nil).place(n.place()).u64(n.identity).u64(offset).u32(size)
	}, func(answer []byte) ([]byte, syscall.Errno) {
		if len(answer) > int(size) {
			return nil, syscall.EIO
		}
		return answer, 0
	})
}

func (s *volumeServer) write(r fuseRequest, n *node) syscall.Errno {
	size := le.Uint32(r.body[16:])
	if int(size) > len(r.body)-40 {
		return syscall.EINVAL
	}
	data := append([]byte(nil), r.body[40:40+size]...)
	offset, atEnd := le.Uint64(r.body[8:]), byte(0)
	if le.Uint32(r.body[32:])&syscall.O_APPEND != 0 {
		// Others may have appended since the kernel last asked where the end is: the host knows.
		atEnd = 1
	}
	s.askAgain(r, opWrite, func() message {
		return append(message(nil).place(n.place()).u64(n.identity).u64(offset).u8(atEnd), data...)
	}, func([]byte) ([]byte, syscall.Errno) {
		return le.AppendUint64(nil, uint64(size)), 0
	})
	return 0
}
