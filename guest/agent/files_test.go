// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"compress/gzip"
	"io"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/iotest"
)

const octets = "application/octet-stream"

func (f *fixture) fileURL(path string) string { return "/files?path=" + url.QueryEscape(path) }

func entries(t *testing.T, folder string) []string {
	t.Helper()
	list, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	names := []string{}
	for _, e := range list {
		names = append(names, e.Name())
	}
	return names
}

func TestFileGoesThereAndBack(t *testing.T) {
	f := newFixture(t)
	path := filepath.Join(t.TempDir(), "a b/ü/file")
	content := strings.Repeat("0123456789", 100000)
	f.want(f.do("POST", f.fileURL(path), octets, content), 200, `[{"path":"`+path+`","name":"file","type":"file"}]`)
	got := f.do("GET", f.fileURL(path), "", "")
	if got.status != 200 || got.body != content || got.header.Get("Content-Length") != "1000000" {
		t.Fatalf("%d, %d bytes, %v", got.status, len(got.body), got.header)
	}
	f.want(f.do("POST", f.fileURL(path), octets, ""), 200, "")
	if got = f.do("GET", f.fileURL(path), "", ""); got.body != "" || got.header.Get("Content-Length") != "0" {
		t.Fatalf("an empty file: %+v", got)
	}
	if names := entries(t, filepath.Dir(path)); len(names) != 1 {
		t.Errorf("left behind: %v", names)
	}
}

func TestFileOfUnknownSize(t *testing.T) {
	f := newFixture(t)
	f.want(f.do("GET", "/files?path=/proc/self/status", "", ""), 200, "VmRSS")
}

