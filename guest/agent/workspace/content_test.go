// SPDX-License-Identifier: Apache-2.0

package workspace

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestSameSizeAndTimeButOtherBytes(t *testing.T) {
	g := newGround(t)
	g.put("a", "one")
	g.must(os.Chtimes(g.path("a"), time.Unix(1e9, 0), time.Unix(1e9, 0)))
	digest := g.settled()
	g.put("a", "two")
	g.must(os.Chtimes(g.path("a"), time.Unix(1e9, 0), time.Unix(1e9, 0)))
	g.wantChanges(digest, "modified a [content]")
}

func TestATouchedFileHasNotChanged(t *testing.T) {
	g := newGround(t)
	g.put("a", "one")
	digest, _ := g.index()
	g.must(os.Chtimes(g.path("a"), time.Unix(1e9, 0), time.Unix(1e9, 0)))
	g.wantChanges(digest)
	if _, all := g.index(); all["a"].Modified != 1e18 {
		t.Fatalf("the time is %d", all["a"].Modified)
	}
}

func TestKindsOfChanges(t *testing.T) {
	g := newGround(t)
	for _, name := range []string{"content", "mode", "owner", "attribute", "gone", "kind", "same/again", "old"} {
		g.put(name, "content of "+name)
	}
	g.must(os.Symlink("one", g.path("link")))
	digest, _ := g.index()
	g.put("content", "other")
	g.must(os.Chmod(g.path("mode"), 0o4755))
	g.must(os.Chmod(g.path("mode"), 0o755|os.ModeSetuid))
	g.must(os.Chown(g.path("owner"), 12, 34))
	g.must(syscall.Setxattr(g.path("attribute"), "user.x", []byte("1"), 0))
	g.must(os.Remove(g.path("gone")))
	g.must(os.Remove(g.path("kind")))
	g.must(os.Mkdir(g.path("kind"), 0o755))
	g.must(os.RemoveAll(g.path("same")))
	g.put("same/again", "content of same/again")
	g.must(os.Rename(g.path("old"), g.path("young")))
	g.must(os.Remove(g.path("link")))
	g.must(os.Symlink("two", g.path("link")))
	g.put("a..b/..c", "dots are part of names")
	g.wantChanges(digest, "created a..b", "created a..b/..c", "metadata attribute [attributes]", "modified content [content]",
		"deleted gone", "modified kind [type content mode]", "modified link [content]", "metadata mode [mode]",
		"metadata owner [owner]", "renamed old young")
}

func TestADirectoryIsRenamed(t *testing.T) {
	g := newGround(t)
	g.put("d/e/f", "f")
	g.put("d/g", "g")
	digest, _ := g.index()
	g.must(os.Rename(g.path("d"), g.path("n")))
	g.wantChanges(digest, "renamed d n", "renamed d/e n/e", "renamed d/e/f n/e/f", "renamed d/g n/g")
	now, _ := g.index()
	g.put("n/e/f", "later") // in a directory whose name the watcher must have corrected
	g.wantChanges(now, "modified n/e/f [content]")
}

func TestHardLinks(t *testing.T) {
	g := newGround(t)
	g.put("a", "one")
	g.must(os.Link(g.path("a"), g.path("b")))
	digest := g.settled()
	g.put("a", "two")
	g.wantChanges(digest, "modified a [content]", "modified b [content]")
}

func TestNames(t *testing.T) {
	g := newGround(t)
	for _, name := range []string{"new\nline", "bad\xff\xfeutf", "quote\"<&>", "ünï", strings.Repeat("n", 255), "a.b", "a/b", "a0"} {
		g.put(name, name)
	}
	_, all := g.index()
	for name := range all {
		if name != "a" && all[name].Size != int64(len(name)) {
			t.Fatalf("%q: %v", name, all[name])
		}
	}
	if len(all) != 9 {
		t.Fatalf("%d entries: %v", len(all), all)
	}
	order := []string{"a", "a/b", "a.b", "a0", "b"}
	for i := range order {
		for j := range order {
			if before(order[i], order[j]) != (i < j) {
				t.Fatalf("%q and %q", order[i], order[j])
			}
		}
	}
}

