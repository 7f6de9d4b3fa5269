// SPDX-License-Identifier: Apache-2.0

package main

import (
	"archive/tar"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"strings"
	"syscall"
)

// source is where an image's files are: a directory or an archive of one.
type source interface {
	// open answers errAbsent for what is not there.
	open(name string) (io.ReadCloser, int64, error)
	Close() error
}

var errAbsent = errors.New("absent")

const (
	maxArchiveEntries = 100_000
	maxLinks          = 8
)

func openSource(name string) (source, error) {
	// O_NONBLOCK: a pipe with nobody at its other end would keep us for ever.
	file, err := os.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		if errors.Is(err, os.ErrNotExist) {
			return nil, bad("name a directory or an archive on the host's machine", "%s does not exist", name)
		}
		if errors.Is(err, os.ErrPermission) {
			return nil, bad("let the host's user read it", "%s cannot be read", name)
		}
		return nil, err
	}
	info, err := file.Stat()
	if err != nil {
		file.Close()
		return nil, err
	}
	switch {
	case info.IsDir():
		return directory{file}, nil
	case info.Mode().IsRegular():
		a, err := indexArchive(file)
		if err != nil {
			file.Close()
			return nil, err
		}
		return a, nil
	}
	file.Close()
	return nil, bad("name a directory or an archive", "%s is neither a directory nor a file", name)
}

// directory is an image in a directory. No symbolic link in it is followed: whoever may put images
// there need not be one who may read all that the host may.
type directory struct{ root *os.File }

func (d directory) Close() error { return d.root.Close() }

func (d directory) open(name string) (io.ReadCloser, int64, error) {
	at := int(d.root.Fd())
	parts := strings.Split(name, "/")
	for i, part := range parts {
		if part == "" || part == "." || part == ".." {
			return nil, 0, errAbsent
		}
		flags := syscall.O_RDONLY | syscall.O_NOFOLLOW | syscall.O_CLOEXEC | syscall.O_NONBLOCK
		if i < len(parts)-1 {
			flags |= syscall.O_DIRECTORY
		}
		fd, err := syscall.Openat(at, part, flags, 0)
		if at != int(d.root.Fd()) {
			syscall.Close(at)
		}
		switch err {
		case nil:
		case syscall.ENOENT:
			return nil, 0, errAbsent
		case syscall.ELOOP, syscall.ENOTDIR:
			return nil, 0, bad("replace the link with a copy of its target", "%s in the image's directory is a link or not a directory", strings.Join(parts[:i+1], "/"))
		default:
			return nil, 0, fmt.Errorf("%s: %w", name, err)
		}
		at = fd
	}
	file := os.NewFile(uintptr(at), name)
	info, err := file.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = bad(makeAnew, "%s in the image's directory is not a file", name)
	}
	if err != nil {
		file.Close()
		return nil, 0, err
	}
	return file, info.Size(), nil
}

// archive is an image in a tar file: where each file begins, and the links between them.
type archive struct {
	file  *os.File
	files map[string]extent
	links map[string]string
}

type extent struct{ offset, size int64 }

func (a *archive) Close() error { return a.file.Close() }

func indexArchive(file *os.File) (*archive, error) {
	var magic [4]byte
	if _, err := file.ReadAt(magic[:], 0); err == nil {
		if kind := compressedBy(magic[:]); kind != "" {
			return nil, bad("decompress it first", "the archive %s itself is compressed, with %s", file.Name(), kind)
		}
	}
	a := &archive{file: file, files: map[string]extent{}, links: map[string]string{}}
	entries := tar.NewReader(file)
	for n := 0; ; n++ {
		header, err := entries.Next()
		if err == io.EOF {
			return a, nil
		}
		if err != nil || n == maxArchiveEntries {
			return nil, bad(makeAnew, "%s is not an image: neither a directory nor a complete tar archive", file.Name())
		}
		name := strings.TrimPrefix(path.Clean("/"+header.Name), "/")
		switch header.Typeflag {
		case tar.TypeReg, tar.TypeRegA:
			// The reader reads headers alone, block by block: here the contents begin.
			offset, err := file.Seek(0, io.SeekCurrent)
			if err != nil {
				return nil, err
			}
			a.files[name] = extent{offset, header.Size}
			delete(a.links, name)
		case tar.TypeSymlink:
			a.links[name] = strings.TrimPrefix(path.Clean("/"+path.Dir(name)+"/"+header.Linkname), "/")
			delete(a.files, name)
		case tar.TypeLink:
			a.links[name] = strings.TrimPrefix(path.Clean("/"+header.Linkname), "/")
			delete(a.files, name)
		}
	}
}

func (a *archive) open(name string) (io.ReadCloser, int64, error) {
	for i := 0; i < maxLinks; i++ {
		if e, ok := a.files[name]; ok {
			return io.NopCloser(io.NewSectionReader(a.file, e.offset, e.size)), e.size, nil
		}
		target, ok := a.links[name]
		if !ok {
			break
		}
		name = target
	}
	return nil, 0, errAbsent
}