func TestReadErrors(t *testing.T) {
	f := newFixture(t)
	dir := t.TempDir()
	pipe := filepath.Join(dir, "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	f.want(f.do("GET", f.fileURL(dir), "", ""), 400, "is a directory")
	f.want(f.do("GET", f.fileURL(pipe), "", ""), 400, "not a regular file")
	f.want(f.do("GET", f.fileURL(dir+"/absent"), "", ""), 404, `"code":404`)
	f.want(f.do("GET", f.fileURL("/etc/passwd/x"), "", ""), 400, `"code":400`)
	f.want(f.do("GET", "/files?path=%00", "", ""), 400, "zero byte")
	f.want(f.do("GET", "/files", "", ""), 400, "is a directory")
	f.want(f.do("GET", "/files?path=x&username=no-such-user", "", ""), 401, `"code":401`)
}

func TestMultipart(t *testing.T) {
	f := newFixture(t)
	dir := t.TempDir()
	form := func(parts ...string) string {
		var b strings.Builder
		for i := 0; i < len(parts); i += 2 {
			b.WriteString("--XX\r\nContent-Disposition: form-data; name=\"file\"; filename=\"" + parts[i] + "\"\r\n\r\n" + parts[i+1] + "\r\n")
		}
		return b.String() + "--XX--\r\n"
	}
	const multi = "multipart/form-data; boundary=XX"
	f.want(f.do("POST", "/files", multi, form(dir+"/x/one", "1", dir+"/y/two", "22")), 200,
		`[{"path":"`+dir+`/x/one","name":"one","type":"file"},{"path":"`+dir+`/y/two","name":"two","type":"file"}]`)
	f.want(f.do("GET", f.fileURL(dir+"/y/two"), "", ""), 200, "22")
	f.want(f.do("POST", f.fileURL(dir+"/named"), multi, form("ignored", "3")), 200, dir+"/named")
	f.want(f.do("POST", f.fileURL(dir+"/named"), multi, form("a", "3", "b", "4")), 400, "twice")
	f.want(f.do("POST", "/files", multi, form()), 400, "no part named file")
	f.want(f.do("POST", "/files", multi, "nonsense"), 400, `"code":400`)
	f.want(f.do("POST", f.fileURL(dir+"/cut"), multi, strings.TrimSuffix(form("cut", "half"), "\r\n--XX--\r\n")), 400, "was interrupted")
	if names := strings.Join(entries(t, dir), " "); names != "named x y" {
		t.Errorf("left behind: %s", names)
	}
}

func TestWriteErrors(t *testing.T) {
	f := newFixture(t)
	dir := t.TempDir()
	f.want(f.do("POST", "/files", octets, "x"), 400, "path is missing")
	f.want(f.do("POST", f.fileURL(dir), octets, "x"), 400, "not a regular file")
	f.want(f.do("POST", f.fileURL("/dev/null"), octets, "x"), 400, "not a regular file")
	f.want(f.do("POST", f.fileURL("/etc/passwd/x"), octets, "x"), 400, "not a directory")
	f.want(f.do("POST", f.fileURL(dir+"/x"), "text/plain", "x"), 400, "content type")
	f.want(f.do("POST", f.fileURL(dir+"/x"), octets, "x", "Content-Encoding", "br"), 400, "content encoding")
	f.want(f.do("POST", f.fileURL(dir+"/x"), octets, "x", "Content-Encoding", "gzip"), 400, "not gzip")
	f.want(f.do("POST", f.fileURL(dir+"/"+strings.Repeat("n", 300)), octets, "x"), 400, "too long")
	if names := entries(t, dir); len(names) != 0 {
		t.Errorf("left behind: %v", names)
	}
}

func TestCompressedUpload(t *testing.T) {
	f := newFixture(t)
	path := filepath.Join(t.TempDir(), "file")
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	_, _ = io.WriteString(z, "plain")
	z.Close()
	f.want(f.do("POST", f.fileURL(path), octets, packed.String(), "Content-Encoding", "gzip"), 200, path)
	f.want(f.do("GET", f.fileURL(path), "", ""), 200, "plain")
}

// Whatever interrupts an upload, the old content stays.
func TestABrokenUploadChangesNothing(t *testing.T) {
	f := newFixture(t)
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	f.want(f.do("POST", f.fileURL(path), octets, "old"), 200, "")

	conn, err := net.Dial("tcp", strings.TrimPrefix(f.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	_, _ = io.WriteString(conn, "POST "+f.fileURL(path)+" HTTP/1.1\r\nHost: x\r\nContent-Type: "+octets+"\r\nContent-Length: 1000\r\n\r\nnew")
	waitFor(t, func() bool { return len(entries(t, dir)) == 2 })
	conn.Close()
	waitFor(t, func() bool { return len(entries(t, dir)) == 1 })

	me := account{uid: uint32(os.Getuid()), gid: uint32(os.Getgid())}
	full := io.MultiReader(strings.NewReader("new"), iotest.ErrReader(syscall.ENOSPC))
	if err := replaceFile(path, me, full, nil); err == nil {
		t.Error("no error")
	}
	f.want(f.do("GET", f.fileURL(path), "", ""), 200, "old")
	if names := entries(t, dir); len(names) != 1 {
		t.Errorf("left behind: %v", names)
	}
}

func TestReplacingKeepsModeAndLinks(t *testing.T) {
	f := newFixture(t)
	dir := t.TempDir()
	target, link := filepath.Join(dir, "tool"), filepath.Join(dir, "link")
	if err := os.WriteFile(target, []byte("old"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("tool", link); err != nil {
		t.Fatal(err)
	}
	f.want(f.do("POST", f.fileURL(link), octets, "new"), 200, link)
	info, err := os.Lstat(target)
	if err != nil || info.Mode() != 0o755 {
		t.Errorf("mode %v, %v", info, err)
	}
	if got, err := os.Readlink(link); got != "tool" || err != nil {
		t.Errorf("link %q, %v", got, err)
	}
	f.want(f.do("GET", f.fileURL(target), "", ""), 200, "new")
}

func TestRelativePathsAreTheUsers(t *testing.T) {
	home := account{home: "/home/u"}
	for path, want := range map[string]string{
		"": "/home/u", "a/../b": "/home/u/b", "~": "/home/u", "~/x": "/home/u/x", "/a//b/": "/a/b", "~x": "/home/u/~x",
	} {
		if got := home.resolve(path); got != want {
			t.Errorf("%q became %q, want %q", path, got, want)
		}
	}
}

func TestAccounts(t *testing.T) {
	dir := t.TempDir()
	files := userFiles{filepath.Join(dir, "passwd"), filepath.Join(dir, "group")}
	_ = os.WriteFile(files.passwd, []byte("# comment\nbad:x:no:1::/:\nann:x:1000:1001:Ann:/home/ann:/bin/sh\nbob:x:5:5:::\n"), 0o600)
	_ = os.WriteFile(files.group, []byte("a:x:10:bob,ann\nb:x:11:bob\nc:x:12:ann\n"), 0o600)
	ann, err := files.lookup("ann")
	if err != nil || ann.uid != 1000 || ann.gid != 1001 || ann.home != "/home/ann" || len(ann.groups) != 2 || ann.groups[1] != 12 {
		t.Errorf("%+v, %v", ann, err)
	}
	if bob, err := files.lookup("bob"); err != nil || bob.home != "/" {
		t.Errorf("%+v, %v", bob, err)
	}
	for _, name := range []string{"", "eve", "bad"} {
		if _, err := files.lookup(name); err == nil {
			t.Errorf("%q exists", name)
		}
	}
}
