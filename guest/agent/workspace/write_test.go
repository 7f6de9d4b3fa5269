// SPDX-License-Identifier: Apache-2.0

package workspace

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"unsafe"
)

func (g *ground) entry(name string) entry {
	g.Helper()
	status, text := g.ask("GET", "entry", url.Values{"path": {name}}, "")
	if status != 200 {
		g.Fatalf("%d %s", status, text)
	}
	var e entry
	g.must(json.Unmarshal([]byte(text), &e))
	return e
}

func (g *ground) write(status int, part string, e entry, content string) {
	g.Helper()
	g.want(status, part, "POST", "write", nil, string(lineOf(e))+content)
}

func (g *ground) nothingIsLeft(dir string) {
	g.Helper()
	names, err := filepath.Glob(filepath.Join(dir, ".ramet*"))
	if err != nil || len(names) > 0 {
		g.Fatalf("left: %v %v", names, err)
	}
}

func TestAFileComesBackAsItWas(t *testing.T) {
	g := newGround(t)
	name := "d/bad\xffname"
	g.put(name, "content")
	g.must(os.Chown(g.path(name), 12, 34))
	g.must(os.Chmod(g.path(name), 0o640|os.ModeSetuid))
	g.must(syscall.Setxattr(g.path(name), "user.x", []byte{0, 1, 0xff}, 0))
	digest, _ := g.index()
	was := g.entry(name)
	g.write(200, `{"changed":false}`, was, "content")
	g.must(os.Remove(g.path(name)))
	g.put(name, "CONTENT, and more")
	g.write(200, `{"changed":true}`, was, "content")
	if is := g.entry(name); is.Modified != was.Modified || string(is.Values["user.x"]) != string(was.Values["user.x"]) {
		t.Fatalf("%v, but it was %v", is, was)
	}
	g.wantChanges(digest)
	g.write(200, `{"changed":false}`, was, "content")
	g.nothingIsLeft(g.path("d"))
}

func TestAnotherNameOfAFileOutsideIsNotWritten(t *testing.T) {
	g := newGround(t)
	outside := filepath.Join(t.TempDir(), "outside")
	g.must(os.WriteFile(outside, []byte("precious"), 0o600))
	g.must(os.Link(outside, g.path("a")))
	was := g.entry("a")
	was.Mode, was.UID = 0o666, 77
	g.write(200, `{"changed":true}`, was, "precious")
	info, err := os.Stat(outside)
	g.must(err)
	if info.Mode() != 0o600 || info.Sys().(*syscall.Stat_t).Uid != 0 {
		t.Fatalf("the file outside has %v", info)
	}
}

func TestLinksDirectoriesAndPipesComeBack(t *testing.T) {
	g := newGround(t)
	g.must(os.Symlink("/etc/\xffpasswd", g.path("link")))
	g.must(os.Mkdir(g.path("dir"), 0o2750))
	g.must(syscall.Mkfifo(g.path("pipe"), 0o620))
	for _, name := range []string{"link", "dir", "pipe"} {
		g.must(os.Lchown(g.path(name), 5, 6))
	}
	digest, _ := g.index()
	for _, name := range []string{"link", "dir", "pipe"} {
		was := g.entry(name)
		g.write(200, `{"changed":false}`, was, "")
		g.must(os.Remove(g.path(name)))
		g.write(200, `{"changed":true}`, was, "")
		if is := g.entry(name); is.Modified != was.Modified {
			t.Fatalf("%v, but it was %v", is, was)
		}
		g.wantChanges(digest)
	}
}

func TestDelete(t *testing.T) {
	g := newGround(t)
	g.put("d/a", "a")
	path := func(name string) url.Values { return url.Values{"path": {name}} }
	g.want(409, "not empty", "POST", "delete", path("d"), "")
	g.want(200, `{"changed":true}`, "POST", "delete", path("d/a"), "")
	g.want(200, `{"changed":false}`, "POST", "delete", path("d/a"), "")
	g.want(200, `{"changed":true}`, "POST", "delete", path("d"), "")
	g.want(200, `{"changed":false}`, "POST", "delete", path("d/a"), "")
}

