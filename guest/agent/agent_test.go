// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// fixture is an agent behind a real HTTP server. It leaves the machine it runs on alone.
type fixture struct {
	*testing.T
	agent   *agent
	url     string
	clock   time.Time
	entropy []byte
	host    string
	synced  bool
	home    string
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	f := &fixture{T: t, home: t.TempDir(), clock: time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)}
	f.agent = newAgent("tester")
	f.agent.users.passwd = filepath.Join(t.TempDir(), "passwd")
	accounts := fmt.Sprintf("tester:x:%d:%d::%s:/bin/sh\nother:x:65534:65534::/:\n", os.Getuid(), os.Getgid(), f.home)
	if err := os.WriteFile(f.agent.users.passwd, []byte(accounts), 0o600); err != nil {
		t.Fatal(err)
	}
	f.agent.system = system{
		now:         func() time.Time { return f.clock },
		setClock:    func(now time.Time) error { f.clock = now; return nil },
		addEntropy:  func(seed []byte) error { f.entropy = seed; return nil },
		setHostname: func(name string) error { f.host = name; return nil },
		sync:        func() { f.synced = true },
	}
	server := httptest.NewUnstartedServer(f.agent)
	f.agent.connections.attach(server.Config, f.agent.recognise)
	server.Start()
	t.Cleanup(func() {
		for _, p := range f.agent.processes.running() {
			_ = syscall.Kill(-p.pid, syscall.SIGKILL)
			<-p.exited
		}
		server.CloseClientConnections()
		server.Close()
	})
	f.url = server.URL
	return f
}

type answer struct {
	status int
	header http.Header
	body   string
}

func (f *fixture) do(method, path, contentType, body string, header ...string) answer {
	f.Helper()
	r, err := http.NewRequest(method, f.url+path, strings.NewReader(body))
	if err != nil {
		f.Fatal(err)
	}
	if contentType != "" {
		r.Header.Set("Content-Type", contentType)
	}
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	// A connection per call: a test that closes the agent's connections must not make another fail.
	response, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true, DisableCompression: true}}).Do(r)
	if err != nil {
		f.Fatal(err)
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	if err != nil {
		f.Fatal(err)
	}
	return answer{response.StatusCode, response.Header, string(content)}
}

func (f *fixture) want(got answer, status int, part string) {
	f.Helper()
	if got.status != status || !strings.Contains(got.body, part) {
		f.Fatalf("got %d %q, want %d with %q", got.status, got.body, status, part)
	}
}

func (f *fixture) unary(name, body string) answer {
	f.Helper()
	return f.do("POST", "/process.Process/"+name, "application/json", body)
}

// tape reads the events of a stream.
type tape struct {
	*testing.T
	body   io.ReadCloser
	stdout string
	stderr string
	end    *endEvent
	err    *rpcError
	pty    string
	pid    int
	alive  int // keepalives
}

func frame(message string) []byte {
	header := make([]byte, frameHeader)
	binary.BigEndian.PutUint32(header[1:], uint32(len(message)))
	return append(header, message...)
}

func (f *fixture) stream(name, message string, header ...string) *tape {
	f.Helper()
	r, err := http.NewRequest("POST", f.url+"/process.Process/"+name, bytes.NewReader(frame(message)))
	if err != nil {
		f.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/connect+json")
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	response, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true, DisableCompression: true}}).Do(r)
	if err != nil {
		f.Fatal(err)
	}
	if response.StatusCode != http.StatusOK {
		f.Fatalf("stream answered %d", response.StatusCode)
	}
	t := &tape{T: f.T, body: response.Body}
	f.Cleanup(t.hangUp)
	return t
}

func (t *tape) hangUp() { t.body.Close() }

// next takes in one frame and says what it was; "" is the end of the stream.
func (t *tape) next() string {
	t.Helper()
	var header [frameHeader]byte
	if _, err := io.ReadFull(t.body, header[:]); err != nil {
		t.Fatalf("the stream broke off: %v", err)
	}
	body := make([]byte, binary.BigEndian.Uint32(header[1:]))
	if _, err := io.ReadFull(t.body, body); err != nil {
		t.Fatal(err)
	}
	var message struct {
		Error *rpcError
		Event struct {
			Start     *struct{ PID int }
			Data      *struct{ Stdout, Stderr, PTY []byte }
			Keepalive *struct{}
			End       *endEvent
		}
	}
	if err := json.Unmarshal(body, &message); err != nil {
		t.Fatalf("%s: %v", body, err)
	}
	switch e := message.Event; {
	case header[0] == flagEnd:
		t.err = message.Error
		return ""
	case e.Start != nil:
		t.pid = e.Start.PID
		return "start"
	case e.Data != nil:
		t.stdout += string(e.Data.Stdout)
		t.stderr += string(e.Data.Stderr)
		t.pty += string(e.Data.PTY)
		return "data"
	case e.Keepalive != nil:
		t.alive++
		return "keepalive"
	case e.End != nil:
		t.end = e.End
		return "end"
	}
	t.Fatalf("unknown message %s", body)
	return ""
}

