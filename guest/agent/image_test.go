// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"
)

func (f *fixture) image(s startFile) string {
	log := filepath.Join(f.TempDir(), "start.log")
	f.agent.startImage(s, log)
	f.agent.starter.wait = 200 * time.Millisecond
	return log
}

// me is this process's user, as an image names one.
func me() string { return fmt.Sprintf("%d:%d", os.Getuid(), os.Getgid()) }

func TestAnImagesCommandRunsAsTheImageSays(t *testing.T) {
	f := newFixture(t)
	dir := t.TempDir()
	log := f.image(startFile{User: me(), Dir: dir, Env: []string{"COLOR=green", "odd"}, Start: []string{"sh", "-c", "echo $COLOR; pwd; exec sleep 100"}})
	f.want(f.do("POST", "/ready", "", ""), 204, "")
	said, _ := os.ReadFile(log)
	if string(said) != "green\n"+dir+"\n" {
		t.Errorf("it said %q", said)
	}
	f.want(f.unary("List", "{}"), 200, `"tag":"start"`)
}

func TestReadinessFollowsTheCheckOfIt(t *testing.T) {
	f := newFixture(t)
	dir := t.TempDir()
	f.image(startFile{User: me(), Dir: dir, Start: []string{"sh", "-c", "sleep 0.5; touch there; exec sleep 100"}, Ready: []string{"sh", "-c", "test -e there"}})
	f.want(f.do("POST", "/ready", "", ""), 204, "")
	if _, err := os.Stat(dir + "/there"); err != nil {
		t.Error("it was not ready")
	}
}

func TestACommandThatFailsIsNeverReady(t *testing.T) {
	for says, s := range map[string]startFile{
		"no PASSWORD is set": {Start: []string{"sh", "-c", "echo no PASSWORD is set >&2; exit 3"}},
		"exit status 3":      {Start: []string{"sh", "-c", "exit 3"}, Ready: []string{"/bin/false"}},
		"/no/such":           {Start: []string{"/no/such"}},
		"nobody-at-all":      {Start: []string{"sh"}, User: "nobody-at-all"},
		"nowhere":            {Start: []string{"sh"}, Dir: "/nowhere"},
	} {
		t.Run(says, func(t *testing.T) {
			f := newFixture(t)
			if s.User == "" {
				s.User = me()
			}
			if s.Dir == "" {
				s.Dir = "/"
			}
			f.image(s)
			f.want(f.do("POST", "/ready", "", ""), 424, says)
			f.want(f.do("GET", "/health", "", ""), 204, "")
		})
	}
}

func TestNothingToStartIsReadyAtOnce(t *testing.T) {
	f := newFixture(t)
	f.want(f.do("POST", "/ready", "", ""), 204, "")
	f.image(startFile{User: me(), Dir: "/"})
	f.want(f.do("POST", "/ready", "", ""), 204, "")
	f.image(startFile{User: me(), Dir: "/", Start: []string{"true"}})
	f.want(f.do("POST", "/ready", "", ""), 204, "")
}

func TestAnImagesEnvironmentLiesBelowAllOthers(t *testing.T) {
	f := newFixture(t)
	s := startFile{Env: []string{"COLOR=green", "SIZE=9", "HOME=/elsewhere"}}
	f.agent.settings.base = s.forCommands()
	f.agent.settings.env = f.agent.settings.base
	f.want(f.do("GET", "/envs", "", ""), 200, `{"COLOR":"green","SIZE":"9"}`)
	f.want(f.do("POST", "/init", "application/json", `{"envVars":{"SIZE":"10"}}`), 204, "")
	f.want(f.do("GET", "/envs", "", ""), 200, `{"COLOR":"green","SIZE":"10"}`)
}

func TestUsersOfImages(t *testing.T) {
	dir := t.TempDir()
	files := userFiles{dir + "/passwd", dir + "/group"}
	must(t, os.WriteFile(files.passwd, []byte("root:x:0:0::/root:/bin/sh\napp:x:70:71::/app:/bin/sh\n"), 0o644),
		os.WriteFile(files.group, []byte("root:x:0:\nweb:x:80:app\nlog:x:81:app\n"), 0o644))
	for user, want := range map[string]account{
		"":        {uid: 0, gid: 0, home: "/root"},
		"app":     {uid: 70, gid: 71, home: "/app", groups: []uint32{80, 81}},
		"70":      {uid: 70, gid: 71, home: "/app", groups: []uint32{80, 81}},
		"app:web": {uid: 70, gid: 80, home: "/app"},
		"5:6":     {uid: 5, gid: 6, home: "/"},
		"5":       {uid: 5, gid: 0, home: "/"},
	} {
		got, err := files.ofImage(user)
		if err != nil || got.uid != want.uid || got.gid != want.gid || got.home != want.home || len(got.groups) != len(want.groups) {
			t.Errorf("%q: %+v, %v", user, got, err)
		}
	}
	for _, user := range []string{"none", "app:none", "-1", "5000000000"} {
		if got, err := files.ofImage(user); err == nil {
			t.Errorf("%q: %+v", user, got)
		}
	}
}

func TestWhoeverWaitsForReadinessIsToldThatItLasts(t *testing.T) {
	f := newFixture(t)
	f.image(startFile{User: me(), Dir: "/", Start: []string{"sleep", "100"}, Ready: []string{"false"}})
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	if err := f.agent.starter.await(ctx); err != context.DeadlineExceeded {
		t.Errorf("got %v", err)
	}
}