func TestBadWritesChangeNothing(t *testing.T) {
	g := newGround(t)
	g.put("a", "one")
	g.put("d/b", "two")
	g.must(os.Symlink("/etc", g.path("link")))
	digest, _ := g.index()
	good := g.entry("a")
	with := func(change func(*entry)) entry {
		e := good
		change(&e)
		return e
	}
	for _, p := range []string{"", "..", "../a", "/etc/passwd", "a/../b", "./a", "d//b", "d/", "a\x00b", strings.Repeat("n", 256),
		strings.Repeat("n/", 2100) + "n"} {
		g.write(400, "path", with(func(e *entry) { e.Path = p }), "one")
		g.want(400, "path", "GET", "read", url.Values{"path": {p}}, "")
		g.want(400, "path", "GET", "entry", url.Values{"path": {p}}, "")
		g.want(400, "path", "POST", "delete", url.Values{"path": {p}}, "")
	}
	g.write(409, "symbolic link", with(func(e *entry) { e.Path = "link/passwd" }), "one")
	g.want(409, "symbolic link", "GET", "read", url.Values{"path": {"link/passwd"}}, "")
	g.want(409, "symbolic link", "GET", "read", url.Values{"path": {"link"}}, "")
	g.write(404, "does not exist", with(func(e *entry) { e.Path = "none/a" }), "one")
	g.write(409, "not a directory", with(func(e *entry) { e.Path = "a/a" }), "one")
	g.write(409, "is a directory", with(func(e *entry) { e.Path = "d" }), "one")
	g.write(400, "device", with(func(e *entry) { e.Kind = "device" }), "")
	g.write(400, "content ended after 2 of 3", good, "on")
	g.write(400, "more than 3", good, "once")
	g.write(400, "size", with(func(e *entry) { e.Size = -1 }), "")
	g.write(400, "size", with(func(e *entry) { e.Size = 1<<63 - 1 }), "")
	g.write(409, "attribute", with(func(e *entry) { e.Values = map[string][]byte{"nonsense": {1}} }), "one")
	g.want(400, "JSON", "POST", "write", nil, "nonsense\n")
	g.want(400, "no line", "POST", "write", nil, "{}")
	g.want(413, "entry", "POST", "write", nil, strings.Repeat(" ", mostHead+100)+"\n")
	g.wantChanges(digest)
	g.nothingIsLeft(g.root)
}

func TestAFullDiskChangesNothing(t *testing.T) {
	g := onMemory(t)
	g.put("a", "one")
	digest, _ := g.index()
	e := g.entry("a")
	e.Size = 65 << 20
	g.write(507, "no space", e, strings.Repeat("x", 65<<20))
	g.wantChanges(digest)
	g.nothingIsLeft(g.root)
	if names, _ := os.ReadDir(g.root); len(names) != 1 {
		t.Fatalf("%v", names)
	}
}

const (
	swapping = "WORKSPACE_TEST_SWAPS"
	serving  = "WORKSPACE_TEST_SERVES"
)

// TestMain lets the test's program be the hostile process of a guest, and a server for the tests of
// the host's client.
func TestMain(m *testing.M) {
	if root := os.Getenv(swapping); root != "" {
		swapForever(root)
	}
	if os.Getenv(serving) != "" {
		server := httptest.NewServer(NewServer())
		fmt.Println(server.URL)
		_, _ = io.Copy(io.Discard, os.Stdin) // until the test ends
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// swapForever exchanges a directory and a symbolic link as fast as it can.
func swapForever(root string) {
	a, _ := syscall.BytePtrFromString(filepath.Join(root, "d"))
	b, _ := syscall.BytePtrFromString(filepath.Join(root, "link"))
	here := -100
	for {
		// renameat2(2) with RENAME_EXCHANGE
		_, _, errno := syscall.Syscall6(316, uintptr(here), uintptr(unsafe.Pointer(a)), uintptr(here), uintptr(unsafe.Pointer(b)), 2, 0)
		if errno != 0 {
			os.Exit(1)
		}
	}
}

// Nothing outside changes, whatever a process does with the directories meanwhile.
func TestAHostileProcessSwapsDirectoriesForLinks(t *testing.T) {
	g := newGround(t)
	outside := t.TempDir()
	g.must(os.WriteFile(filepath.Join(outside, "f"), []byte("precious"), 0o600))
	g.must(os.Mkdir(filepath.Join(outside, "e"), 0o700))
	before := g.run("find", outside, "-printf", "%p %m %U %s %T@ %C@ %i\n")
	g.put("d/f", "one")
	g.must(os.Symlink(outside, g.path("link")))
	e := g.entry("d/f")

	hostile := exec.Command("/proc/self/exe")
	hostile.Env = append(os.Environ(), swapping+"="+g.root)
	g.must(hostile.Start())
	defer func() {
		_ = hostile.Process.Kill()
		_ = hostile.Wait()
	}()
	written, refused := 0, 0
	for i := 0; written+refused < 1000; i++ {
		content := strings.Repeat("x", i%7)
		e.Size, e.Mode = int64(len(content)), uint32(0o600+i%8)
		status, text := g.ask("POST", "write", nil, string(lineOf(e))+content)
		if i%5 == 0 {
			_, _ = g.ask("POST", "delete", url.Values{"path": {"d/f"}}, "")
			_, _ = g.ask("POST", "write", nil, string(lineOf(entry{Path: "d/e", Kind: kindDirectory, Mode: 0o777})))
			_, _ = g.ask("POST", "delete", url.Values{"path": {"d/e"}}, "")
			if status, text := g.ask("GET", "read", url.Values{"path": {"d/f"}}, ""); status == 200 && strings.Contains(text, "precious") {
				t.Fatal("a file outside was read")
			}
		}
		switch status {
		case 200:
			written++
		case 409, 404:
			refused++
		default:
			t.Fatalf("%d %s", status, text)
		}
	}
	if written == 0 || refused == 0 {
		t.Fatalf("%d written, %d refused: nothing was tried", written, refused)
	}
	if after := g.run("find", outside, "-printf", "%p %m %U %s %T@ %C@ %i\n"); after != before {
		t.Fatalf("outside changed from\n%s to\n%s", before, after)
	}
}
