// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestAllFormatsGiveTheSame(t *testing.T) {
	layer := archiveOf(t, file("a", "1"), dir("bin"))
	l := newLayout(t).add("latest", "amd64", gzipped, layer)
	want := mustUnpack(t, l.dir).script
	for name, image := range map[string]string{
		"archive of a layout": archived(t, l.dir),
		"uncompressed":        newLayout(t).add("x", "amd64", same, layer).dir,
		"saved":               saved(t, same, layer),
		"saved, compressed":   saved(t, gzipped, layer),
	} {
		got := mustUnpack(t, image)
		if strings.ReplaceAll(got.script, got.tree.data, mustData(want)) != want {
			t.Errorf("%s: another result", name)
		}
	}
	if _, err := exec.LookPath("zstd"); err == nil {
		zstd := func(content []byte) []byte {
			command := exec.Command("zstd", "-cq")
			command.Stdin = strings.NewReader(string(content))
			out, err := command.Output()
			if err != nil {
				t.Fatal(err)
			}
			return out
		}
		got := mustUnpack(t, newLayout(t).add("x", "amd64", zstd, layer).dir)
		if strings.ReplaceAll(got.script, got.tree.data, mustData(want)) != want {
			t.Error("zstd: another result")
		}
	}
	t.Setenv("PATH", "/nonexistent")
	_, err := unpackFor(t, options{image: newLayout(t).add("x", "amd64", func([]byte) []byte { return []byte("\x28\xb5\x2f\xfd....") }, layer).dir})
	refused(t, err, "zstd")
}

// mustData is the directory of contents that a script names.
func mustData(script string) string {
	_, after, _ := strings.Cut(script, `write "`)
	for strings.HasPrefix(after, "/dev/null") {
		_, after, _ = strings.Cut(after, `write "`)
	}
	before, _, _ := strings.Cut(after, `" `)
	return filepath.Dir(before)
}

func TestWhichImage(t *testing.T) {
	one, two := archiveOf(t, file("a", "1")), archiveOf(t, file("a", "2"))
	l := newLayout(t).add("example.org/demo:v1", "amd64", gzipped, one).add("example.org/demo:v2", "amd64", gzipped, two).add("example.org/arm:v1", "arm64", gzipped, two)
	for tag, want := range map[string]string{"example.org/demo:v1": "1", "demo:v2": "2", "v2": "2"} {
		u, err := unpackFor(t, options{image: l.dir, tag: tag})
		if err != nil {
			t.Fatal(err)
		}
		if got := u.content(t, "a"); got != want {
			t.Errorf("%s: %s", tag, got)
		}
	}
	for says, o := range map[string]options{
		"there are 2 images":      {image: l.dir},
		"there is no image named": {image: l.dir, tag: "v3"},
		"the image is for linux/": {image: l.dir, tag: "arm:v1"},
		"do not run on this host": {image: l.dir, platform: "linux/arm64"},
		"no image for linux/386":  {image: l.dir, platform: "linux/386"},
	} {
		_, err := unpackFor(t, o)
		refused(t, err, says)
	}
	_, err := unpackFor(t, options{image: l.dir, tag: "v3"})
	if !strings.Contains(err.(*problem).remedy, "example.org/demo:v1") {
		t.Errorf("the remedy does not tell what there is: %v", err.(*problem).remedy)
	}
	// An index in the index, for several platforms of which only one is there.
	inner := newLayout(t).add("latest", "amd64", gzipped, one)
	ours := inner.list[0]
	ours["platform"] = object{"os": "linux", "architecture": "amd64"}
	other := object{"mediaType": "application/vnd.oci.image.manifest.v1+json", "digest": "sha256:" + sum([]byte("absent")), "size": 6,
		"platform": object{"os": "linux", "architecture": "arm64"}}
	notes := object{"mediaType": "application/vnd.oci.image.manifest.v1+json", "digest": "sha256:" + sum([]byte("absent too")), "size": 6,
		"platform": object{"os": "unknown", "architecture": "unknown"}}
	d := inner.blob("application/vnd.oci.image.index.v1+json", encoded(object{"schemaVersion": 2, "manifests": []object{other, notes, ours}}))
	inner.write("index.json", encoded(object{"schemaVersion": 2, "manifests": []object{d}}))
	if got := mustUnpack(t, inner.dir).content(t, "a"); got != "1" {
		t.Errorf("of an index of an index: %s", got)
	}
}

