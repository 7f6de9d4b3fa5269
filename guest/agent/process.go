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

// stragglerGrace is how long the end of a process waits for what its descendants still write. It
// only passes in full when one of them lives on with the output open, such as `server &`.
const stragglerGrace = 250 * time.Millisecond

// endEvent is how a process ended, in the words of the wire contract.
type endEvent struct {
	ExitCode int    `json:"exitCode"`
	Exited   bool   `json:"exited"`
	Status   string `json:"status"`
	Error    string `json:"error,omitempty"`
}

// process is a command that the agent started. It lives on when whoever asked for it goes away.
type process struct {
	pid    int
	tag    string
	config processConfig
	out    *output

	handle  *os.Process
	started time.Time
	exited  chan struct{}    // closed once the process was waited for
	state   *os.ProcessState // how it ended; nil before, or when that cannot be told

	terminal *os.File // nil without one; never changes

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
		// A session of its own gives a timeout a process group to kill, and keeps the command away
		// from whatever terminal the agent has.
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

// succeeded is for a process that has ended.
func (p *process) succeeded() bool { return p.state != nil && p.state.Success() }

// killGrace is how long a kill waits for its process to be gone. One that waits for a device ends
// only when that answers.
const killGrace = time.Second

// signal goes to the process alone, not to its descendants. After SIGKILL the process is gone when
// this returns, so that whoever asks next does not find it dying.
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

// killAfter bounds the life of the process and of all that is still in its process group.
func (p *process) killAfter(d time.Duration) {
	p.timeoutMu.Lock()
	defer p.timeoutMu.Unlock()
	p.timeout = time.AfterFunc(d, func() {
		p.timeoutMu.Lock()
		defer p.timeoutMu.Unlock()
		select {
		case <-p.exited: // the number may belong to somebody else by now
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

// unprotectFromOOM takes from a child the protection that the agent gave itself. Best effort: it
// needs root, and so did the protection.
func unprotectFromOOM(pid int) {
	if os.Getuid() == 0 {
		_ = os.WriteFile(fmt.Sprintf("/proc/%s/oom_score_adj", strconv.Itoa(pid)), []byte("0"), 0)
	}
}
