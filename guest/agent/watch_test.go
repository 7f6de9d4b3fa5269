// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

const watchPath = "/filesystem.Filesystem/"

// watching reads the changes of a watched folder.
type watching struct {
	*testing.T
	body io.ReadCloser
}

func (f *fixture) watching(message string, header ...string) *watching {
	f.Helper()
	r, err := http.NewRequest("POST", f.url+watchPath+"WatchDir", strings.NewReader(string(frame(message))))
	if err != nil {
		f.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/connect+json")
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	response, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(r)
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { response.Body.Close() })
	return &watching{f.T, response.Body}
}

func (w *watching) next() string {
	w.Helper()
	var header [frameHeader]byte
	if _, err := io.ReadFull(w.body, header[:]); err != nil {
		w.Fatal(err)
	}
	body := make([]byte, binary.BigEndian.Uint32(header[1:]))
	if _, err := io.ReadFull(w.body, body); err != nil {
		w.Fatal(err)
	}
	return string(body)
}

func (w *watching) want(parts ...string) *watching {
	w.Helper()
	for {
		message := w.next()
		all := true
		for _, part := range parts {
			all = all && strings.Contains(message, part)
		}
		if all {
			return w
		}
		if strings.HasPrefix(message, `{"error`) || message == "{}" {
			w.Fatalf("no %q before the end %s", parts, message)
		}
	}
}

func eventOf(name, kind string) []string {
	return []string{`"name":"` + name + `"`, "EVENT_TYPE_" + kind}
}

func must(t *testing.T, errs ...error) {
	t.Helper()
	for _, err := range errs {
		if err != nil {
			t.Fatal(err)
		}
	}
}

func asked(path, more string) string { return fmt.Sprintf(`{"path":%q%s}`, path, more) }

func TestWatch(t *testing.T) {
	f := newFixture(t)
	folder := t.TempDir()
	w := f.watching(asked(folder, "")).want("start")
	file := filepath.Join(folder, "f")
	must(t, os.WriteFile(file, []byte("x"), 0o600))
	w.want(eventOf("f", "CREATE")...).want(eventOf("f", "WRITE")...)
	must(t, os.Chmod(file, 0o640))
	w.want(eventOf("f", "CHMOD")...)
	must(t, os.Rename(file, file+"2"))
	w.want(eventOf("f", "RENAME")...).want(eventOf("f2", "CREATE")...)
	must(t, os.Remove(file+"2"))
	w.want(eventOf("f2", "REMOVE")...)
	// Nothing from below: the next event is one of the folder itself.
	must(t, os.Mkdir(filepath.Join(folder, "d"), 0o700), os.WriteFile(filepath.Join(folder, "d", "in"), nil, 0o600),
		os.Remove(filepath.Join(folder, "d", "in")), os.Remove(filepath.Join(folder, "d")))
	for message := ""; !strings.Contains(message, "REMOVE"); {
		if message = w.next(); strings.Contains(message, "in") {
			t.Fatal(message)
		}
	}
}

func TestWatchOfATree(t *testing.T) {
	f := newFixture(t)
	folder := t.TempDir()
	must(t, os.MkdirAll(filepath.Join(folder, "a/b"), 0o700))
	w := f.watching(asked(folder, `,"recursive":true,"includeEntry":true`)).want("start")
	must(t, os.WriteFile(filepath.Join(folder, "a/b/f"), []byte("x"), 0o600))
	w.want(append(eventOf("a/b/f", "CREATE"), `"entry":{`, `"size":`)...)
	// What was put into a new folder before it could be watched is reported all the same.
	must(t, os.MkdirAll(filepath.Join(folder, "n/e/w"), 0o700), os.WriteFile(filepath.Join(folder, "n/e/w/f"), nil, 0o600))
	w.want(eventOf("n", "CREATE")...).want(eventOf("n/e", "CREATE")...).want(eventOf("n/e/w/f", "CREATE")...)
	must(t, os.Rename(filepath.Join(folder, "n"), filepath.Join(folder, "m")))
	w.want(eventOf("n", "RENAME")...).want(eventOf("m/e/w/f", "CREATE")...)
	must(t, os.WriteFile(filepath.Join(folder, "m/e/w/f"), []byte("x"), 0o600))
	w.want(eventOf("m/e/w/f", "WRITE")...)
	must(t, os.RemoveAll(filepath.Join(folder, "m")))
	w.want(eventOf("m", "REMOVE")...)
}

