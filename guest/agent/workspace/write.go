// SPDX-License-Identifier: Apache-2.0

package workspace

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path"
	"strings"
	"syscall"
	"unsafe"
)

// refusal is an error with its HTTP status.
type refusal struct {
	status  int
	message string
}

func (e *refusal) Error() string { return e.message }

func refuse(status int, format string, args ...interface{}) error {
	return &refusal{status, fmt.Sprintf(format, args...)}
}

const mostPath = 4096 // PATH_MAX

// checkPath accepts a relative path without empty parts, "." and "..". A name that only contains
// dots, such as "a..b", is a name.
func checkPath(p string) error {
	if p == "" || len(p) >= mostPath {
		return refuse(http.StatusBadRequest, "path: must have 1 to %d bytes", mostPath-1)
	}
	if strings.IndexByte(p, 0) >= 0 {
		return refuse(http.StatusBadRequest, "path: must not contain a NUL byte")
	}
	for _, name := range strings.Split(p, "/") {
		if name == "" || name == "." || name == ".." {
			return refuse(http.StatusBadRequest, "path %q: must be relative to the workspace, without empty parts, . and ..", p)
		}
		if len(name) > 255 {
			return refuse(http.StatusBadRequest, "path: a name must have at most 255 bytes")
		}
	}
	return nil
}

// parentOf opens the directory of a path beneath an open root, and returns it and the last name.
func parentOf(root int, p string) (int, string, error) {
	if err := checkPath(p); err != nil {
		return -1, "", err
	}
	fd, err := openBeneath(root, path.Dir(p), syscall.O_RDONLY|syscall.O_DIRECTORY)
	if err != nil {
		return -1, "", pathError(path.Dir(p), err)
	}
	return fd, path.Base(p), nil
}

// pathError explains the errors of a path that depend on the tree.
func pathError(p string, err error) error {
	switch {
	case errors.Is(err, syscall.ENOENT):
		return refuse(http.StatusNotFound, "%q does not exist", p)
	case errors.Is(err, syscall.ELOOP), errors.Is(err, syscall.EXDEV):
		return refuse(http.StatusConflict, "%q leads through a symbolic link: nothing is read or written there", p)
	case errors.Is(err, syscall.ENOTDIR):
		return refuse(http.StatusConflict, "%q is not a directory", p)
	case errors.Is(err, syscall.EISDIR):
		return refuse(http.StatusConflict, "%q is a directory: delete it first", p)
	case errors.Is(err, syscall.ENOTEMPTY):
		return refuse(http.StatusConflict, "%q is not empty", p)
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return refuse(http.StatusInsufficientStorage, "%q: no space left in the guest", p)
	case errors.Is(err, syscall.EROFS), errors.Is(err, syscall.EPERM):
		return refuse(http.StatusConflict, "%q: %v", p, err)
	}
	return fmt.Errorf("%q: %w", p, err)
}

// look reads one entry with its content's digest and its attributes; nil if there is none.
func look(ctx context.Context, dir int, name string, hash *contentHash) (*record, map[string][]byte, error) {
	var stat syscall.Stat_t
	if err := statName(dir, name, &stat); errors.Is(err, syscall.ENOENT) {
		return nil, nil, nil
	} else if err != nil {
		return nil, nil, err
	}
	r := recordOf(&stat)
	var values map[string][]byte
	var err error
	switch r.kind {
	case kindLink:
		r.target, err = readLink(dir, name)
	case kindFile, kindDirectory:
		var fd int
		if fd, err = openName(dir, name, syscall.O_RDONLY); err != nil {
			break
		}
		defer syscall.Close(fd)
		if err = syscall.Fstat(fd, &stat); err != nil {
			break
		}
		if again := recordOf(&stat); again.kind != r.kind {
			return nil, nil, refuse(http.StatusConflict, "%q was replaced while it was read", name)
		} else {
			r = again
		}
		if values, err = attributesOf(fd); err != nil {
			break
		}
		r.attributes = digestOfAttributes(values)
		if r.kind == kindFile {
			r.content, r.size, err = hash.file(ctx, fd, stat.Size)
		}
	}
	return r, values, err
}

