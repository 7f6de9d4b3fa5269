// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"strconv"
	"strings"
	"testing"
	"time"
)

func TestStreamsAndExitCode(t *testing.T) {
	f := newFixture(t)
	s := f.stream("Start", shell("echo out; echo err >&2; exit 7")).begun().drain()
	if s.stdout != "out\n" || s.stderr != "err\n" {
		t.Errorf("stdout %q, stderr %q", s.stdout, s.stderr)
	}
	if want := (endEvent{7, true, "exit status 7", "exit status 7"}); *s.end != want {
		t.Errorf("end %+v", s.end)
	}
	if s = f.stream("Start", shell("true")).drain(); *s.end != (endEvent{0, true, "exit status 0", ""}) || s.err != nil {
		t.Errorf("end %+v, error %v", s.end, s.err)
	}
}

func TestAllOutputComesBeforeTheEnd(t *testing.T) {
	f := newFixture(t)
	s := f.stream("Start", shell("seq 1 200000")).drain()
	lines := strings.Split(strings.TrimSpace(s.stdout), "\n")
	if len(lines) != 200000 || lines[199999] != "200000" {
		t.Fatalf("%d lines", len(lines))
	}
	for i, line := range lines {
		if line != strconv.Itoa(i+1) {
			t.Fatalf("line %d is %q", i+1, line)
		}
	}
}

func TestASlowClientLosesNothing(t *testing.T) {
	f := newFixture(t)
	s := f.stream("Start", shell("head -c 8000000 /dev/zero")).begun()
	time.Sleep(100 * time.Millisecond) // the rings and the socket buffers fill up, the process has to wait
	if s.drain(); len(s.stdout) != 8000000 {
		t.Fatalf("%d bytes", len(s.stdout))
	}
}

func TestABackgroundChildDoesNotHoldUpTheEnd(t *testing.T) {
	f := newFixture(t)
	begin := time.Now()
	s := f.stream("Start", shell("(sleep 2; echo late) & echo $!; exit 4")).drain()
	if s.end == nil || s.end.ExitCode != 4 || time.Since(begin) > 1500*time.Millisecond {
		t.Fatalf("end %+v after %v", s.end, time.Since(begin))
	}
	child, err := strconv.Atoi(strings.TrimSpace(s.stdout))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat("/proc/" + strconv.Itoa(child)); err != nil {
		t.Error("the background child is gone")
	}
	if p, err := os.FindProcess(child); err == nil {
		_ = p.Kill()
	}
}

func TestStdin(t *testing.T) {
	f := newFixture(t)
	s := f.stream("Start", `{"process":{"cmd":"cat"},"tag":"cat"}`).begun()
	f.want(f.unary("SendInput", selected(s.pid, `,"input":{"stdin":"`+b64("one ")+`"}`)), 200, "{}")
	f.want(f.unary("SendInput", `{"process":{"tag":"cat"},"input":{"stdin":"`+b64("two")+`"}}`), 200, "{}")
	s.until("one two")
	f.want(f.unary("CloseStdin", selected(s.pid, "")), 200, "{}")
	if s.drain(); s.stdout != "one two" || s.end.ExitCode != 0 {
		t.Errorf("%q, %+v", s.stdout, s.end)
	}
	f.want(f.unary("SendInput", selected(s.pid, `,"input":{"stdin":""}`)), 400, "failed_precondition")
}

func TestStdinThatNobodyReads(t *testing.T) {
	f := newFixture(t)
	s := f.stream("Start", `{"process":{"cmd":"sleep","args":["60"]}}`).begun()
	done := make(chan answer)
	go func() {
		done <- f.unary("SendInput", selected(s.pid, `,"input":{"stdin":"`+b64(strings.Repeat("x", 1<<20))+`"}`))
	}()
	time.Sleep(50 * time.Millisecond)
	f.want(f.unary("SendSignal", selected(s.pid, `,"signal":"SIGNAL_SIGKILL"`)), 200, "{}")
	if got := <-done; got.status == 200 {
		t.Errorf("a megabyte fitted into a pipe: %+v", got)
	}
	s.drain()
}