func TestWhatIsNoImage(t *testing.T) {
	layer := archiveOf(t, file("a", strings.Repeat("1", 100_000)))
	fresh := func() *layout { return newLayout(t).add("latest", "amd64", gzipped, layer) }
	blobs := func(l *layout) string { return filepath.Join(l.dir, "blobs/sha256") }
	first := func(l *layout, has string) string {
		all, _ := os.ReadDir(blobs(l))
		for _, e := range all {
			path := filepath.Join(blobs(l), e.Name())
			if content, _ := os.ReadFile(path); strings.Contains(string(content), has) {
				return path
			}
		}
		t.Fatalf("no blob has %q", has)
		return ""
	}
	gz := "\x1f\x8b"
	for says, spoil := range map[string]func(l *layout) string{
		"neither index.json nor manifest.json": func(l *layout) string { return t.TempDir() },
		"does not exist":                       func(l *layout) string { return l.dir + "/absent" },
		"nor a complete tar archive":           func(l *layout) string { return archiveFile(t, []byte(strings.Repeat("no archive ", 1000))) },
		"itself is compressed, with gzip":      func(l *layout) string { return archiveFile(t, gzipped(layer)) },
		"neither a directory nor a file": func(l *layout) string {
			pipe := filepath.Join(l.dir, "pipe")
			if err := syscall.Mkfifo(pipe, 0o644); err != nil {
				t.Fatal(err)
			}
			return pipe
		},
		"is missing in the image": func(l *layout) string { _ = os.Remove(first(l, gz)); return l.dir },
		"bytes instead of":        func(l *layout) string { _ = os.WriteFile(first(l, gz), []byte(gz), 0o644); return l.dir },
		"is damaged: its digest": func(l *layout) string {
			path := first(l, gz)
			content, _ := os.ReadFile(path)
			content[len(content)/2] ^= 1
			_ = os.WriteFile(path, content, 0o644)
			return l.dir
		},
		"in the image is damaged": func(l *layout) string { _ = os.WriteFile(first(l, "diff_ids"), []byte("{}"), 0o644); return l.dir },
		"not valid JSON":          func(l *layout) string { l.write("index.json", []byte("root:x:0:0")); return l.dir },
		"is not a digest": func(l *layout) string {
			l.write("index.json", encoded(object{"manifests": []object{{"digest": "sha256:../../../etc/passwd"}}}))
			return l.dir
		},
		"names no image": func(l *layout) string { l.write("index.json", []byte("{}")); return l.dir },
		"is a link": func(l *layout) string {
			path := first(l, gz)
			_ = os.Rename(path, l.dir+"/elsewhere")
			_ = os.Symlink(l.dir+"/elsewhere", path)
			return l.dir
		},
		"or not a directory": func(l *layout) string {
			_ = os.Rename(blobs(l), l.dir+"/elsewhere")
			_ = os.Symlink(l.dir+"/elsewhere", blobs(l))
			return l.dir
		},
		"another kind of OCI artifact": func(l *layout) string {
			d := l.blob("application/vnd.oci.image.manifest.v1+json", encoded(object{"schemaVersion": 2, "config": object{"mediaType": "application/vnd.oci.empty.v1+json"}}))
			l.write("index.json", encoded(object{"manifests": []object{d}}))
			return l.dir
		},
		"cannot be read to its end": func(l *layout) string {
			return newLayout(t).add("x", "amd64", func(b []byte) []byte { return gzipped(b[:len(b)/2]) }, layer).dir
		},
		"uncompressed content of layer 1": func(l *layout) string {
			return newLayout(t).add("x", "amd64", func(b []byte) []byte { return gzipped(append(b, 0)) }, layer).dir
		},
		"compressed with xz": func(l *layout) string {
			return newLayout(t).add("x", "amd64", func(b []byte) []byte { return []byte("\xfd7zXZ.....") }, layer).dir
		},
	} {
		t.Run(says, func(t *testing.T) {
			_, err := unpackFor(t, options{image: spoil(fresh())})
			refused(t, err, says)
		})
	}
}