// alike reports whether writing one record over the other would change nothing.
func alike(a, b *record) bool {
	return differences(a, b) == nil && a.modified == b.modified
}

// write makes an entry what a request says, by a temporary name that replaces the old entry in one
// step. It reports whether it changed anything.
func write(ctx context.Context, root int, want *entry, body io.Reader) (bool, error) {
	p, err := bytesOf(want.Path, want.Path64)
	if err != nil {
		return false, err
	}
	dir, name, err := parentOf(root, p)
	if err != nil {
		return false, err
	}
	defer syscall.Close(dir)
	target, err := bytesOf(want.Target, want.Target64)
	if err != nil {
		return false, err
	}
	fresh := &record{kind: want.Kind, mode: want.Mode & 0o7777, uid: want.UID, gid: want.GID, modified: want.Modified,
		attributes: digestOfAttributes(want.Values)}
	w := writer{ctx: ctx, dir: dir, name: name, fresh: fresh, values: want.Values, hash: newContentHash()}
	var changed bool
	switch want.Kind {
	case kindFile:
		changed, err = w.file(want.Size, body)
	case kindDirectory:
		changed, err = w.directory()
	case kindLink:
		if target == "" || len(target) >= mostPath || strings.IndexByte(target, 0) >= 0 {
			return false, refuse(http.StatusBadRequest, "target: a symbolic link needs one of 1 to %d bytes without NUL", mostPath-1)
		}
		fresh.target, fresh.mode = target, 0o777
		changed, err = w.byName(func(temporary string) error {
			return linkTo(target, dir, temporary)
		})
	case kindPipe:
		changed, err = w.byName(func(temporary string) error {
			return syscall.Mknodat(dir, temporary, syscall.S_IFIFO|0o600, 0)
		})
	default:
		return false, refuse(http.StatusBadRequest, "kind: %q cannot be written back; only file, directory, link and pipe can", want.Kind)
	}
	var known *refusal
	if err != nil && !errors.As(err, &known) {
		err = pathError(p, err)
	}
	return changed, err
}

func bytesOf(plain, encoded string) (string, error) {
	if encoded == "" {
		return plain, nil
	}
	raw, err := decode64(encoded)
	if err != nil {
		return "", refuse(http.StatusBadRequest, "a path is not in base64: %v", err)
	}
	return raw, nil
}

func errorOf(errno syscall.Errno) error {
	if errno != 0 {
		return errno
	}
	return nil
}

// writer writes one entry of an open directory.
type writer struct {
	ctx    context.Context
	dir    int
	name   string
	fresh  *record
	values map[string][]byte
	hash   *contentHash
}

// temporary is a name that nothing else uses.
func temporary() string {
	var random [12]byte
	_, _ = rand.Read(random[:])
	return ownPrefix + hex.EncodeToString(random[:])
}

// file always makes a new file: one that is changed in place may have another name outside.
func (w *writer) file(size int64, body io.Reader) (bool, error) {
	if size < 0 {
		return false, refuse(http.StatusBadRequest, "size: must not be negative")
	}
	fd, hidden, err := w.createFile()
	if err != nil {
		return false, err
	}
	defer syscall.Close(fd)
	remove := hidden
	defer func() {
		if remove != "" {
			_ = syscall.Unlinkat(w.dir, remove)
		}
	}()
	if err := w.fill(fd, size, body); err != nil {
		return false, err
	}
	old, _, err := look(w.ctx, w.dir, w.name, newContentHash())
	if err != nil {
		return false, err
	}
	if old != nil && alike(old, w.fresh) {
		return false, nil
	}
	if old != nil && old.kind == kindDirectory {
		return false, syscall.EISDIR
	}
	if err := w.finish(fd); err != nil {
		return false, err
	}
	if err := syscall.Fsync(fd); err != nil {
		return false, err
	}
	if hidden == "" {
		remove = temporary()
		if err := link(fd, w.dir, remove); err != nil {
			return false, err
		}
	}
	if err := syscall.Renameat(w.dir, remove, w.dir, w.name); err != nil {
		return false, err
	}
	remove = ""
	return true, syscall.Fsync(w.dir)
}

