// SPDX-License-Identifier: Apache-2.0

package main

import (
	"net"
	"strings"
	"testing"
	"time"
)

func TestInitSetsTheMachineRight(t *testing.T) {
	f := newFixture(t)
	f.want(f.do("POST", "/init", "application/json", `{"timestamp":"2031-02-03T04:05:06.000000007Z","entropy":"`+
		b64("seed")+`","envVars":{"COLOR":"blue"},"hostname":"clone","unknown":1}`), 204, "")
	if want := time.Date(2031, 2, 3, 4, 5, 6, 7, time.UTC); !f.clock.Equal(want) {
		t.Errorf("clock %v", f.clock)
	}
	if string(f.entropy) != "seed" || f.host != "clone" {
		t.Errorf("entropy %q, host %q", f.entropy, f.host)
	}
	if got := f.stream("Start", shell("echo $COLOR")).drain().stdout; got != "blue\n" {
		t.Errorf("environment: %q", got)
	}
	f.want(f.do("GET", "/envs", "", ""), 200, `{"COLOR":"blue"}`)
}

func TestInitToleratesASmallClockError(t *testing.T) {
	f := newFixture(t)
	before := f.clock
	near := before.Add(900 * time.Microsecond).Format(time.RFC3339Nano)
	f.want(f.do("POST", "/init", "", `{"timestamp":"`+near+`"}`), 204, "")
	if !f.clock.Equal(before) {
		t.Error("the clock was set for less than a millisecond")
	}
}

func TestInitRefusesNonsense(t *testing.T) {
	f := newFixture(t)
	for _, body := range []string{"{", `[]`, `{"timestamp":"noon"}`, `{"entropy":"###"}`,
		`{"entropy":"` + b64(strings.Repeat("x", 600)) + `"}`, `{"defaultUser":"no-such-user"}`} {
		f.want(f.do("POST", "/init", "", body), 400, `"code":400`)
	}
	f.want(f.do("POST", "/init", "", strings.Repeat(" ", maxInitBytes+1)), 400, "limit")
	f.want(f.do("POST", "/init", "", ""), 204, "")
}

// A stored machine wakes up with connections to a host that is gone.
func TestInitDropsOtherConnectionsButNoProcess(t *testing.T) {
	f := newFixture(t)
	idle, err := net.Dial("tcp", strings.TrimPrefix(f.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer idle.Close()
	watched := f.stream("Start", `{"process":{"cmd":"sh","args":["-c","echo ready; read x; echo got $x"]},"stdin":true}`).begun().until("ready")

	f.want(f.do("POST", "/init", "", `{"generation":"a"}`), 204, "")
	if _, err := idle.Read(make([]byte, 1)); err == nil {
		t.Error("the idle connection is still open")
	}
	if _, err := watched.body.Read(make([]byte, 1)); err == nil {
		t.Error("the stream is still open")
	}
	again := f.stream("Connect", selected(watched.pid, "")).begun()
	f.want(f.do("POST", "/init", "", `{"generation":"a"}`), 204, "") // the same restore: nothing is dropped
	f.want(f.unary("SendInput", selected(watched.pid, `,"input":{"stdin":"`+b64("news\n")+`"}`)), 200, "{}")
	if again.drain(); again.stdout != "got news\n" || again.end == nil {
		t.Errorf("after the restore: %q, end %v", again.stdout, again.end)
	}
}

func TestSettle(t *testing.T) {
	f := newFixture(t)
	f.want(f.do("POST", "/settle", "", ""), 204, "")
	if !f.synced {
		t.Error("file systems were not synced")
	}
}
