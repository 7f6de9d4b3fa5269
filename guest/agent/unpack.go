// SPDX-License-Identifier: Apache-2.0

package main

import (
	"archive/tar"
	"bufio"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// unpacker puts the contents of a tar archive where a template's COPY wants them.
type unpacker struct {
	source  []string // the elements of the copied path, which may be a pattern
	pattern int      // the number of elements before the first one with a wildcard
	dest    string
	there   bool // the destination is a directory that existed before
	into    bool // the destination is a directory in any case
	owner   account
	mode    *os.FileMode // for all entries, or nil to use the archive's modes
	dirs    []madeDir
}

// madeDir gets its times last, because entries added to it change them.
type madeDir struct {
	path string
	time time.Time
}

// unpack unpacks a tar archive, compressed with gzip or not. Its entries have the names that the
// client saw, relative to the folder that was packed. A file becomes dest itself, unless dest is a
// directory or ends like one; of a directory, the contents go into dest.
func (a *agent) unpack(w http.ResponseWriter, r *http.Request) {
	u, err := a.unpacker(r)
	if err == nil {
		err = u.all(r.Body)
	}
	if err != nil {
		_, _ = io.Copy(io.Discard, r.Body) // a client that is still sending would not read the response
		writeFileError(w, err)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

func (a *agent) unpacker(r *http.Request) (*unpacker, error) {
	query := r.URL.Query()
	bad := func(format string, args ...interface{}) (*unpacker, error) {
		return nil, &fileError{http.StatusBadRequest, fmt.Sprintf(format, args...)}
	}
	dest := query.Get("dest")
	if dest == "" {
		return bad("the destination is missing")
	}
	user, err := a.userOf(r)
	if err != nil {
		return bad("%v", err)
	}
	u := &unpacker{owner: user}
	if owner := query.Get("owner"); owner != "" {
		if u.owner, err = a.users.ofImage(owner); err != nil {
			return bad("%v", err)
		}
	}
	workdir := query.Get("cwd")
	if workdir == "" {
		workdir = a.settings.defaultWorkdir()
	}
	if !filepath.IsAbs(dest) && dest != "~" && !strings.HasPrefix(dest, "~/") {
		dest = user.resolve(workdir) + "/" + dest
	}
	if mode := query.Get("mode"); mode != "" {
		bits, err := strconv.ParseUint(mode, 8, 12)
		if err != nil {
			return bad("mode %q is not an octal number up to 7777", mode)
		}
		m := fileMode(int64(bits))
		u.mode = &m
	}
	u.source = elements(query.Get("src"))
	for u.pattern < len(u.source) && !strings.ContainsAny(u.source[u.pattern], "*?[{(") {
		u.pattern++
	}
	u.into = strings.HasSuffix(dest, "/") || strings.HasSuffix(dest, "/.") || u.pattern < len(u.source)
	u.dest = user.resolve(dest)
	if info, err := os.Stat(u.dest); err == nil && info.IsDir() {
		u.there, u.into = true, true
	}
	return u, nil
}

// elements returns the elements of a path relative to the packed folder; the folder itself has
// none.
func elements(name string) []string {
	clean := strings.TrimPrefix(path.Clean("/"+name), "/")
	if clean == "" {
		return nil
	}
	return strings.Split(clean, "/")
}

// fileMode keeps the bits that chmod knows.
func fileMode(bits int64) os.FileMode {
	mode := os.FileMode(bits & 0o777)
	for bit, meaning := range map[int64]os.FileMode{0o4000: os.ModeSetuid, 0o2000: os.ModeSetgid, 0o1000: os.ModeSticky} {
		if bits&bit != 0 {
			mode |= meaning
		}
	}
	return mode
}

func (u *unpacker) all(body io.Reader) error {
	buffered := bufio.NewReaderSize(brokenUpload{body}, 64<<10)
	var plain io.Reader = buffered
	if magic, _ := buffered.Peek(2); string(magic) == "\x1f\x8b" {
		unzipped, err := gzip.NewReader(buffered)
		if err != nil {
			return broken(err)
		}
		plain = unzipped
	}
	archive := tar.NewReader(plain)
	found := 0
	for {
		header, err := archive.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return broken(err)
		}
		put, err := u.put(header, archive)
		if err != nil {
			return err
		}
		if put {
			found++
		}
	}
	if found == 0 {
		return &fileError{http.StatusBadRequest, "the archive does not contain " + strings.Join(u.source, "/")}
	}
	for i := len(u.dirs) - 1; i >= 0; i-- {
		_ = os.Chtimes(u.dirs[i].path, u.dirs[i].time, u.dirs[i].time)
	}
	return nil
}

// brokenArchive distinguishes errors of the archive from those of the disk.
type brokenArchive struct{ from io.Reader }

func (b brokenArchive) Read(p []byte) (int, error) {
	n, err := b.from.Read(p)
	if err != nil && err != io.EOF {
		err = broken(err)
	}
	return n, err
}

func broken(err error) error {
	var known *fileError
	if errors.As(err, &known) {
		return err
	}
	return &fileError{http.StatusBadRequest, "the archive is broken: " + err.Error()}
}

// target returns where an entry goes; it is never outside the destination, except through existing
// links.
func (u *unpacker) target(name string, isDir bool) (string, bool) {
	entry := elements(name)
	for i := 0; i < u.pattern; i++ {
		if i >= len(entry) || entry[i] != u.source[i] {
			return "", false // a folder above the requested path
		}
	}
	depth := len(u.source)
	for i := u.pattern; i < len(u.source); i++ {
		if u.source[i] == "**" { // matches any number of folders, which are copied too
			depth = u.pattern
			break
		}
	}
	if len(entry) < depth {
		return "", false
	}
	rest := entry[depth:]
	if len(rest) > 0 {
		return filepath.Join(append([]string{u.dest}, rest...)...), true
	}
	if isDir || depth == 0 {
		return u.dest, true
	}
	if u.into {
		return filepath.Join(u.dest, entry[len(entry)-1]), true
	}
	return u.dest, true
}

func (u *unpacker) put(header *tar.Header, content io.Reader) (bool, error) {
	isDir := header.Typeflag == tar.TypeDir
	to, wanted := u.target(header.Name, isDir)
	if !wanted {
		return false, nil
	}
	mode := fileMode(header.Mode)
	if u.mode != nil {
		mode = *u.mode
	}
	if isDir {
		return true, u.putDir(to, mode, header.ModTime)
	}
	if err := makeParents(filepath.Dir(to), u.owner); err != nil {
		return false, err
	}
	if info, err := os.Lstat(to); err == nil {
		if info.IsDir() {
			return false, &fileError{http.StatusBadRequest, to + " is a directory, but the archive has a file there"}
		}
		if err := os.Remove(to); err != nil {
			return false, err
		}
	}
	switch header.Typeflag {
	case tar.TypeReg:
		return true, u.putFile(to, mode, header.ModTime, brokenArchive{content})
	case tar.TypeSymlink:
		if err := os.Symlink(header.Linkname, to); err != nil {
			return false, err
		}
		return true, own(to, u.owner)
	case tar.TypeLink:
		from, known := u.target(header.Linkname, false)
		if !known {
			return false, &fileError{http.StatusBadRequest, to + " is a hard link to a file that was not copied"}
		}
		return true, os.Link(from, to)
	default:
		return false, &fileError{http.StatusBadRequest, fmt.Sprintf("%s is of a type that cannot be copied", header.Name)}
	}
}

func (u *unpacker) putDir(to string, mode os.FileMode, modified time.Time) error {
	if err := makeParents(to, u.owner); err != nil {
		return err
	}
	if to == u.dest && (u.there || u.mode == nil) {
		return nil
	}
	if err := own(to, u.owner); err != nil {
		return err
	}
	u.dirs = append(u.dirs, madeDir{to, modified})
	return os.Chmod(to, mode)
}

func (u *unpacker) putFile(to string, mode os.FileMode, modified time.Time, content io.Reader) error {
	file, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(file, content)
	if err == nil {
		err = own(to, u.owner)
	}
	if err == nil {
		err = file.Chmod(mode) // after chown, which clears bits
	}
	if closeErr := file.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = os.Chtimes(to, modified, modified)
	}
	return err
}