// createFile makes a file without a name, so that nothing is left if this process is killed; with a
// temporary one where the file system has no such files.
func (w *writer) createFile() (int, string, error) {
	fd, err := syscall.Openat(w.dir, ".", oTmpfile|syscall.O_RDWR|syscall.O_CLOEXEC, 0o600)
	if err == nil {
		return fd, "", nil
	}
	if !errors.Is(err, syscall.EOPNOTSUPP) && !errors.Is(err, syscall.EISDIR) {
		return -1, "", err
	}
	name := temporary()
	fd, err = syscall.Openat(w.dir, name, syscall.O_CREAT|syscall.O_EXCL|syscall.O_RDWR|syscall.O_NOFOLLOW|syscall.O_CLOEXEC, 0o600)
	return fd, name, err
}

// fill writes the content, with holes for zeros, and notes its digest.
func (w *writer) fill(fd int, size int64, body io.Reader) error {
	if err := syscall.Ftruncate(fd, size); errors.Is(err, syscall.EFBIG) || errors.Is(err, syscall.EINVAL) {
		return refuse(http.StatusBadRequest, "size: the file system takes no file of %d bytes", size)
	} else if err != nil {
		return err
	}
	var buffer [blockBytes]byte
	for at := int64(0); at < size; {
		want := int64(len(buffer))
		if size-at < want {
			want = size - at
		}
		n, err := io.ReadFull(body, buffer[:want])
		if err != nil {
			return refuse(http.StatusBadRequest, "the content ended after %d of %d bytes", at+int64(n), size)
		}
		_, _ = w.hash.Write(buffer[:n])
		if string(buffer[:n]) != string(zeros[:n]) {
			if err := writeFull(fd, buffer[:n], at); err != nil {
				return err
			}
		}
		at += int64(n)
	}
	var more [1]byte
	if n, _ := io.ReadFull(body, more[:]); n > 0 {
		return refuse(http.StatusBadRequest, "the content has more than %d bytes", size)
	}
	w.fresh.content, w.fresh.size = w.hash.sum()
	return nil
}

func writeFull(fd int, bytes []byte, at int64) error {
	for len(bytes) > 0 {
		n, err := syscall.Pwrite(fd, bytes, at)
		if err == syscall.EINTR {
			continue
		}
		if err != nil {
			return err
		}
		bytes, at = bytes[n:], at+int64(n)
	}
	return nil
}

// finish sets everything but the content. The owner comes first, because its change takes away
// set-user-ID and capabilities.
func (w *writer) finish(fd int) error {
	if err := syscall.Fchown(fd, int(w.fresh.uid), int(w.fresh.gid)); err != nil {
		return err
	}
	has, err := attributesOf(fd)
	if err != nil {
		return err
	}
	for name := range has {
		if _, stays := w.values[name]; !stays {
			text, err := syscall.BytePtrFromString(name)
			if err != nil {
				return err
			}
			if _, _, errno := syscall.Syscall(syscall.SYS_FREMOVEXATTR, uintptr(fd), uintptr(unsafe.Pointer(text)), 0); errno != 0 && errno != syscall.ENODATA {
				return errno
			}
		}
	}
	for name, value := range w.values {
		if err := setAttribute(fd, name, value); err != nil {
			return refuse(http.StatusConflict, "the attribute %q of %q cannot be set: %v", name, w.name, err)
		}
	}
	if err := syscall.Fchmod(fd, w.fresh.mode); err != nil {
		return err
	}
	return setTime(fd, "", w.fresh.modified)
}

