// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/binary"
	"log"
	"net"
	"os"
	"runtime/debug"
	"sync"
	"syscall"
)

const (
	volumeDevice  = 3 // the file descriptors of a started server
	volumeControl = 4
	serverMemory  = 16 << 20
)

// volumeServer serves the kernel's requests for one mounted volume. It is a separate process,
// because the agent may itself use files of a volume and must not wait for itself.
type volumeServer struct {
	device int
	calls  *calls
	mu     sync.Mutex // guards the fields below
	nodes  *nodes
	lists  map[uint64]*listing
	next   uint64
}

// serveVolume is the main function of such a process. It ends with the agent or the mount.
func serveVolume() {
	debug.SetMemoryLimit(serverMemory)
	s := &volumeServer{device: volumeDevice, calls: newCalls(), nodes: newNodes(), lists: map[uint64]*listing{}}
	go s.takeConnections(volumeControl)
	if err := s.serve(); err != nil {
		log.Fatalf("volume: %v", err)
	}
}

// takeConnections receives connections to the host from the agent, one per message.
func (s *volumeServer) takeConnections(control int) {
	for {
		rights := make([]byte, syscall.CmsgSpace(4))
		n, oobn, _, _, err := syscall.Recvmsg(control, make([]byte, 1), rights, syscall.MSG_CMSG_CLOEXEC)
		if err == syscall.EINTR {
			continue
		}
		if err != nil || n == 0 {
			os.Exit(0) // the agent has unmounted it, or is gone
		}
		if link := connectionIn(rights[:oobn]); link != nil {
			// A silent host must not block the next one.
			go func() {
				if err := s.calls.connect(link); err != nil {
					log.Printf("volume: %v", err)
				}
			}()
		}
	}
}

func connectionIn(rights []byte) net.Conn {
	messages, err := syscall.ParseSocketControlMessage(rights)
	if err != nil || len(messages) != 1 {
		return nil
	}
	fds, err := syscall.ParseUnixRights(&messages[0])
	if err != nil || len(fds) != 1 {
		return nil
	}
	file := os.NewFile(uintptr(fds[0]), "host")
	defer file.Close()
	link, err := net.FileConn(file)
	if err != nil {
		return nil
	}
	return link
}

// serve handles the kernel's requests until the file system is unmounted.
func (s *volumeServer) serve() error {
	buffer := make([]byte, maxVolumeData+64<<10)
	for {
		n, err := syscall.Read(s.device, buffer)
		switch err {
		case nil:
		case syscall.EINTR, syscall.EAGAIN, syscall.ENOENT: // ENOENT: the request was withdrawn
			continue
		case syscall.ENODEV:
			return nil
		default:
			return os.NewSyscallError("read", err)
		}
		r, ok := parseFuse(buffer[:n])
		if !ok {
			continue
		}
		s.mu.Lock()
		s.handle(r)
		s.mu.Unlock()
	}
}

func (s *volumeServer) answer(unique uint64, errno syscall.Errno, body []byte) {
	if unique != 0 {
		// An error means that nobody waits for the response any more.
		_, _ = syscall.Write(s.device, fuseAnswer(unique, errno, body))
	}
}

// ask sends a request to the host. The response is handled like a request, by one goroutine at a
// time.
func (s *volumeServer) ask(r fuseRequest, op volumeOp, body message, then func(answer []byte) ([]byte, syscall.Errno)) {
	s.askAgain(r, op, func() message { return body }, then)
}

// askAgain is like ask for requests whose path may change meanwhile: if the path has changed by the
// time of the response, the request is sent once more.
func (s *volumeServer) askAgain(r fuseRequest, op volumeOp, body func() message, then func(answer []byte) ([]byte, syscall.Errno)) {
	asked := body()
	s.calls.add(&call{unique: r.unique, op: op, body: asked, done: func(errno syscall.Errno, answer []byte) {
		s.mu.Lock()
		defer s.mu.Unlock()
		if errno == syscall.ENOENT || errno == syscall.ESTALE {
			if again := body(); string(again) != string(asked) {
				s.ask(r, op, again, then)
				return
			}
		}
		var out []byte
		if errno == 0 {
			out, errno = then(answer)
		}
		s.answer(r.unique, errno, out)
	}})
}