func TestWithoutStdin(t *testing.T) {
	f := newFixture(t)
	s := f.stream("Start", `{"process":{"cmd":"sh","args":["-c","cat; exec sleep 60"]},"stdin":false}`).begun()
	f.want(f.unary("SendInput", selected(s.pid, `,"input":{"stdin":"aGk="}`)), 400, "failed_precondition")
	f.want(f.unary("SendSignal", selected(s.pid, `,"signal":9`)), 200, "{}")
	s.drain()
}

func TestSignals(t *testing.T) {
	f := newFixture(t)
	s := f.stream("Start", shell("trap 'echo caught; exit 5' INT; echo ready; while :; do sleep 0.05; done")).until("ready")
	f.want(f.unary("SendSignal", selected(s.pid, `,"signal":"SIGINT"`)), 200, "{}")
	if s.drain(); !strings.Contains(s.stdout, "caught") || s.end.ExitCode != 5 {
		t.Errorf("%q %+v", s.stdout, s.end)
	}
	s = f.stream("Start", shell("exec sleep 60")).begun()
	f.want(f.unary("SendSignal", selected(s.pid, `,"signal":"SIGNAL_BOGUS"`)), 400, "invalid_argument")
	f.want(f.unary("SendSignal", selected(s.pid, `,"signal":"SIGNAL_SIGTERM"`)), 200, "{}")
	if s.drain(); s.end.Exited || s.end.ExitCode != -1 || s.end.Status != "signal: terminated" {
		t.Errorf("%+v", s.end)
	}
	f.want(f.unary("SendSignal", selected(s.pid, `,"signal":"SIGNAL_SIGTERM"`)), 404, "not_found")
	f.want(f.unary("SendSignal", selected(4000000, `,"signal":"SIGNAL_SIGTERM"`)), 404, "not_found")
	f.want(f.unary("SendSignal", `{"signal":"SIGNAL_SIGTERM"}`), 400, "invalid_argument")
}

func TestKilledProcessIsGoneAtOnce(t *testing.T) {
	f := newFixture(t)
	for i := 0; i < 50; i++ {
		s := f.stream("Start", shell("exec sleep 60")).begun()
		f.want(f.unary("SendSignal", selected(s.pid, `,"signal":"SIGNAL_SIGKILL"`)), 200, "{}")
		f.want(f.unary("SendSignal", selected(s.pid, `,"signal":"SIGNAL_SIGKILL"`)), 404, "not_found")
		s.drain()
	}
}

func TestTimeoutKillsTheProcessGroup(t *testing.T) {
	f := newFixture(t)
	s := f.stream("Start", shell("sleep 61 & echo $!; wait"), "Connect-Timeout-Ms", "200").begun()
	s.failedWith(codeDeadlineExceeded)
	child := "/proc/" + strings.TrimSpace(s.stdout) + "/stat"
	for deadline := time.Now().Add(3 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		// An orphan may stay a zombie for as long as nobody waits for it.
		if stat, err := os.ReadFile(child); err != nil || strings.Contains(string(stat), ") Z ") {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("the child outlived the timeout")
		}
	}
	if late := f.stream("Connect", selected(s.pid, "")).drain(); late.end == nil || late.end.Exited {
		t.Errorf("late: %+v", late.end)
	}
}

func TestConnectTimeoutEndsTheStreamOnly(t *testing.T) {
	f := newFixture(t)
	s := f.stream("Start", shell("sleep 60")).begun()
	f.stream("Connect", selected(s.pid, ""), "Connect-Timeout-Ms", "100").failedWith(codeDeadlineExceeded)
	f.want(f.unary("List", "{}"), 200, `"pid":`+strconv.Itoa(s.pid))
}

func TestKeepalive(t *testing.T) {
	f := newFixture(t)
	s := f.stream("Start", shell("sleep 1.3"), "Keepalive-Ping-Interval", "1").drain()
	if s.alive != 1 {
		t.Errorf("%d keepalives", s.alive)
	}
}