// drain reads to the end and checks the order of events.
func (t *tape) drain() *tape {
	t.Helper()
	for last := ""; ; {
		kind := t.next()
		if kind == "" {
			return t
		}
		if last == "end" {
			t.Fatalf("%s after the end", kind)
		}
		last = kind
	}
}

// begun reads the start event.
func (t *tape) begun() *tape {
	t.Helper()
	if kind := t.next(); kind != "start" {
		t.Fatalf("the first message is %q, error %v", kind, t.err)
	}
	return t
}

// until reads on until the standard output contains text.
func (t *tape) until(text string) *tape {
	t.Helper()
	for !strings.Contains(t.stdout, text) {
		if t.next() == "" {
			t.Fatalf("no %q in %q", text, t.stdout)
		}
	}
	return t
}

func (t *tape) failedWith(c code) {
	t.Helper()
	t.drain()
	if t.err == nil || t.err.Code != c {
		t.Fatalf("got error %+v, want %s", t.err, c)
	}
}

func shell(command string) string {
	body, _ := json.Marshal(map[string]interface{}{
		"process": map[string]interface{}{"cmd": "sh", "args": []string{"-c", command}}, "stdin": false})
	return string(body)
}

func selected(pid int, more string) string { return fmt.Sprintf(`{"process":{"pid":%d}%s}`, pid, more) }

func b64(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }

func TestHealthAndUnknownEndpoints(t *testing.T) {
	f := newFixture(t)
	f.want(f.do("GET", "/health", "", ""), 204, "")
	f.want(f.do("GET", "/nothing", "", ""), 404, `{"code":404,"message":`)
	f.want(f.do("GET", "//health", "", ""), 404, `"code":404`)
	f.want(f.do("DELETE", "/health", "", ""), 405, `"code":405`)
	if allow := f.do("PUT", "/files", "", "").header.Get("Allow"); allow != "GET, POST" {
		t.Fatalf("Allow: %q", allow)
	}
}

func TestUnimplementedIsAnError(t *testing.T) {
	f := newFixture(t)
	f.want(f.do("POST", "/files/compose", "application/json", "{}"), 501, `"code":501`)
}

func TestAccessToken(t *testing.T) {
	f := newFixture(t)
	f.want(f.do("POST", "/init", "", `{"accessToken":"s3cret"}`), 204, "")
	f.want(f.unary("List", "{}"), 401, `"code":"unauthenticated"`)
	f.want(f.do("POST", "/settle", "", ""), 401, `"code":401`)
	f.want(f.do("GET", "/health", "", ""), 204, "")
	f.want(f.do("GET", "/files?path=/etc/passwd", "", ""), 401, `"code":401`)
	f.want(f.do("GET", "/files?path=/etc/passwd", "", "", "X-Access-Token", "s3cret"), 200, "root")
	f.want(f.do("POST", "/files?path=/x", octets, "", "X-Access-Token", "wrong"), 401, `"code":401`)
	f.want(f.do("POST", "/process.Process/List", "application/json", "{}", "X-Access-Token", "s3cret"), 200, "processes")
	f.want(f.do("POST", "/init", "", `{"accessToken":""}`), 204, "")
	f.want(f.unary("List", "{}"), 200, "processes")
}

func TestMetricsAndEnvs(t *testing.T) {
	f := newFixture(t)
	f.want(f.do("GET", "/metrics", "", ""), 200, `"mem_total":`)
	f.want(f.do("GET", "/envs", "", ""), 200, "{}")
}

func TestAPanicIsAnAnswer(t *testing.T) {
	f := newFixture(t)
	f.agent.system.sync = func() { panic("expected by a test") }
	log.SetOutput(io.Discard)
	defer log.SetOutput(os.Stderr)
	f.want(f.do("POST", "/settle", "", ""), 500, `"code":500`)
	f.want(f.do("GET", "/health", "", ""), 204, "")
}