func setAttribute(fd int, name string, value []byte) error {
	text, err := syscall.BytePtrFromString(name)
	if err != nil {
		return err
	}
	var at unsafe.Pointer
	if len(value) > 0 {
		at = unsafe.Pointer(&value[0])
	}
	_, _, errno := syscall.Syscall6(syscall.SYS_FSETXATTR, uintptr(fd), uintptr(unsafe.Pointer(text)), uintptr(at), uintptr(len(value)), 0, 0)
	return errorOf(errno)
}

// directory makes a directory, or gives an existing one its mode, owner, time and attributes.
func (w *writer) directory() (bool, error) {
	old, _, err := look(w.ctx, w.dir, w.name, w.hash)
	if err != nil {
		return false, err
	}
	if old != nil && alike(old, w.fresh) {
		return false, nil
	}
	if old != nil && old.kind != kindDirectory {
		return false, refuse(http.StatusConflict, "%q is not a directory: delete it first", w.name)
	}
	if old == nil {
		if err := syscall.Mkdirat(w.dir, w.name, 0o700); err != nil {
			return false, err
		}
	}
	fd, err := openName(w.dir, w.name, syscall.O_RDONLY|syscall.O_DIRECTORY)
	if err != nil {
		return false, err
	}
	defer syscall.Close(fd)
	if err := w.finish(fd); err != nil {
		return false, err
	}
	return true, syscall.Fsync(w.dir)
}

// byName makes an entry that cannot be without a name.
func (w *writer) byName(make func(string) error) (bool, error) {
	old, _, err := look(w.ctx, w.dir, w.name, w.hash)
	if err != nil {
		return false, err
	}
	if old != nil && alike(old, w.fresh) {
		return false, nil
	}
	if old != nil && old.kind == kindDirectory {
		return false, syscall.EISDIR
	}
	name := temporary()
	if err := make(name); err != nil {
		return false, err
	}
	err = syscall.Fchownat(w.dir, name, int(w.fresh.uid), int(w.fresh.gid), atSymlinkNoFollow)
	if err == nil && w.fresh.kind == kindPipe {
		err = w.pipeMode(name)
	}
	if err == nil {
		err = setTime(w.dir, name, w.fresh.modified)
	}
	if err == nil {
		err = syscall.Renameat(w.dir, name, w.dir, w.name)
	}
	if err != nil {
		_ = syscall.Unlinkat(w.dir, name)
		return false, err
	}
	return true, syscall.Fsync(w.dir)
}

// pipeMode goes by the open file, because chmod follows links.
func (w *writer) pipeMode(name string) error {
	fd, err := openName(w.dir, name, syscall.O_RDWR)
	if err != nil {
		return err
	}
	defer syscall.Close(fd)
	var stat syscall.Stat_t
	if err := syscall.Fstat(fd, &stat); err != nil || kindOf(stat.Mode) != kindPipe {
		return refuse(http.StatusConflict, "%q was replaced while it was written", w.name)
	}
	return syscall.Fchmod(fd, w.fresh.mode)
}

// remove deletes one entry; a directory must be empty. It reports whether there was one.
func remove(root int, p string) (bool, error) {
	dir, name, err := parentOf(root, p)
	var known *refusal
	if errors.As(err, &known) && known.status == http.StatusNotFound {
		return false, nil // and no directory for it either
	}
	if err != nil {
		return false, err
	}
	defer syscall.Close(dir)
	err = syscall.Unlinkat(dir, name)
	if errors.Is(err, syscall.EISDIR) {
		err = atCall(syscall.SYS_UNLINKAT, dir, name, 0x200 /* AT_REMOVEDIR */, 0)
	}
	if errors.Is(err, syscall.ENOENT) {
		return false, nil
	}
	if err != nil {
		return false, pathError(p, err)
	}
	return true, os.NewSyscallError("fsync", syscall.Fsync(dir))
}