func TestTheClientGoesAwayAndComesBack(t *testing.T) {
	f := newFixture(t)
	s := f.stream("Start", `{"process":{"cmd":"sh","args":["-c","echo one; read x; echo two; read x; echo three"]}}`).until("one\n")
	s.hangUp()
	line := `,"input":{"stdin":"` + b64("\n") + `"}`
	waitFor(t, func() bool { return f.watchers(s.pid) == 0 })
	f.want(f.unary("SendInput", selected(s.pid, line)), 200, "{}")
	time.Sleep(50 * time.Millisecond)
	again := f.stream("Connect", selected(s.pid, "")).begun().until("two\n")
	if again.stdout != "two\n" {
		t.Errorf("missed output: %q", again.stdout)
	}
	second := f.stream("Connect", selected(s.pid, "")).begun()
	waitFor(t, func() bool { return f.watchers(s.pid) == 2 })
	f.want(f.unary("SendInput", selected(s.pid, line)), 200, "{}")
	again.drain()
	if second.drain(); second.stdout != "three\n" || again.stdout != "two\nthree\n" {
		t.Errorf("beside: %q, again: %q", second.stdout, again.stdout)
	}
	if late := f.stream("Connect", selected(s.pid, "")).begun().drain(); late.end == nil || late.stdout != "" {
		t.Errorf("late: %+v, %q", late.end, late.stdout)
	}
}

func TestEndedProcessesAreForgotten(t *testing.T) {
	f := newFixture(t)
	f.agent.processes.keepEnded = 50 * time.Millisecond
	s := f.stream("Start", shell("true")).drain()
	waitFor(t, func() bool { return f.watchers(s.pid) < 0 })
	f.stream("Connect", selected(s.pid, "")).failedWith(codeNotFound)
}

// Output that nobody reads neither blocks the process nor piles up.
func TestOutputWithoutAReader(t *testing.T) {
	f := newFixture(t)
	s := f.stream("Start", `{"process":{"cmd":"sh","args":["-c","read x; seq 1 400000; echo last >&2"]}}`).begun()
	s.hangUp()
	waitFor(t, func() bool { return f.watchers(s.pid) == 0 })
	f.want(f.unary("SendInput", selected(s.pid, `,"input":{"stdin":"`+b64("\n")+`"}`)), 200, "{}")
	f.agent.processes.mu.Lock()
	p := f.agent.processes.all[s.pid]
	f.agent.processes.mu.Unlock()
	waitFor(t, func() bool { p.out.mu.Lock(); defer p.out.mu.Unlock(); return p.out.end != nil })
	again := f.stream("Connect", selected(s.pid, "")).drain()
	if n := len(again.stdout); n > ringBytes || n < ringBytes-2*readChunk {
		t.Errorf("%d bytes were kept", n)
	}
	if !strings.HasSuffix(again.stdout, "\n399999\n400000\n") || again.stderr != "last\n" {
		t.Errorf("the newest output is missing: %q", again.stderr)
	}
	waitFor(t, func() bool { p.out.mu.Lock(); defer p.out.mu.Unlock(); return p.out.rings[stdout].mem == nil })
}

func TestList(t *testing.T) {
	f := newFixture(t)
	f.want(f.unary("List", "{}"), 200, `{"processes":[]}`)
	s := f.stream("Start", `{"process":{"cmd":"sleep","args":["60"],"cwd":"/","envs":{"A":"b"}},"tag":"nap"}`).begun()
	f.want(f.unary("List", "{}"), 200, `{"processes":[{"config":{"cmd":"sleep","args":["60"],"envs":{"A":"b"},"cwd":"/"},"pid":`+
		strconv.Itoa(s.pid)+`,"tag":"nap"}]}`)
}

func TestEnvironmentAndDirectory(t *testing.T) {
	f := newFixture(t)
	t.Setenv("AGENT_SECRET", "leaks")
	dir := t.TempDir()
	s := f.stream("Start", `{"process":{"cmd":"sh","args":["-c","pwd; echo $HOME $USER $GIVEN $AGENT_SECRET"],"cwd":"`+dir+`","envs":{"GIVEN":"x=y"}},"stdin":false}`).drain()
	if want := dir + "\n" + f.home + " tester x=y\n"; s.stdout != want {
		t.Errorf("got %q, want %q", s.stdout, want)
	}
	if s = f.stream("Start", `{"process":{"cmd":"pwd"}}`).drain(); s.stdout != f.home+"\n" {
		t.Errorf("default directory: %q", s.stdout)
	}
}

