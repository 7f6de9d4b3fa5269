// SPDX-License-Identifier: Apache-2.0

package workspace

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// ground is a workspace on a real file system, behind a real HTTP server.
type ground struct {
	*testing.T
	root string
	url  string
}

func newGround(t *testing.T) *ground { return groundAt(t, t.TempDir()) }

func groundAt(t *testing.T, root string) *ground {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("needs root, which the agent is in a guest")
	}
	server := httptest.NewServer(NewServer())
	g := &ground{t, root, server.URL + Prefix}
	t.Cleanup(func() {
		g.request("POST", "close", nil, "").Body.Close()
		server.Close()
	})
	return g
}

// onMemory returns a workspace in a tmpfs of its own.
func onMemory(t *testing.T) *ground {
	root := t.TempDir()
	g := groundAt(t, root)
	if err := syscall.Mount("tmpfs", root, "tmpfs", 0, "size=64m"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(root, syscall.MNT_DETACH) })
	return g
}

func (g *ground) request(method, name string, query url.Values, body string) *http.Response {
	g.Helper()
	if query == nil {
		query = url.Values{}
	}
	query.Set("root", g.root)
	r, err := http.NewRequest(method, g.url+name+"?"+query.Encode(), strings.NewReader(body))
	if err != nil {
		g.Fatal(err)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		g.Fatal(err)
	}
	if answer.Header.Get(Header) != Version {
		g.Fatalf("the version is missing: %v", answer.Header)
	}
	return answer
}

func (g *ground) ask(method, name string, query url.Values, body string) (int, string) {
	g.Helper()
	answer := g.request(method, name, query, body)
	defer answer.Body.Close()
	all, err := io.ReadAll(answer.Body)
	if err != nil {
		g.Fatal(err)
	}
	return answer.StatusCode, string(all)
}

func (g *ground) want(status int, part, method, name string, query url.Values, body string) {
	g.Helper()
	if got, text := g.ask(method, name, query, body); got != status || !strings.Contains(text, part) {
		g.Fatalf("got %d %s, want %d with %q", got, text, status, part)
	}
}

// lines returns the digest in the first line of a list, and the lines between first and last.
func (g *ground) lines(name string, query url.Values) (string, []json.RawMessage, endLine) {
	g.Helper()
	status, text := g.ask("GET", name, query, "")
	if status != 200 {
		g.Fatalf("%d %s", status, text)
	}
	var first head
	var items []json.RawMessage
	var last endLine
	scan := bufio.NewScanner(strings.NewReader(text))
	scan.Buffer(nil, 1<<20)
	for n := 0; scan.Scan(); {
		line := append([]byte(nil), scan.Bytes()...)
		switch {
		case len(line) == 0:
			continue
		case n == 0:
			_ = json.Unmarshal(line, &first)
		case bytes.HasPrefix(line, []byte(`{"end"`)):
			if err := json.Unmarshal(line, &last); err != nil {
				g.Fatal(err)
			}
		default:
			items = append(items, line)
		}
		n++
	}
	if !last.End || last.Count != len(items) {
		g.Fatalf("the list is incomplete: %.300s", text)
	}
	return first.Digest, items, last
}

func (g *ground) index() (string, map[string]entry) {
	g.Helper()
	digest, items, _ := g.lines("index", nil)
	all := make(map[string]entry)
	for _, line := range items {
		var e entry
		if err := json.Unmarshal(line, &e); err != nil {
			g.Fatal(err)
		}
		p, err := bytesOf(e.Path, e.Path64)
		if err != nil {
			g.Fatal(err)
		}
		all[p] = e
	}
	return digest, all
}

// changes returns short forms: "modified a [content]", "renamed a > b".
func (g *ground) since(digest string) []string {
	g.Helper()
	_, items, _ := g.lines("changes", url.Values{"from": {digest}})
	all := []string{}
	for _, line := range items {
		var c change
		if err := json.Unmarshal(line, &c); err != nil {
			g.Fatal(err)
		}
		short := c.Change
		if c.Old != nil {
			p, _ := bytesOf(c.Old.Path, c.Old.Path64)
			short += " " + p
		}
		if c.New != nil && (c.Old == nil || c.Change == "renamed") {
			p, _ := bytesOf(c.New.Path, c.New.Path64)
			short += " " + p
		}
		if len(c.Differs) > 0 {
			short += " " + fmt.Sprint(c.Differs)
		}
		all = append(all, short)
	}
	return all
}

func (g *ground) wantChanges(digest string, want ...string) {
	g.Helper()
	got := g.since(digest)
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		g.Fatalf("got %q, want %q", got, want)
	}
}

func (g *ground) path(name string) string { return filepath.Join(g.root, name) }

func (g *ground) put(name, content string) {
	g.Helper()
	g.must(os.MkdirAll(filepath.Dir(g.path(name)), 0o755))
	g.must(os.WriteFile(g.path(name), []byte(content), 0o644))
}

func (g *ground) must(err error) {
	g.Helper()
	if err != nil {
		g.Fatal(err)
	}
}

func (g *ground) run(name string, args ...string) string {
	g.Helper()
	command := exec.Command(name, args...)
	command.Dir = g.root
	out, err := command.CombinedOutput()
	if err != nil {
		g.Fatalf("%s %q: %v: %s", name, args, err, out)
	}
	return string(out)
}

// settled waits until the files' times are certain, so that only an event can name them.
func (g *ground) settled() string {
	g.Helper()
	for {
		digest, all := g.index()
		newest := int64(0)
		for p := range all {
			var stat syscall.Stat_t
			if syscall.Lstat(g.path(p), &stat) == nil && stat.Ctim.Nano() > newest {
				newest = stat.Ctim.Nano()
			}
		}
		if time.Now().Add(-2*uncertainty).UnixNano() > newest {
			digest, _ = g.index()
			return digest
		}
		time.Sleep(uncertainty / 2)
	}
}
