// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"syscall"
)

type processInfo struct {
	Config processConfig `json:"config"`
	PID    int           `json:"pid"`
	Tag    string        `json:"tag,omitempty"`
}

func (a *agent) list(w http.ResponseWriter, r *http.Request) {
	unary(w, r, &struct{}{}, func() (interface{}, error) {
		infos := []processInfo{}
		for _, p := range a.processes.running() {
			infos = append(infos, processInfo{p.config, p.pid, p.tag})
		}
		return map[string]interface{}{"processes": infos}, nil
	})
}

func (a *agent) sendSignal(w http.ResponseWriter, r *http.Request) {
	var request struct {
		Process selector        `json:"process"`
		Signal  json.RawMessage `json:"signal"`
	}
	unary(w, r, &request, func() (interface{}, error) {
		number, err := parseSignal(request.Signal)
		if err != nil {
			return nil, err
		}
		p, err := a.processes.find(request.Process)
		if err != nil {
			return nil, err
		}
		if err := p.signal(number); err != nil {
			return nil, failed(codeNotFound, fmt.Sprintf("process with pid %d has ended", p.pid))
		}
		return struct{}{}, nil
	})
}

var signals = map[string]syscall.Signal{
	"HUP": syscall.SIGHUP, "INT": syscall.SIGINT, "QUIT": syscall.SIGQUIT, "ABRT": syscall.SIGABRT,
	"KILL": syscall.SIGKILL, "USR1": syscall.SIGUSR1, "USR2": syscall.SIGUSR2, "PIPE": syscall.SIGPIPE,
	"ALRM": syscall.SIGALRM, "TERM": syscall.SIGTERM, "CHLD": syscall.SIGCHLD, "CONT": syscall.SIGCONT,
	"STOP": syscall.SIGSTOP, "TSTP": syscall.SIGTSTP, "TTIN": syscall.SIGTTIN, "TTOU": syscall.SIGTTOU,
	"URG": syscall.SIGURG, "WINCH": syscall.SIGWINCH,
}

// parseSignal accepts "SIGNAL_SIGTERM", "SIGTERM", "TERM", "15" and 15.
func parseSignal(given json.RawMessage) (syscall.Signal, error) {
	name := strings.Trim(string(given), `"`)
	if n, err := strconv.Atoi(name); err == nil && n > 0 && n <= 64 {
		return syscall.Signal(n), nil
	}
	short := strings.TrimPrefix(strings.TrimPrefix(strings.ToUpper(name), "SIGNAL_"), "SIG")
	if s, ok := signals[short]; ok {
		return s, nil
	}
	return 0, failed(codeInvalidArgument, fmt.Sprintf("unknown signal %q", name))
}