func TestStartErrors(t *testing.T) {
	f := newFixture(t)
	for message, want := range map[string]code{
		`{`:                                     codeInvalidArgument,
		`{"process":1}`:                         codeInvalidArgument,
		`{}`:                                    codeInvalidArgument,
		`{"process":{"cmd":"no-such-command"}}`: codeInvalidArgument,
		`{"process":{"cmd":"/etc/passwd"}}`:     codeInvalidArgument,
		`{"process":{"cmd":"sh","cwd":"/no/such"}}`:    codeInvalidArgument,
		`{"process":{"cmd":"sh","cwd":"/etc/passwd"}}`: codeInvalidArgument,
		`{"process":{"cmd":"sh","args":["a\u0000b"]}}`: codeInvalidArgument,
		`{"process":{"cmd":"sh","envs":{"A=B":"c"}}}`:  codeInvalidArgument,
	} {
		s := f.stream("Start", message)
		s.failedWith(want)
		if s.pid != 0 {
			t.Errorf("%s started", message)
		}
	}
	f.stream("Start", `{"process":{"cmd":"sh"}}`, "Authorization", "Basic "+b64("no-such-user:")).failedWith(codeUnauthenticated)
	f.stream("Start", `{"process":{"cmd":"sh"}}`, "Connect-Timeout-Ms", "soon").failedWith(codeInvalidArgument)
	f.stream("Connect", `{"process":{"pid":4000000}}`).failedWith(codeNotFound)
	f.stream("Connect", `{"process":{"tag":"none"}}`).failedWith(codeNotFound)
}

func TestBadFrames(t *testing.T) {
	f := newFixture(t)
	start := func(contentType, body string) answer {
		return f.do("POST", "/process.Process/Start", contentType, body)
	}
	const stream = "application/connect+json"
	f.want(start("application/json", "{}"), 200, "invalid_argument")
	f.want(start(stream, ""), 200, "invalid_argument")
	f.want(start(stream, "\x00\x00"), 200, "invalid_argument")
	f.want(start(stream, "\x01\x00\x00\x00\x02{}"), 200, "invalid_argument")
	f.want(start(stream, "\x00\x00\x00\x00\x09{}"), 200, "shorter")
	f.want(start(stream, "\x00\xff\xff\xff\xff{}"), 200, "resource_exhausted")
	f.want(start(stream, string(frame("{}"))+"more"), 200, "more than one")
	f.want(f.unary("List", "nonsense"), 400, "invalid_argument")
	f.want(f.unary("List", `"`+strings.Repeat("x", maxMessageBytes)+`"`), 429, "resource_exhausted")
	f.want(f.do("POST", "/process.Process/List", "text/plain", "{}"), 400, "content type")
	f.want(f.do("POST", "/process.Process/List", "application/json", "{}", "Content-Encoding", "br"), 501, "unimplemented")
}

func TestAnotherUser(t *testing.T) {
	f := newFixture(t)
	s := f.stream("Start", `{"process":{"cmd":"id","args":["-u"],"cwd":"/"}}`, "Authorization", "Basic "+b64("other:"))
	if os.Getuid() != 0 {
		if os.Getuid() != 65534 {
			s.failedWith(codePermissionDenied)
		}
		return
	}
	if s.drain(); s.stdout != "65534\n" {
		t.Errorf("got %q, %v", s.stdout, s.err)
	}
}

// watchers is how many clients watch a process, or -1 when it is not known.
func (f *fixture) watchers(pid int) int {
	f.agent.processes.mu.Lock()
	p := f.agent.processes.all[pid]
	f.agent.processes.mu.Unlock()
	if p == nil {
		return -1
	}
	p.out.mu.Lock()
	defer p.out.mu.Unlock()
	return len(p.out.watchers)
}

func waitFor(t *testing.T, condition func() bool) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); !condition(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("waited too long")
		}
	}
}