func done([]byte) ([]byte, syscall.Errno) { return nil, 0 }

func (s *volumeServer) handle(r fuseRequest) {
	switch r.opcode {
	case fuseInit:
		out, errno := fuseInitOut(r.body)
		s.answer(r.unique, errno, out)
		return
	case fuseForget:
		if len(r.body) >= 8 {
			s.nodes.forget(r.node, le.Uint64(r.body))
		}
		return
	case fuseBatchForget:
		for b := r.body; len(b) >= 8+16; b = b[16:] {
			s.nodes.forget(le.Uint64(b[8:]), le.Uint64(b[16:]))
		}
		return
	case fuseInterrupt:
		if len(r.body) >= 8 {
			// Not here: giving up a request is a response, and responses are handled one at a time.
			go s.calls.interrupt(le.Uint64(r.body))
		}
		return
	case fuseDestroy:
		s.answer(r.unique, 0, nil)
		return
	}
	n, errno := s.nodes.get(r.node)
	if errno == 0 {
		errno = s.dispatch(r, n)
	}
	if errno != 0 {
		s.answer(r.unique, errno, nil)
	}
}

// dispatch starts a request, or returns the error. A kernel sends no malformed requests.
func (s *volumeServer) dispatch(r fuseRequest, n *node) syscall.Errno {
	if len(r.body) < leastBody[r.opcode] {
		return syscall.EINVAL
	}
	switch r.opcode {
	case fuseLookup:
		return s.lookup(r, n)
	case fuseGetattr:
		s.getattr(r, n)
	case fuseSetattr:
		s.setattr(r, n)
	case fuseReadlink:
		s.askAgain(r, opReadLink, func() message { return message(nil).place(n.place()) }, same)
	case fuseSymlink:
		return s.symlink(r, n)
	case fuseMknod, fuseMkdir, fuseCreate:
		return s.create(r, n)
	case fuseUnlink, fuseRmdir:
		return s.unlink(r, n)
	case fuseRename, fuseRename2:
		return s.rename(r, n)
	case fuseLink:
		return s.link(r, n)
	case fuseOpen:
		n.opens++
		s.answer(r.unique, 0, fuseOpenOut(nil, 0))
	case fuseRelease:
		s.release(r, n)
	case fuseRead:
		s.read(r, n)
	case fuseWrite:
		return s.write(r, n)
	case fuseFsync, fuseFsyncdir:
		s.askAgain(r, opSync, func() message { return message(nil).place(n.place()).u64(n.identity) }, done)
	case fuseStatfs:
		s.ask(r, opSpace, nil, statfs)
	case fuseFlush:
		s.answer(r.unique, 0, nil)
	case fuseOpendir:
		s.opendir(r)
	case fuseReaddir:
		return s.readdir(r, n)
	case fuseReleasedir:
		delete(s.lists, le.Uint64(r.body))
		s.answer(r.unique, 0, nil)
	default:
		return syscall.ENOSYS // the kernel then stops sending this request
	}
	return 0
}

// leastBody returns the length of the fixed part before names and data.
var leastBody = map[uint32]int{
	fuseSetattr: 88, fuseMknod: 16, fuseMkdir: 8, fuseCreate: 16, fuseRename: 8, fuseRename2: 16, fuseLink: 8,
	fuseRelease: 8, fuseRead: 40, fuseWrite: 40, fuseReaddir: 40, fuseReleasedir: 8,
}

func same(answer []byte) ([]byte, syscall.Errno) { return answer, 0 }

func statfs(answer []byte) ([]byte, syscall.Errno) {
	if len(answer) < 48 {
		return nil, syscall.EIO
	}
	out := make([]byte, 80)
	for i := 0; i < 5; i++ {
		le.PutUint64(out[8*i:], binary.BigEndian.Uint64(answer[8*i:]))
	}
	size := binary.BigEndian.Uint32(answer[40:])
	le.PutUint32(out[40:], size)
	le.PutUint32(out[44:], binary.BigEndian.Uint32(answer[44:]))
	le.PutUint32(out[48:], size)
	return out, 0
}
