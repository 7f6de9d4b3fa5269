// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"os"
	"strconv"
	"sync"
	"syscall"
	"time"
)

// stragglerGrace is how long the end of a process waits for output of its descendants. The wait
// takes the full time only if a descendant keeps the output open, such as `server &`.
const stragglerGrace = 250 * time.Millisecond

// endEvent describes how a process ended, as the wire contract expresses it.
type endEvent struct {
	ExitCode int    `json:"exitCode"`
	Exited   bool   `json:"exited"`
	Status   string `json:"status"`
	Error    string `json:"error,omitempty"`
}

// process is a command that the agent started. It keeps running if the client that requested it
// disconnects.
type process struct {
	pid    int
	tag    string
	config processConfig
	out    *output

	handle  *os.Process
	started time.Time
	exited  chan struct{}    // closed once the process was waited for
	state   *os.ProcessState // how it ended; nil before that, or if unknown

	terminal *os.File // nil if it has none; never changes

	inputMu sync.Mutex
	input   *os.File // nil once closed, or when the process was started without

	timeoutMu sync.Mutex
	timeout   *time.Timer
	timedOut  bool
}

// launch starts a command that was already resolved. Its output is watched from the first byte.
func launch(c command, tag string, config processConfig, connect plumbing) (*process, *watcher, error) {
	p := &process{tag: tag, config: config, out: newOutput(), started: time.Now(), exited: make(chan struct{})}
	ends, err := connect(p, c)
	if err != nil {
		return nil, nil, err
	}
	p.handle, err = os.StartProcess(c.path, c.argv, &os.ProcAttr{
		Dir:   c.dir,
		Env:   c.env,
		Files: ends.theirs,
		// A new session gives a timeout a process group to kill, and separates the command from the
		// agent's terminal, if any.
		Sys: &syscall.SysProcAttr{Setsid: true, Setctty: p.terminal != nil, Credential: c.credential},
	})
	ends.closeTheirs()
	if err != nil {
		ends.closeOurs()
		return nil, nil, err
	}
	p.pid = p.handle.Pid
	unprotectFromOOM(p.pid)
	w := p.out.watch()
	go p.supervise(ends.output)
	return p, w, nil
}

// supervise moves output until the process has ended and publishes the end event last.
func (p *process) supervise(sources map[stream]*os.File) {
	var pumps sync.WaitGroup
	pumps.Add(len(sources))
	for s, from := range sources {
		if s == pty {
			go pumpTerminal(p.out, from, p.exited, pumps.Done)
		} else {
			go pump(p.out, s, from, pumps.Done)
		}
	}
	state, err := p.handle.Wait()
	p.state = state
	p.stopTimeout()
	close(p.exited)
	deadline := time.Now().Add(stragglerGrace)
	for _, from := range sources {
		_ = from.SetReadDeadline(deadline)
	}
	pumps.Wait()
	p.dropInput()
	p.out.finish(describe(state, err))
}

func describe(state *os.ProcessState, err error) endEvent {
	if err != nil {
		return endEvent{ExitCode: -1, Status: "unknown", Error: err.Error()}
	}
	e := endEvent{ExitCode: state.ExitCode(), Exited: state.Exited(), Status: state.String()}
	if !state.Success() {
		e.Error = e.Status
	}
	return e
}

// succeeded may be called only for a process that has ended.
func (p *process) succeeded() bool { return p.state != nil && p.state.Success() }

// killGrace is how long a kill waits for its process to end. A process that waits for a device ends
// only when the device responds.
const killGrace = time.Second

// signal signals only the process, not its descendants. After SIGKILL the process has ended when
// this returns, so that later requests do not find a dying process.
func (p *process) signal(s syscall.Signal) error {
	err := p.handle.Signal(s)
	if err == nil && s == syscall.SIGKILL {
		select {
		case <-p.exited:
		case <-time.After(killGrace):
		}
	}
	return err
}

// killAfter limits the lifetime of the process and of everything still in its process group.
func (p *process) killAfter(d time.Duration) {
	p.timeoutMu.Lock()
	defer p.timeoutMu.Unlock()
	p.timeout = time.AfterFunc(d, func() {
		p.timeoutMu.Lock()
		defer p.timeoutMu.Unlock()
		select {
		case <-p.exited: // the number may belong to another process by now
			return
		default:
		}
		p.timedOut = true
		_ = syscall.Kill(-p.pid, syscall.SIGKILL)
	})
}

func (p *process) stopTimeout() {
	p.timeoutMu.Lock()
	defer p.timeoutMu.Unlock()
	if p.timeout != nil {
		p.timeout.Stop()
	}
}

func (p *process) overran() bool {
	p.timeoutMu.Lock()
	defer p.timeoutMu.Unlock()
	return p.timedOut
}

// unprotectFromOOM removes the agent's own protection from a child. Best effort: it needs root, as
// did the protection.
func unprotectFromOOM(pid int) {
	if os.Getuid() == 0 {
		_ = os.WriteFile(fmt.Sprintf("/proc/%s/oom_score_adj", strconv.Itoa(pid)), []byte("0"), 0)
	}
}
