// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

func terminal(command string, columns, rows int) string {
	body, _ := json.Marshal(map[string]interface{}{
		"process": map[string]interface{}{"cmd": "sh", "args": []string{"-c", command}},
		"pty":     map[string]interface{}{"size": map[string]int{"cols": columns, "rows": rows}}})
	return string(body)
}

// untilShown reads on until the terminal shows text.
func (t *tape) untilShown(text string) *tape {
	t.Helper()
	for !strings.Contains(t.pty, text) {
		if t.next() == "" {
			t.Fatalf("no %q in %q, error %v", text, t.pty, t.err)
		}
	}
	return t
}

func typed(text string) string { return `,"input":{"pty":"` + b64(text) + `"}` }

func TestTerminal(t *testing.T) {
	f := newFixture(t)
	s := f.stream("Start", terminal("tty; stty size; read line; echo \"got $line\"; echo err >&2; exit 3", 100, 30)).begun()
	s.untilShown("/dev/pts/").untilShown("30 100")
	f.want(f.unary("SendInput", selected(s.pid, typed("hello\n"))), 200, "{}")
	s.untilShown("got hello").drain()
	if s.end.ExitCode != 3 || s.stdout != "" || s.stderr != "" || !strings.Contains(s.pty, "err") {
		t.Fatalf("%+v, %+v", s, s.end)
	}
}

func TestTerminalChangesItsSize(t *testing.T) {
	f := newFixture(t)
	s := f.stream("Start", terminal("trap 'stty size; exit' WINCH; echo ready; while :; do sleep 0.1; done", 80, 24)).begun()
	s.untilShown("ready")
	f.want(f.unary("Update", selected(s.pid, `,"pty":{"size":{"cols":132,"rows":50}}`)), 200, "{}")
	s.untilShown("50 132").drain()
}

func TestTerminalKeys(t *testing.T) {
	f := newFixture(t)
	s := f.stream("Start", terminal("echo ready; exec cat", 0, 0)).begun().untilShown("ready")
	f.want(f.unary("SendInput", selected(s.pid, typed("\x03"))), 200, "{}") // ^C
	s.drain()
	if s.end.Status != "signal: interrupt" {
		t.Fatalf("%+v", s.end)
	}
	s = f.stream("Start", terminal("echo ready; exec cat", 0, 0)).begun().untilShown("ready")
	f.want(f.unary("SendInput", selected(s.pid, typed("\x04"))), 200, "{}") // end of input
	s.drain()
	if s.end.ExitCode != 0 || !s.end.Exited {
		t.Fatalf("%+v", s.end)
	}
}

func TestTerminalIsPickedUpAgain(t *testing.T) {
	f := newFixture(t)
	s := f.stream("Start", terminal("echo first; read line; echo second; sleep 60", 0, 0)).begun().untilShown("first")
	s.hangUp()
	f.want(f.unary("SendInput", selected(s.pid, typed("\n"))), 200, "{}")
	again := f.stream("Connect", selected(s.pid, "")).begun().untilShown("second")
	f.want(f.unary("SendSignal", selected(s.pid, `,"signal":"SIGNAL_SIGKILL"`)), 200, "{}")
	again.drain()
}

func TestTerminalOfABackgroundChild(t *testing.T) {
	f := newFixture(t)
	s := f.stream("Start", terminal("trap '' HUP; (sleep 2; echo late) & echo done", 0, 0)).begun()
	s.drain()
	if !strings.Contains(s.pty, "done") || strings.Contains(s.pty, "late") {
		t.Fatalf("%q", s.pty)
	}
}

func TestTerminalErrors(t *testing.T) {
	f := newFixture(t)
	f.stream("Start", `{"process":{"cmd":"sh"},"pty":{"size":{"cols":65536,"rows":24}}}`).failedWith(codeInvalidArgument)
	f.stream("Start", `{"process":{"cmd":"sh"},"pty":7}`).failedWith(codeInvalidArgument)
	s := f.stream("Start", terminal("sleep 60", 0, 0)).begun()
	f.want(f.unary("SendInput", selected(s.pid, `,"input":{"stdin":"eA=="}`)), 400, "failed_precondition")
	f.want(f.unary("CloseStdin", selected(s.pid, "")), 400, "failed_precondition")
	f.want(f.unary("SendInput", selected(s.pid, "")), 400, "invalid_argument")
	f.want(f.unary("Update", selected(s.pid, `,"pty":{"size":{"cols":-1}}`)), 400, "invalid_argument")
	f.want(f.unary("Update", selected(1<<30, `,"pty":{"size":{"cols":1}}`)), 404, "not_found")
	plain := f.stream("Start", shell("sleep 60")).begun()
	f.want(f.unary("SendInput", selected(plain.pid, typed("x"))), 400, "failed_precondition")
	f.want(f.unary("Update", selected(plain.pid, `,"pty":{"size":{"cols":1,"rows":1}}`)), 400, "failed_precondition")
}

func TestInputByStream(t *testing.T) {
	f := newFixture(t)
	s := f.stream("Start", `{"process":{"cmd":"cat"},"stdin":true}`).begun()
	messages := string(frame(fmt.Sprintf(`{"start":{"process":{"pid":%d}}}`, s.pid))) +
		string(frame(`{"data":{"input":{"stdin":"`+b64("one ")+`"}}}`)) +
		string(frame(`{"keepalive":{}}`)) +
		string(frame(`{"data":{"input":{"stdin":"`+b64("two")+`"}}}`))
	const path, media = "/process.Process/StreamInput", "application/connect+json"
	f.want(f.do("POST", path, media, messages), 200, "{}")
	s.until("one two")
	f.want(f.unary("CloseStdin", selected(s.pid, "")), 200, "{}")
	s.drain()
	f.want(f.do("POST", path, media, string(frame(`{"data":{"input":{"stdin":""}}}`))), 200, "invalid_argument")
	f.want(f.do("POST", path, media, string(frame(`{"start":{"process":{"pid":1073741824}}}`))), 200, "not_found")
	f.want(f.do("POST", path, media, messages[:7]), 200, "invalid_argument")
}

func TestNoMoreProcessesThanAllowed(t *testing.T) {
	f := newFixture(t)
	f.agent.processes.mu.Lock()
	for i := 0; i < maxProcesses; i++ {
		f.agent.processes.all[-1-i] = &process{exited: ended, out: newOutput()}
	}
	f.agent.processes.mu.Unlock()
	f.stream("Start", shell("true")).failedWith(codeResourceExhausted)
}

var ended = func() chan struct{} { c := make(chan struct{}); close(c); return c }()

func TestTerminalThatIsLeftAlone(t *testing.T) {
	f := newFixture(t)
	s := f.stream("Start", terminal("echo first; exec <&- >&- 2>&-; sleep 0.3; echo second >/dev/tty; sleep 0.1; exit 5", 0, 0)).begun()
	s.drain()
	if s.end.ExitCode != 5 || !strings.Contains(s.pty, "second") {
		t.Fatalf("%q %+v", s.pty, s.end)
	}
}
