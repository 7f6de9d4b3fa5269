// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"os/exec"
	"sync"
	"syscall"

	"dev.ramet/agent/workspace"
)

const workspaceFlag = "-workspace"

// workspaces pass the host's requests about workspaces to a process of their own: its index may be
// far larger than the agent's memory should be. The process begins with the first request.
type workspaces struct {
	mu      sync.Mutex
	server  *workspaceServer
	program []string // what to run, for tests; this program if empty
}

type workspaceServer struct {
	control *os.File // a socket over which it receives connections
	pid     int
	ended   chan struct{}
	client  http.Transport
}

// workspace answers as the process does.
func (a *agent) workspace(w http.ResponseWriter, r *http.Request) {
	server, err := a.workspaces.running()
	if err != nil {
		w.Header().Set(workspace.Header, workspace.Version)
		writeError(w, http.StatusInternalServerError, "cannot start the server of workspaces: "+err.Error())
		return
	}
	out := r.Clone(r.Context())
	out.URL.Scheme, out.URL.Host, out.RequestURI = "http", "workspace", ""
	out.Header.Del(secretHeader)
	out.Header.Del("X-Access-Token")
	answer, err := server.client.RoundTrip(out)
	if err != nil {
		w.Header().Set(workspace.Header, workspace.Version)
		writeError(w, http.StatusServiceUnavailable, "the server of workspaces ended: "+err.Error())
		return
	}
	defer answer.Body.Close()
	for name, values := range answer.Header {
		w.Header()[name] = values
	}
	w.WriteHeader(answer.StatusCode)
	if !pour(w, answer.Body) {
		// The client must not take what it has for all.
		panic(http.ErrAbortHandler)
	}
}

// pour copies a response as it comes, and reports whether it was complete.
func pour(w http.ResponseWriter, body io.Reader) bool {
	flusher, _ := w.(http.Flusher)
	buffer := make([]byte, 64<<10)
	for {
		n, err := body.Read(buffer)
		if n > 0 {
			if _, err := w.Write(buffer[:n]); err != nil {
				return false
			}
			if flusher != nil {
				flusher.Flush()
			}
		}
		if err != nil {
			return err == io.EOF
		}
	}
}

func (s *workspaces) running() (*workspaceServer, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.server != nil {
		select {
		case <-s.server.ended:
			s.server.control.Close()
			s.server = nil
		default:
			return s.server, nil
		}
	}
	program := s.program
	if program == nil {
		program = []string{"/proc/self/exe", workspaceFlag}
	}
	pair, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_SEQPACKET|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, os.NewSyscallError("socketpair", err)
	}
	ours, theirs := os.NewFile(uintptr(pair[0]), "control"), os.NewFile(uintptr(pair[1]), "control")
	defer theirs.Close()
	command := exec.Command(program[0], program[1:]...)
	command.ExtraFiles = []*os.File{theirs}
	command.Stderr = os.Stderr
	command.Dir = "/"
	if err := command.Start(); err != nil {
		ours.Close()
		return nil, err
	}
	// It knows nothing that a walk does not find again, and may be large: the kernel takes it early.
	_ = os.WriteFile(fmt.Sprintf("/proc/%d/oom_score_adj", command.Process.Pid), []byte("500"), 0)
	server := &workspaceServer{control: ours, pid: command.Process.Pid, ended: make(chan struct{})}
	server.client.DialContext = func(context.Context, string, string) (net.Conn, error) { return server.dial() }
	server.client.DisableCompression = true
	go func() {
		_ = command.Wait()
		close(server.ended)
	}()
	s.server = server
	return server, nil
}

// dial makes a connection by passing one of its ends over the control socket: no other process of
// the guest can make one.
func (s *workspaceServer) dial() (net.Conn, error) {
	pair, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, os.NewSyscallError("socketpair", err)
	}
	defer syscall.Close(pair[1])
	ours := os.NewFile(uintptr(pair[0]), "connection")
	defer ours.Close() // the connection has a copy
	err = syscall.Sendmsg(int(s.control.Fd()), []byte{1}, syscall.UnixRights(pair[1]), nil, syscall.MSG_NOSIGNAL)
	if err != nil {
		return nil, os.NewSyscallError("sendmsg", err)
	}
	return net.FileConn(ours)
}

// passedListener accepts the connections that come over the control socket, file 3.
type passedListener struct{ control int }

func (l passedListener) Accept() (net.Conn, error) {
	var data [1]byte
	rights := make([]byte, syscall.CmsgSpace(4))
	for {
		n, size, _, _, err := syscall.Recvmsg(l.control, data[:], rights, syscall.MSG_CMSG_CLOEXEC)
		if err == syscall.EINTR {
			continue
		}
		if err != nil {
			return nil, os.NewSyscallError("recvmsg", err)
		}
		if n == 0 {
			return nil, io.EOF // the agent has ended
		}
		messages, err := syscall.ParseSocketControlMessage(rights[:size])
		if err != nil || len(messages) != 1 {
			continue
		}
		fds, err := syscall.ParseUnixRights(&messages[0])
		if err != nil || len(fds) != 1 {
			continue
		}
		file := os.NewFile(uintptr(fds[0]), "connection")
		connection, err := net.FileConn(file)
		file.Close()
		if err == nil {
			return connection, nil
		}
	}
}

func (l passedListener) Close() error { return syscall.Close(l.control) }

func (l passedListener) Addr() net.Addr { return &net.UnixAddr{Net: "unix"} }

// serveWorkspaces is the whole program of the process. It ends with the agent.
func serveWorkspaces() {
	syscall.CloseOnExec(3)
	server := http.Server{Handler: workspace.NewServer()}
	log.Print(server.Serve(passedListener{3}))
}