// A program that keeps a page mapped writes without any time of the file changing, until the page
// is written out; in a tmpfs, never.
func TestWritesToMappedMemory(t *testing.T) {
	for name, make := range map[string]func(*testing.T) *ground{"disk": newGround, "memory": onMemory} {
		t.Run(name, func(t *testing.T) {
			g := make(t)
			g.put("a", strings.Repeat("x", 8192))
			file, err := os.OpenFile(g.path("a"), os.O_RDWR, 0)
			g.must(err)
			memory, err := syscall.Mmap(int(file.Fd()), 0, 8192, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED)
			g.must(err)
			file.Close()
			memory[0] = '0'
			for i := byte(1); i < 5; i++ {
				digest := g.settled()
				memory[0] = '0' + i
				g.wantChanges(digest, "modified a [content]")
			}
			digest := g.settled()
			memory[0] = 'y'
			g.must(syscall.Munmap(memory))
			g.wantChanges(digest, "modified a [content]")
			digest = g.settled()
			g.wantChanges(digest)
			// Mapped and gone between two questions.
			g.run("python3", "-c", "import mmap;f=open('a','r+b');m=mmap.mmap(f.fileno(),0);m[1:2]=b'z';m.close()")
			g.wantChanges(digest, "modified a [content]")
		})
	}
}

func TestASparseFileOf10GiB(t *testing.T) {
	g := newGround(t)
	file, err := os.Create(g.path("sparse"))
	g.must(err)
	defer file.Close()
	g.must(file.Truncate(10 << 30))
	_, err = file.WriteAt([]byte("here"), 5<<30+7)
	g.must(err)
	digest, all := g.index()
	if all["sparse"].Size != 10<<30 || all["sparse"].Failure != "" {
		t.Fatalf("%v", all)
	}
	_, err = file.WriteAt([]byte("0"), 10<<30-1)
	g.must(err)
	g.wantChanges(digest, "modified sparse [content]")
	_, err = file.WriteAt([]byte{0}, 10<<30-1) // content as before, though not a hole any more
	g.must(err)
	g.wantChanges(digest)
}

func TestHolesAndZerosAreAlike(t *testing.T) {
	g := newGround(t)
	for _, size := range []int{0, 1, blockBytes - 1, blockBytes, blockBytes + 1, 5*blockBytes + 3} {
		content := make([]byte, size)
		if size > blockBytes {
			content[size-1], content[2] = 1, 2
		}
		g.must(os.WriteFile(g.path("dense"), content, 0o600))
		g.run("cp", "--sparse=always", "dense", "sparse")
		var sums []digest
		for _, name := range []string{"dense", "sparse"} {
			file, err := os.Open(g.path(name))
			g.must(err)
			d, n, err := newContentHash().file(context.Background(), int(file.Fd()), int64(size))
			g.must(err)
			if n != int64(size) {
				t.Fatalf("%d bytes of %d", n, size)
			}
			file.Close()
			sums = append(sums, d)
		}
		whole := newContentHash()
		for rest := content; len(rest) > 0; {
			n := min(len(rest), 1000)
			_, _ = whole.Write(rest[:n])
			rest = rest[n:]
		}
		if d, _ := whole.sum(); d != sums[0] || d != sums[1] {
			t.Fatalf("size %d: %v %v", size, d, sums)
		}
	}
}

func Test100000Files(t *testing.T) {
	g := onMemory(t)
	for d := 0; d < 100; d++ {
		dir := g.path(fmt.Sprintf("d%02d", d))
		g.must(os.Mkdir(dir, 0o755))
		for f := 0; f < 1000; f++ {
			var content []byte
			if f%10 == 0 { // a tmpfs has a page for each that is not empty
				content = []byte{byte(d), byte(f)}
			}
			g.must(os.WriteFile(fmt.Sprintf("%s/%03d", dir, f), content, 0o644))
		}
	}
	digest, all := g.index()
	if len(all) != 100_100 {
		t.Fatalf("%d entries", len(all))
	}
	g.put("d50/500", "other")
	g.must(os.Remove(g.path("d51/501")))
	g.wantChanges(digest, "modified d50/500 [content]", "deleted d51/501")
}

func TestBelowOtherFileSystems(t *testing.T) {
	g := newGround(t)
	g.must(os.Mkdir(g.path("memory"), 0o755))
	g.must(os.Mkdir(g.path("proc"), 0o755))
	g.must(syscall.Mount("tmpfs", g.path("memory"), "tmpfs", 0, ""))
	defer func() { _ = syscall.Unmount(g.path("memory"), syscall.MNT_DETACH) }()
	g.must(syscall.Mount("proc", g.path("proc"), "proc", 0, ""))
	defer func() { _ = syscall.Unmount(g.path("proc"), syscall.MNT_DETACH) }()
	g.put("memory/a", "in memory")
	digest, all := g.index()
	if all["proc"].Kind != kindMount || all["memory/a"].Kind != kindFile || len(all) != 3 {
		t.Fatalf("%v", all)
	}
	g.put("memory/a", "IN memory")
	g.wantChanges(digest, "modified memory/a [content]")
}

func BenchmarkContentHash(b *testing.B) {
	h, bytes := newContentHash(), bytes.Repeat([]byte("x"), 1<<20)
	b.SetBytes(1 << 20)
	for i := 0; i < b.N; i++ {
		h.reset()
		_, _ = h.Write(bytes)
		h.sum()
	}
}
