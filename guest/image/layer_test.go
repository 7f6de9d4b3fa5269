// SPDX-License-Identifier: Apache-2.0

package main

import (
	"archive/tar"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func oneLayer(t *testing.T, entries ...entry) string {
	t.Helper()
	return newLayout(t).add("latest", "amd64", gzipped, archiveOf(t, entries...)).dir
}

func TestLayersGoOverOneAnother(t *testing.T) {
	lower := archiveOf(t, file("kept", "1"), file("gone", "1"), file("d/old", "1"), file("d/sub/old", "1"),
		file("opaque/old", "1"), file("opaque/sub/old", "1"), file("becomes-dir", "1"), file("becomes-file/x", "1"), file("changed", "1"),
		dir("real"), symlink("link", "real"))
	upper := archiveOf(t, file(".wh.gone", ""), file("d/new", "2"), file(".wh.d", ""), file("opaque/sub/new", "2"),
		file("opaque/.wh..wh..opq", ""), file("becomes-dir/x", "2"), file("becomes-file", "2"), file("changed", "22"),
		file("link/through", "2"), file(".wh.never-there", ""), file(".wh..wh.plnk", ""), file("no/such/.wh.x", ""))
	// A directory takes a file's place only if it says so; what lies below a file is broken.
	lower2 := archiveOf(t, file(".wh.becomes-dir", ""))
	u := mustUnpack(t, newLayout(t).add("latest", "amd64", gzipped, lower, lower2, upper).dir)
	for path, want := range map[string]string{
		"kept": "1", "gone": "(absent)", "d/old": "(absent)", "d/sub": "(absent)", "d/new": "2",
		"opaque/old": "(absent)", "opaque/sub/old": "(absent)", "opaque/sub/new": "2", "becomes-dir/x": "2", "becomes-file": "2",
		"changed": "22", "real/through": "2", "link": "(l)", ".wh.gone": "(absent)", "opaque/.wh..wh..opq": "(absent)", "no": "(absent)",
	} {
		if got := u.content(t, path); got != want {
			t.Errorf("%s: %q instead of %q", path, got, want)
		}
	}
	left, err := os.ReadDir(u.tree.data)
	if err != nil || len(left) != strings.Count(u.script, "/data/") {
		t.Errorf("%d files are left of contents, %d are used: %v", len(left), strings.Count(u.script, "/data/"), err)
	}
}

func TestWhatANameIsComesAlong(t *testing.T) {
	u := mustUnpack(t, oneLayer(t,
		entry{name: "suid", content: "x", mode: 0o4755, uid: 70_000},
		entry{name: "null", kind: tar.TypeChar, major: 1, minor: 3, mode: 0o666},
		entry{name: "disk", kind: tar.TypeBlock, major: 8, minor: 1},
		entry{name: "pipe", kind: tar.TypeFifo},
		symlink("link", `a "b" /c`),
		file("first", "x"), hardlink("second", "first"),
		entry{name: "caps", xattrs: map[string]string{"security.capability": "\x01\x00\n", "user.k": "v", "com.apple.x": "no", "security.selinux": "no"}},
		file(`odd "name" <2> #`, "x"), file("-f", "x"), file("<2>", "x"), file("!sh", "x")))
	for _, want := range []string{
		`set_inode_field "./suid" mode 0104755`, `set_inode_field "./suid" uid 70000`, `set_inode_field "./suid" mtime @1500000000`,
		`mknod "null" c 1 3`, `mknod "disk" b 8 1`, `mknod "pipe" p`, `symlink "link" "a ""b"" /c"`,
		`ln "/first" "second"`, `set_inode_field "./first" links_count 2`, `"./caps" "security.capability"`, `"./caps" "user.k"`,
		`set_inode_field "./odd ""name"" <2> #" mtime`, `set_inode_field "./<2>" mtime`, `set_inode_field "./-f" mtime`,
	} {
		if !strings.Contains(u.script, want) {
			t.Errorf("nothing says %s", want)
		}
	}
	for _, not := range []string{"apple", "selinux"} {
		if strings.Contains(u.script, not) {
			t.Errorf("something says %s", not)
		}
	}
	verbs := map[string]bool{"set_inode_field": true, "mkdir": true, "cd": true, "write": true, "symlink": true, "mknod": true, "ln": true, "ea_set": true}
	for _, line := range strings.Split(strings.TrimSpace(u.script), "\n") {
		if verb, _, _ := strings.Cut(line, " "); !verbs[verb] {
			t.Errorf("an unexpected command: %s", line)
		}
		if source := strings.TrimPrefix(line, `write "`); source != line && !strings.HasPrefix(source, u.tree.data+"/") && !strings.HasPrefix(source, `/dev/null"`) {
			t.Errorf("a file of the host would be read: %s", line)
		}
	}
}

func TestHostileLayers(t *testing.T) {
	victim := filepath.Join(t.TempDir(), "victim")
	if err := os.WriteFile(victim, []byte("precious"), 0o644); err != nil {
		t.Fatal(err)
	}
	home := filepath.Dir(victim)
	long := strings.Repeat("x", 256)
	for says, entries := range map[string][]entry{
		"a path that leads out":     {file("a/../../victim", "x")},
		"leads outside it":          {file("../victim", "x")},
		"outside it: \"../victim\"": {file(".wh.a", ""), hardlink("h", "../victim")},
		"which does not exist":      {hardlink("h", victim)},
		"or is a directory":         {dir("d"), hardlink("h", "d")},
		"a loop of":                 {symlink("a", "b"), symlink("b", "a"), file("a/x", "x")},
		"not a directory":           {file("f", "x"), file("f/x", "x")},
		"a name of 256 bytes":       {file(long, "x")},
		"a path of":                 {file(strings.Repeat("d/", 2100)+"d", "x")},
		"a line break":              {file("a\nwrite /etc/passwd stolen\n", "x")},
		"with a line break":         {symlink("s", "a\rdump / x")},
		"is not a directory":        {symlink("proc", "/etc")},
		"root is not a directory":   {symlink("/", "x")},
		"attributes":                {{name: "x", xattrs: map[string]string{"user.k": strings.Repeat("v", 5000)}}},
		"has an invalid number":     {{name: "x", kind: tar.TypeChar, major: 5000}},
		"does not fit":              {file("large", strings.Repeat("x", testDisk<<20))},
		"deep":                      {symlink("s", "./"+strings.Repeat("d/", 1500)), file(strings.Repeat("d/", 1500)+"d/x", "x"), file("s/"+strings.Repeat("d/", 1500)+"x", "x")},
		"a name that is too long":   {symlink("s", strings.Repeat(`"`, 4090))},
	} {
		t.Run(says, func(t *testing.T) {
			_, err := unpackFor(t, options{image: oneLayer(t, entries...)})
			refused(t, err, says)
		})
	}
	// What leads to a file of the host's leads to one of the image's own.
	u := mustUnpack(t, oneLayer(t, symlink("out", home), file("out/victim", "mine"), symlink("up", "../../../.."+home), file("up/other", "mine"), file(victim, "again")))
	if got := u.content(t, strings.TrimPrefix(victim, "/")); got != "again" {
		t.Errorf("in the image: %q", got)
	}
	if content, _ := os.ReadFile(victim); string(content) != "precious" {
		t.Errorf("on the host: %q", content)
	}
	if left, _ := os.ReadDir(home); len(left) != 1 {
		t.Errorf("on the host: %v", left)
	}
}

func TestBombs(t *testing.T) {
	// The same file again and again: what is left in the end would fit.
	var many []entry
	for i := 0; i < 12; i++ {
		many = append(many, file("same", strings.Repeat("x", 4<<20)))
	}
	_, err := unpackFor(t, options{image: oneLayer(t, many...)})
	refused(t, err, "does not fit")
	// More names than the disk has room for.
	many = nil
	for i := 0; i < 10_000; i++ {
		many = append(many, hardlink(strings.Repeat("a", i%200+1)+string(rune('A'+i/200)), "f"))
	}
	_, err = unpackFor(t, options{image: oneLayer(t, append([]entry{file("f", "")}, many...)...)})
	refused(t, err, "more than 4096 files")
}