func TestWatchEndsWithItsFolder(t *testing.T) {
	f := newFixture(t)
	folder := filepath.Join(t.TempDir(), "d")
	must(t, os.Mkdir(folder, 0o700))
	w := f.watching(asked(folder, "")).want("start")
	must(t, os.Remove(folder))
	if end := w.next(); end != "{}" {
		t.Fatal(end)
	}
}

func TestWatchTimeoutAndKeepalive(t *testing.T) {
	f := newFixture(t)
	w := f.watching(asked(t.TempDir(), ""), "Connect-Timeout-Ms", "1500", "Keepalive-Ping-Interval", "1")
	w.want("start").want("keepalive").want("deadline_exceeded")
}

func TestWatchErrors(t *testing.T) {
	f := newFixture(t)
	f.watching(`{}`).want("invalid_argument")
	f.watching(asked("/nothing/here", "")).want("not_found")
	f.watching(asked("/etc/passwd", "")).want("invalid_argument")
	atomic.StoreInt32(&f.agent.watches.active, maxWatches)
	f.watching(asked("/", "")).want("resource_exhausted")
	atomic.StoreInt32(&f.agent.watches.active, 0)
}

func TestWatchesEndWithTheirClients(t *testing.T) {
	f := newFixture(t)
	w := f.watching(asked(t.TempDir(), "")).want("start")
	w.body.Close()
	for i := 0; atomic.LoadInt32(&f.agent.watches.active) != 0; i++ {
		if i == 500 {
			t.Fatal("the watch is still there")
		}
		time.Sleep(10 * time.Millisecond)
	}
}

func TestWatcher(t *testing.T) {
	f := newFixture(t)
	folder := t.TempDir()
	call := func(name, body string) answer { return f.do("POST", watchPath+name, "application/json", body) }
	var created struct{ WatcherID string }
	must(t, json.Unmarshal([]byte(call("CreateWatcher", asked(folder, "")).body), &created))
	id := fmt.Sprintf(`{"watcherId":%q}`, created.WatcherID)
	f.want(call("GetWatcherEvents", id), 200, `{"events":[]}`)
	must(t, os.WriteFile(filepath.Join(folder, "f"), nil, 0o600))
	for i := 0; ; i++ {
		if got := call("GetWatcherEvents", id); strings.Contains(got.body, `"name":"f","type":"EVENT_TYPE_CREATE"`) {
			break
		} else if i == 500 {
			t.Fatal(got)
		}
		time.Sleep(10 * time.Millisecond)
	}
	for i := 0; i <= maxKeptChanges; i++ {
		must(t, os.WriteFile(filepath.Join(folder, fmt.Sprint(i)), nil, 0o600))
	}
	kept := f.agent.watches.all[created.WatcherID]
	waitFor(t, func() bool { kept.mu.Lock(); defer kept.mu.Unlock(); return kept.failure != nil })
	f.want(call("GetWatcherEvents", id), 429, "resource_exhausted")
	f.want(call("RemoveWatcher", id), 200, "{}")
	f.want(call("RemoveWatcher", id), 404, "not_found")
	f.want(call("GetWatcherEvents", id), 404, "not_found")
	if n := atomic.LoadInt32(&f.agent.watches.active); n != 0 {
		t.Fatal(n)
	}
}

func TestWatchOfUploads(t *testing.T) {
	f := newFixture(t)
	folder := t.TempDir()
	w := f.watching(asked(folder, "")).want("start")
	path := filepath.Join(folder, "f")
	f.want(f.do("POST", f.fileURL(path), octets, "one"), 200, "")
	f.want(f.do("POST", f.fileURL(path), octets, "two"), 200, "")
	must(t, os.Remove(path))
	for _, kind := range []string{"CREATE", "WRITE", "WRITE", "REMOVE"} {
		if message := w.next(); !strings.Contains(message, `"name":"f","type":"EVENT_TYPE_`+kind) {
			t.Fatalf("%s instead of %s", message, kind)
		}
	}
}
