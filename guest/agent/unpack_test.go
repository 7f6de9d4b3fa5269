// SPDX-License-Identifier: Apache-2.0

package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"
)

// packed is an archive of entries: a name that ends with a slash is a directory, "a -> b" a link.
func packed(t *testing.T, entries ...string) string {
	t.Helper()
	var buffer bytes.Buffer
	archive := tar.NewWriter(&buffer)
	for _, entry := range entries {
		header := &tar.Header{Name: entry, Typeflag: tar.TypeReg, Mode: 0o640, Size: int64(len(entry))}
		if name, target, link := strings.Cut(entry, " -> "); link {
			header = &tar.Header{Name: name, Linkname: target, Typeflag: tar.TypeSymlink}
		} else if strings.HasSuffix(entry, "/") {
			header = &tar.Header{Name: entry, Typeflag: tar.TypeDir, Mode: 0o750}
		}
		must(t, archive.WriteHeader(header))
		if header.Typeflag == tar.TypeReg {
			_, err := archive.Write([]byte(entry))
			must(t, err)
		}
	}
	must(t, archive.Close())
	return buffer.String()
}

func (f *fixture) unpack(body string, query ...string) answer {
	all := url.Values{}
	for i := 0; i < len(query); i += 2 {
		all.Set(query[i], query[i+1])
	}
	return f.do("POST", "/unpack?"+all.Encode(), "application/x-tar", body)
}

// below lists what is in a directory, the mode of files behind them.
func below(t *testing.T, dir string) string {
	t.Helper()
	var all []string
	must(t, filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || path == dir {
			return err
		}
		name, _ := filepath.Rel(dir, path)
		info, err := entry.Info()
		all = append(all, name+" "+info.Mode().String())
		return err
	}))
	sort.Strings(all)
	return strings.Join(all, "\n")
}

func TestCopiedFilesGoWhereTheyAreWanted(t *testing.T) {
	const file, dir = "-rw-r-----", "drwxr-x---"
	tree := []string{"src/", "src/a", "src/sub/", "src/sub/b", "src/l -> a"}
	for name, c := range map[string]struct {
		entries   []string
		src, dest string
		want      string
	}{
		"a file to a name":             {[]string{"x/one"}, "x/one", "new/name", "new drwxr-xr-x\nnew/name " + file},
		"a file into a directory":      {[]string{"./x/one"}, "./x/one", "new/", "new drwxr-xr-x\nnew/one " + file},
		"a file into what there is":    {[]string{"one"}, "one", ".", "one " + file},
		"a directory's contents":       {tree, "src", "app", "app drwxr-xr-x\napp/a " + file + "\napp/l Lrwxrwxrwx\napp/sub " + dir + "\napp/sub/b " + file},
		"all there is":                 {tree, ".", "all", "all drwxr-xr-x\nall/src " + dir + "\nall/src/a " + file + "\nall/src/l Lrwxrwxrwx\nall/src/sub " + dir + "\nall/src/sub/b " + file},
		"what fits a pattern":          {tree[1:], "src/*", "app", "app drwxr-xr-x\napp/a " + file + "\napp/b " + file + "\napp/l Lrwxrwxrwx"},
		"what fits at any depth":       {[]string{"src/a.js", "src/x/b.js"}, "src/**/*.js", "app", "app drwxr-xr-x\napp/a.js " + file + "\napp/x drwxr-xr-x\napp/x/b.js " + file},
		"nothing leads out":            {[]string{"src/../../../out"}, "out", "app/", "app drwxr-xr-x\napp/out " + file},
		"other entries are left alone": {[]string{"other", "one"}, "one", "name", "name " + file},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			f.want(f.unpack(packed(t, c.entries...), "src", c.src, "dest", c.dest), 204, "")
			if got := below(t, f.home); got != c.want {
				t.Errorf("got\n%s\nwanted\n%s", got, c.want)
			}
		})
	}
}

func TestCopiesTakeModeDirectoryAndCompressionAsGiven(t *testing.T) {
	f := newFixture(t)
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	_, err := z.Write([]byte(packed(t, "one")))
	must(t, err, z.Close())
	work := t.TempDir()
	f.want(f.unpack(zipped.String(), "src", "one", "dest", "bin/tool", "cwd", work, "mode", "0755", "owner", me()), 204, "")
	if got := below(t, work); got != "bin drwxr-xr-x\nbin/tool -rwxr-xr-x" {
		t.Error(got)
	}
	// What is there gives way, save that a file takes no directory's place.
	f.want(f.unpack(packed(t, "two"), "src", "two", "dest", work+"/bin/tool"), 204, "")
	if content, _ := os.ReadFile(work + "/bin/tool"); string(content) != "two" {
		t.Errorf("%q", content)
	}
	f.want(f.unpack(packed(t, "d/", "d/bin"), "src", "d", "dest", work), 400, "is a directory")
}

func TestBrokenArchivesAreRefused(t *testing.T) {
	f := newFixture(t)
	whole := packed(t, "one", "two")
	for says, answer := range map[string]answer{
		"destination is missing": f.unpack(whole, "src", "one"),
		"octal":                  f.unpack(whole, "src", "one", "dest", "x", "mode", "99"),
		"nobody-at-all":          f.unpack(whole, "src", "one", "dest", "x", "owner", "nobody-at-all"),
		"does not contain three": f.unpack(whole, "src", "three", "dest", "x"),
		"archive is broken":      f.unpack(whole[:514], "src", "one", "dest", "y"),
		"broken: ":               f.unpack("\x1f\x8bnonsense", "src", "one", "dest", "z"),
	} {
		f.want(answer, 400, says)
	}
}
