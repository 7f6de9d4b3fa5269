// SPDX-License-Identifier: Apache-2.0

package main

import (
	"strings"
	"testing"
)

func TestAnEmptyImageGetsWhatAMachineNeeds(t *testing.T) {
	u := mustUnpack(t, oneLayer(t, file("only", "1")))
	for path, want := range map[string]string{
		"proc": "(d)", "dev": "(d)", "tmp": "(d)", "work/here": "(d)", "etc/hostname": "ramet\n",
		"etc/passwd":        "root:x:0:0:root:/root:/bin/sh\nuser:x:1000:1000:user:/home/user:/bin/sh\n",
		"etc/group":         "root:x:0:\nuser:x:1000:\n",
		".ramet/start.json": `{"env":["COLOR=green"],"dir":"/work/here","user":"app","start":["/run","now"]}`,
	} {
		if got := u.content(t, path); got != want {
			t.Errorf("%s: %q", path, got)
		}
	}
	if !strings.Contains(u.script, `set_inode_field "./user" uid 1000`) || !strings.Contains(u.script, `set_inode_field "./tmp" mode 041777`) {
		t.Error("the home is not the user's, or not everybody may write to /tmp")
	}
}

func TestWhatAnImageHasStays(t *testing.T) {
	u := mustUnpack(t, oneLayer(t,
		file("etc/passwd", "root:x:0:0:root:/root:/bin/ash\nnode:x:1000:1000::/home/node:/bin/bash"), file("etc/group", "root:x:0:\nnode:x:1000:\n"),
		entry{name: "etc/shadow", content: "root:*::0:::::\n", mode: 0o640, uid: 42}, file("bin/bash", "x"),
		file("etc/hosts", "1.2.3.4 mine\n"), file("etc/hostname", ""), symlink("etc/resolv.conf", "/run/none"), file(".ramet/start.json", "theirs")))
	for path, want := range map[string]string{
		"etc/passwd":      "root:x:0:0:root:/root:/bin/ash\nnode:x:1000:1000::/home/node:/bin/bash\nuser:x:1001:1001:user:/home/user:/bin/bash\n",
		"etc/group":       "root:x:0:\nnode:x:1000:\nuser:x:1001:\n",
		"etc/shadow":      "root:*::0:::::\nuser:*:19000:0:99999:7:::\n",
		"etc/hosts":       "1.2.3.4 mine\n",
		"etc/hostname":    "ramet\n",
		"etc/resolv.conf": "nameserver 10.0.2.3\n",
	} {
		if got := u.content(t, path); got != want {
			t.Errorf("%s: %q", path, got)
		}
	}
	if !strings.Contains(u.script, `set_inode_field "./shadow" mode 0100640`) || strings.Contains(u.content(t, ".ramet/start.json"), "theirs") {
		t.Error("the shadow file has another mode, or the image says what the agent starts")
	}
}

func TestWhatIsStarted(t *testing.T) {
	image := oneLayer(t, file("only", "1"))
	for want, o := range map[string]options{
		`"user":"app"}`:                                           {image: image, noStart: true},
		`"start":["/bin/sh","-c","sleep 9"]}`:                     {image: image, start: "sleep 9"},
		`"start":["/run","now"],"ready":["/bin/sh","-c","true"]}`: {image: image, ready: "true"},
	} {
		u, err := unpackFor(t, o)
		if err != nil {
			t.Fatal(err)
		}
		if got := u.content(t, ".ramet/start.json"); !strings.HasSuffix(got, want) {
			t.Errorf("%s instead of %s", got, want)
		}
	}
}
