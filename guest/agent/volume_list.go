// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/binary"
	"syscall"
)

// listing is an open directory, with the names that the host returned, page by page.
type listing struct {
	names []listed
	all   bool
}

type listed struct {
	name  string
	inode uint64
	kind  byte // as in readdir(3)
}

func (s *volumeServer) opendir(r fuseRequest) {
	s.next++
	s.lists[s.next] = &listing{}
	s.answer(r.unique, 0, fuseOpenOut(nil, s.next))
}

// readdir responds with as many names as fit, starting at a position. At the first position the
// directory is read again, as rewinddir(3) requires.
func (s *volumeServer) readdir(r fuseRequest, n *node) syscall.Errno {
	l := s.lists[le.Uint64(r.body)]
	if l == nil {
		return syscall.EBADF
	}
	at, room := le.Uint64(r.body[8:]), int(le.Uint32(r.body[16:]))
	if at == 0 {
		l.names, l.all = nil, false
	}
	if at < uint64(len(l.names)) || l.all {
		s.answer(r.unique, 0, l.from(at, room))
		return 0
	}
	s.askAgain(r, opList, func() message {
		after := ""
		if len(l.names) > 0 {
			after = l.names[len(l.names)-1].name
		}
		return message(nil).place(n.place()).u64(n.identity).text(after)
	}, func(answer []byte) ([]byte, syscall.Errno) {
		if !l.add(answer) {
			return nil, syscall.EIO
		}
		return l.from(at, room), 0
	})
	return 0
}

// add parses a page: whether it is the last one, then the names with their files.
func (l *listing) add(b []byte) bool {
	if len(b) < 1 {
		return false
	}
	l.all = b[0] == 0
	for b = b[1:]; len(b) >= 11; {
		end := 11 + int(binary.BigEndian.Uint16(b[9:]))
		if len(b) < end {
			return false
		}
		l.names = append(l.names, listed{string(b[11:end]), binary.BigEndian.Uint64(b), b[8]})
		b = b[end:]
	}
	return len(b) == 0
}

// from returns a sequence of struct fuse_dirent.
func (l *listing) from(at uint64, room int) []byte {
	var b []byte
	for i := at; i < uint64(len(l.names)); i++ {
		e := l.names[i]
		size := (24 + len(e.name) + 7) &^ 7
		if len(b)+size > room {
			break
		}
		b = le.AppendUint64(le.AppendUint64(b, e.inode), i+1)
		b = le.AppendUint32(le.AppendUint32(b, uint32(len(e.name))), uint32(e.kind))
		b = append(append(b, e.name...), make([]byte, size-24-len(e.name))...)
	}
	return b
}
