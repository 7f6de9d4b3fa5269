// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"os"
	"reflect"
	"sync"
	"testing"
	"time"
)

const mountTable = `22 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw
23 22 0:21 / /proc rw shared:2 - proc proc rw
24 22 0:22 / /tmp rw - tmpfs tmpfs rw,size=1k
25 22 254:16 / /mnt/with\040space rw - xfs /dev/vdb rw,attr2
26 22 254:0 /home /home rw - ext4 /dev/vda rw
27 22 254:32 / /ro rw - ext4 /dev/vdc ro,norecovery
28 22 7:0 / /image rw - ext4 /dev/loop0 rw
broken`

func TestFreezable(t *testing.T) {
	if got, want := freezable(mountTable), []string{"/image", "/mnt/with space", "/"}; !reflect.DeepEqual(got, want) {
		t.Fatalf("got %q, want %q", got, want)
	}
	if got := unescaped(`a\134b\`); got != `a\b\` {
		t.Fatalf("got %q", got)
	}
}

// counted pretends to freeze: to freeze the file systems of the machine that runs the tests would
// stop it.
type counted struct {
	mu     sync.Mutex
	frozen int
	fail   error
}

func (c *counted) install(a *agent) {
	a.system.mounts = func() (string, error) { return mountTable, nil }
	a.system.freeze = func(point string) (*os.File, error) {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.fail != nil && c.frozen > 0 {
			return nil, c.fail
		}
		c.frozen++
		return os.Open(os.DevNull)
	}
	a.system.thaw = func(*os.File) {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.frozen--
	}
}

func (c *counted) now() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.frozen
}

func TestFreezeAndThaw(t *testing.T) {
	f := newFixture(t)
	var fake counted
	fake.install(f.agent)
	f.want(f.do("POST", "/thaw", "", ""), 409, `"code":409`)
	f.want(f.do("POST", "/freeze", "", ""), 204, "")
	if fake.now() != 3 || !f.synced {
		t.Fatal("nothing was frozen")
	}
	f.want(f.do("POST", "/freeze", "", ""), 500, "already")
	f.want(f.do("POST", "/thaw", "", ""), 204, "")
	if fake.now() != 0 {
		t.Fatalf("%d still frozen", fake.now())
	}
	for _, wrong := range []string{"0", "-1", "301", "x"} {
		f.want(f.do("POST", "/freeze?seconds="+wrong, "", ""), 400, `"code":400`)
	}
}

func TestAFreezeEndsByItself(t *testing.T) {
	f := newFixture(t)
	var fake counted
	fake.install(f.agent)
	f.want(f.do("POST", "/freeze?seconds=1", "", ""), 204, "")
	for end := time.Now().Add(20 * time.Second); fake.now() != 0; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("still frozen")
		}
	}
	f.want(f.do("POST", "/thaw", "", ""), 409, "no longer")
}

func TestAFreezeThatFailsFreezesNothing(t *testing.T) {
	f := newFixture(t)
	fake := counted{fail: errors.New("expected by a test")}
	fake.frozen = 1
	fake.install(f.agent)
	f.want(f.do("POST", "/freeze", "", ""), 500, "expected by a test")
	if fake.now() != 1 {
		t.Fatalf("%d frozen", fake.now()-1)
	}
	f.want(f.do("POST", "/thaw", "", ""), 409, "")
}
