// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

const (
	startTag       = "start"
	usualWait      = 3 * time.Second // a command that still runs after this time counts as ready
	readyInterval  = 250 * time.Millisecond
	readyPatience  = 10 * time.Second
	readyTryLimit  = 30 * time.Second
	toldBytesOfLog = 2000
)

// starter runs the image's command once in the life of a machine, and determines when it is ready.
type starter struct {
	log     string
	wait    time.Duration
	ready   []string
	command command  // the readiness check runs in the same way
	process *process // nil if there is nothing to start, or the start failed
	failure error
}

func parseID(text string) (uint32, error) {
	id, err := strconv.ParseUint(text, 10, 32)
	return uint32(id), err
}

// startImage starts the image's command as the image's user, in its directory, with its
// environment. A failure is reported to requests for its readiness; other commands can still be
// run.
func (a *agent) startImage(s startFile, logFile string) {
	a.starter = &starter{log: logFile, wait: usualWait, ready: s.Ready}
	if len(s.Start) == 0 && len(s.Ready) == 0 {
		return
	}
	user, err := a.users.ofImage(s.User)
	if err == nil {
		a.starter.command, err = prepare(shellOf(s.Start, s.Dir), user, s.environment(), "")
	}
	if err == nil && len(s.Start) > 0 {
		config := processConfig{Cmd: s.Start[0], Args: s.Start[1:], Cwd: s.Dir}
		var p *process
		var watch *watcher
		if p, watch, err = launch(a.starter.command, startTag, config, toFile(logFile)); err == nil {
			watch.leave()
			a.processes.add(p)
			a.starter.process = p
			go func() {
				<-p.exited
				log.Printf("the image's command has ended: %s", p.state)
			}()
		}
	}
	if err != nil {
		a.starter.failure = err
		log.Printf("cannot start the image's command: %v", err)
	}
}

// shellOf returns the command itself or, if there is nothing to start, the command that a readiness
// check is prepared from.
func shellOf(start []string, dir string) processConfig {
	if len(start) == 0 {
		start = []string{"/bin/sh"}
	}
	return processConfig{Cmd: start[0], Args: start[1:], Cwd: dir}
}

// toFile makes a process write directly to a file, so that nobody needs to read its output.
func toFile(name string) plumbing {
	return func(p *process, _ command) (ends, error) {
		in, err := os.Open(os.DevNull)
		if err != nil {
			return ends{}, err
		}
		if err = os.MkdirAll(filepath.Dir(name), 0o755); err == nil {
			var out *os.File
			if out, err = os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644); err == nil {
				return ends{theirs: []*os.File{in, out, out}}, nil
			}
		}
		in.Close()
		return ends{}, err
	}
}

// stop ends the started process and its process group.
func (s *starter) stop() {
	if s == nil || s.process == nil {
		return
	}
	_ = syscall.Kill(-s.process.pid, syscall.SIGKILL)
	select {
	case <-s.process.exited:
	case <-time.After(killGrace):
	}
}

// await returns once the image's command is ready, or the reason why it never will be.
func (s *starter) await(ctx context.Context) error {
	if s == nil {
		return nil
	}
	if s.failure != nil {
		return fmt.Errorf("cannot start the image's command: %w", s.failure)
	}
	if len(s.ready) > 0 {
		return s.awaitCheck(ctx)
	}
	if s.process == nil {
		return nil
	}
	select {
	case <-s.process.exited:
		if s.process.succeeded() {
			return nil // the command completed its work
		}
		return s.ended()
	case <-time.After(s.wait - time.Since(s.process.started)):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (s *starter) awaitCheck(ctx context.Context) error {
	for {
		if s.check() {
			return nil
		}
		if s.process != nil {
			select {
			case <-s.process.exited:
				if !s.process.succeeded() {
					return s.ended()
				}
			default:
			}
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(readyInterval):
		}
	}
}

// check runs the readiness check in the same way as the image's command. It continues when nobody
// waits any more, because a check that is always cut short would never succeed.
func (s *starter) check() bool {
	ctx, cancel := context.WithTimeout(context.Background(), readyTryLimit)
	defer cancel()
	path := s.ready[0]
	if !executable(path) {
		if instead, ok := shellInstead(path); ok {
			path = instead
		}
	}
	check := exec.CommandContext(ctx, path, s.ready[1:]...)
	check.Env, check.Dir = s.command.env, s.command.dir
	check.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Credential: s.command.credential}
	return check.Run() == nil
}

func (s *starter) ended() error {
	message := fmt.Sprintf("the start command ended before it was ready: %s", s.process.state)
	if said := s.lastWords(); said != "" {
		message += "; its last output:\n" + said
	}
	return errors.New(message)
}

func (s *starter) lastWords() string {
	file, err := os.Open(s.log)
	if err != nil {
		return ""
	}
	defer file.Close()
	if info, err := file.Stat(); err == nil && info.Size() > toldBytesOfLog {
		_, _ = file.Seek(-toldBytesOfLog, io.SeekEnd)
	}
	content, _ := io.ReadAll(io.LimitReader(file, toldBytesOfLog))
	return strings.ToValidUTF8(string(bytes.TrimSpace(content)), "?")
}

// readiness responds once the image's command is ready (204) or cannot become ready (424, with the
// reason). After a while it responds 202, not ready yet, so that the caller can decide whether to
// wait longer.
func (a *agent) readiness(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), readyPatience)
	defer cancel()
	switch err := a.starter.await(ctx); {
	case err == nil:
		w.WriteHeader(http.StatusNoContent)
	case errors.Is(err, context.DeadlineExceeded):
		w.Header().Set("Content-Length", "0")
		w.WriteHeader(http.StatusAccepted)
	default:
		writeError(w, http.StatusFailedDependency, err.Error())
	}
}
