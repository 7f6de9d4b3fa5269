// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"strings"
	"syscall"
	"testing"

	"dev.ramet/agent/workspace"
)

// withWorkspaces lets the test's program be the server of workspaces.
func (f *fixture) withWorkspaces() {
	f.agent.workspaces.program = []string{"/proc/self/exe", workspaceFlag}
	f.Cleanup(func() {
		if s := f.agent.workspaces.server; s != nil {
			s.control.Close()
			s.client.CloseIdleConnections()
			<-s.ended
		}
	})
}

func TestWorkspaceIsForTheHost(t *testing.T) {
	f := newFixture(t)
	f.withWorkspaces()
	f.agent.settings.use(credentials{HostSecret: "s3cret", AccessToken: "t0ken"})
	path := "/ramet/workspace/index?root=" + f.home
	f.want(f.do("GET", path, "", ""), 401, "X-Access-Token")
	f.want(f.do("GET", path, "", "", "X-Access-Token", "t0ken"), 401, "only the host")
	got := f.do("GET", path, "", "", "X-Access-Token", "t0ken", secretHeader, "s3cret")
	f.want(got, 200, `"end":true,"count":0`)
	if got.header.Get(workspace.Header) != workspace.Version {
		t.Fatalf("%v", got.header)
	}
}

func TestWorkspaceServerIsStartedAgain(t *testing.T) {
	f := newFixture(t)
	f.withWorkspaces()
	if err := os.WriteFile(f.home+"/a", []byte("content"), 0o644); err != nil {
		t.Fatal(err)
	}
	read := "/ramet/workspace/read?path=a&root=" + f.home
	f.want(f.do("GET", read, "", ""), 200, "content")
	f.want(f.do("GET", "/ramet/workspace/read?path=b&root="+f.home, "", ""), 404, "does not exist")
	f.want(f.do("PUT", read, "", ""), 405, "not allowed")
	server := f.agent.workspaces.server
	if err := syscall.Kill(server.pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	<-server.ended
	f.want(f.do("GET", read, "", ""), 200, "content")
	want := `{"path":"a","kind":"file","mode":420,"uid":0,"gid":0,"size":3,"modified":1}` + "\nnew"
	f.want(f.do("POST", "/ramet/workspace/write?root="+f.home, "", want), 200, `{"changed":true}`)
	if got, _ := os.ReadFile(f.home + "/a"); string(got) != "new" {
		t.Fatalf("%q", got)
	}
	if text := f.do("GET", "/ramet/workspace/index?root="+f.home, "", "").body; !strings.Contains(text, `"size":3`) {
		t.Fatal(text)
	}
}
