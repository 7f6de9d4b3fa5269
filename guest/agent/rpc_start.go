// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"time"
)

const defaultKeepalive = 90 * time.Second

type startRequest struct {
	Process processConfig   `json:"process"`
	PTY     json.RawMessage `json:"pty"`
	Tag     string          `json:"tag"`
	// If Stdin is absent, standard input is open, as before the field existed.
	Stdin *bool `json:"stdin"`
}

type connectRequest struct {
	Process selector `json:"process"`
}

// start runs a process and streams its events.
func (a *agent) start(w http.ResponseWriter, r *http.Request) {
	p, watch, err := a.launch(r)
	f := startStream(w)
	defer f.release()
	if err != nil {
		f.end(err)
		return
	}
	defer watch.leave()
	f.end(follow(r, f, p, watch, nil, true))
}

func (a *agent) launch(r *http.Request) (*process, *watcher, error) {
	var request startRequest
	if err := streamRequest(r, &request); err != nil {
		return nil, nil, err
	}
	terminal, err := parseTerminal(request.PTY)
	if err != nil {
		return nil, nil, err
	}
	timeout, err := callTimeout(r)
	if err != nil {
		return nil, nil, err
	}
	user, err := a.userOf(r)
	if err != nil {
		return nil, nil, err
	}
	c, err := prepare(request.Process, user, a.settings.defaultEnv(), a.settings.defaultWorkdir())
	if err != nil {
		return nil, nil, err
	}
	if err := a.processes.hasRoom(); err != nil {
		return nil, nil, err
	}
	connect := byPipes(request.Stdin == nil || *request.Stdin)
	if terminal != nil {
		connect = byTerminal(terminal.Size)
	}
	p, watch, err := launch(c, request.Tag, request.Process, connect)
	if err != nil {
		return nil, nil, notStarted(reasonNotExecutable, fmt.Sprintf("cannot start %q: %v", request.Process.Cmd, err))
	}
	a.processes.add(p)
	if timeout > 0 {
		p.killAfter(timeout)
	}
	return p, watch, nil
}

// connect follows a process that is already running, or that ended recently.
func (a *agent) connect(w http.ResponseWriter, r *http.Request) {
	var request connectRequest
	err := streamRequest(r, &request)
	var p *process
	if err == nil {
		p, err = a.processes.find(request.Process)
	}
	timeout, timeoutErr := callTimeout(r)
	if err == nil {
		err = timeoutErr
	}
	f := startStream(w)
	defer f.release()
	if err != nil {
		f.end(err)
		return
	}
	// The timeout of this call ends the stream; the process has its own.
	ctx, cancel := context.WithCancel(context.Background())
	if timeout > 0 {
		ctx, cancel = context.WithTimeout(ctx, timeout)
	}
	defer cancel()
	watch := p.out.watch()
	defer watch.leave()
	f.end(follow(r, f, p, watch, ctx.Done(), false))
}

// follow sends the events of p until it ends or the client disconnects. The returned error closes
// the stream. owner is true for the call whose timeout applies to the process, and false for one
// that only watches.
func follow(r *http.Request, f *frameWriter, p *process, watch *watcher, expired <-chan struct{}, owner bool) error {
	if err := f.message(event("start", map[string]int{"pid": p.pid})); err != nil {
		return err
	}
	interval := keepaliveInterval(r)
	keepalive := time.NewTimer(interval)
	defer keepalive.Stop()
	for {
		var frame []byte
		s, n := watch.next(dataChunk, func(s stream, data []byte) { frame = f.encodeData(s, data) })
		if n > 0 {
			if err := f.send(0, frame); err != nil {
				return err
			}
			watch.received(s, n)
			continue
		}
		if end := watch.ended(); end != nil {
			if owner && p.overran() {
				return failed(codeDeadlineExceeded, "the process was killed: it ran longer than the call's timeout")
			}
			return f.message(event("end", end))
		}
		select {
		case <-watch.wake:
		case <-r.Context().Done():
			return r.Context().Err()
		case <-expired:
			return failed(codeDeadlineExceeded, "the call's timeout has passed")
		case <-keepalive.C:
			if err := f.message(event("keepalive", struct{}{})); err != nil {
				return err
			}
			keepalive.Reset(interval)
		}
	}
}

func event(name string, body interface{}) interface{} {
	return map[string]map[string]interface{}{"event": {name: body}}
}

func keepaliveInterval(r *http.Request) time.Duration {
	seconds, err := strconv.ParseUint(r.Header.Get("Keepalive-Ping-Interval"), 10, 31)
	if err != nil || seconds == 0 {
		return defaultKeepalive
	}
	return time.Duration(seconds) * time.Second
}
