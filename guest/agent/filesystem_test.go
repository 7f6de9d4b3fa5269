// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"path/filepath"
	"testing"
)

func (f *fixture) fs(name, body string) answer {
	f.Helper()
	return f.do("POST", "/filesystem.Filesystem/"+name, "application/json", body)
}

func TestFilesystemCalls(t *testing.T) {
	f := newFixture(t)
	f.want(f.fs("MakeDir", `{"path":"a/b"}`), 200, `{"entry":{"name":"b","type":"FILE_TYPE_DIRECTORY","path":"`+f.home+`/a/b"`)
	f.want(f.fs("MakeDir", `{"path":"a/b"}`), 409, `"code":"already_exists"`)
	if err := os.WriteFile(filepath.Join(f.home, "a/file"), []byte("12345"), 0o640); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("file", filepath.Join(f.home, "a/link")); err != nil {
		t.Fatal(err)
	}
	f.want(f.fs("MakeDir", `{"path":"a/file"}`), 400, `"code":"invalid_argument"`)
	f.want(f.fs("Stat", `{"path":"~/a/file"}`), 200, `"type":"FILE_TYPE_FILE","path":"`+f.home+`/a/file","size":"5","mode":416,"permissions":"-rw-r-----","owner":"tester"`)
	f.want(f.fs("Stat", `{"path":"a/link"}`), 200, `"symlinkTarget":"file"`)
	f.want(f.fs("Move", `{"source":"a/file","destination":"c/d"}`), 200, `"name":"d"`)
	f.want(f.fs("ListDir", `{"path":"."}`), 200, `{"entries":[{"name":"a"`)
	if shallow, deep := f.fs("ListDir", `{"path":"."}`), f.fs("ListDir", `{"path":".","depth":2}`); len(deep.body) <= len(shallow.body) {
		t.Error("depth makes no difference")
	}
	f.want(f.fs("Remove", `{"path":"c"}`), 200, "{}")
	f.want(f.fs("ListDir", `{"path":"a/b"}`), 200, `{"entries":[]}`)
}

func TestFilesystemErrors(t *testing.T) {
	f := newFixture(t)
	f.want(f.fs("Stat", `{"path":"absent"}`), 404, `"code":"not_found"`)
	f.want(f.fs("ListDir", `{"path":"absent"}`), 404, `"code":"not_found"`)
	f.want(f.fs("ListDir", `{"path":"/etc/passwd"}`), 400, `"code":"invalid_argument"`)
	f.want(f.fs("Move", `{"source":"absent","destination":"b"}`), 404, `"code":"not_found"`)
	f.want(f.fs("Move", `{"source":"absent"}`), 400, `"code":"invalid_argument"`)
	f.want(f.fs("Stat", `{}`), 400, `"code":"invalid_argument"`)
	f.want(f.fs("Stat", `{"path":"a\u0000b"}`), 400, `"code":"invalid_argument"`)
	f.want(f.do("POST", "/filesystem.Filesystem/Stat", "application/json", `{"path":"x"}`,
		"Authorization", "Basic "+b64("no-such-user:")), 401, `"code":"unauthenticated"`)
}
