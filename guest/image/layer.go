// SPDX-License-Identifier: Apache-2.0

package main

import (
	"archive/tar"
	"bufio"
	"compress/gzip"
	"errors"
	"fmt"
	"hash"
	"io"
	"os/exec"
	"strings"
	"syscall"
)

const (
	whiteout      = ".wh."
	whiteoutOwn   = ".wh..wh."
	whiteoutAll   = ".wh..wh..opq"
	maxXattrBytes = 3500 // what fits beside its names in the one block that an inode has for them
	// What a layer may unpack to beside the disk's size: headers, and what is replaced again.
	layerSlackBytes = 16 << 20
)

// applyLayer changes the tree as the layer says, and fails when the layer is not the one that the
// image names.
func applyLayer(t *tree, from source, l layer, number int) error {
	file, size, err := from.open(l.file)
	if err == errAbsent {
		return bad(makeAnew, "layer %d (%.100s) is missing in the image", number, l.file)
	}
	if err != nil {
		return err
	}
	defer file.Close()
	if l.size >= 0 && size != l.size {
		return bad(makeAnew, "layer %d (%s) has %d bytes instead of %d", number, l.is, size, l.size)
	}
	var raw io.Reader = file
	var is hash.Hash
	if l.is != "" {
		is = l.is.hash()
		raw = io.TeeReader(file, is)
	}
	err = readLayer(t, raw, l, number)
	var p *problem
	if err != nil && !errors.As(err, &p) {
		return err
	}
	// Also after a failure: that a layer is damaged explains whatever else is wrong with it.
	if is != nil {
		if _, draining := io.Copy(io.Discard, raw); draining != nil {
			return draining
		}
		if !l.is.matches(is) {
			return bad(makeAnew, "layer %d (%s) is damaged: its digest does not match", number, l.is)
		}
	}
	return err
}

func readLayer(t *tree, raw io.Reader, l layer, number int) error {
	buffered := bufio.NewReaderSize(raw, 1<<17)
	plain, finish, err := decompressed(buffered, number)
	if err != nil {
		return err
	}
	holds := l.holds.hash()
	counted := &capped{from: io.TeeReader(plain, holds), left: t.limit + layerSlackBytes, number: number}
	err = applyEntries(t, tar.NewReader(counted), number)
	if err == nil {
		_, err = io.Copy(io.Discard, counted)
	}
	if counted.left <= 0 {
		err = t.tooLarge(t.limit + layerSlackBytes)
	}
	if closing := finish(err != nil); err == nil {
		err = closing
	}
	var p *problem
	switch {
	case err == nil && !l.holds.matches(holds):
		return bad(makeAnew, "the uncompressed content of layer %d does not match the image's configuration", number)
	case err == nil || errors.As(err, &p) || errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT):
		return err
	}
	return bad(makeAnew, "layer %d cannot be read to its end: %v", number, err)
}

// tellBytes is how often a layer tells how far it is.
const tellBytes = 64 << 20

// capped ends after so many bytes, which nothing that fits can reach.
type capped struct {
	from   io.Reader
	left   int64
	done   int64
	number int
}

func (c *capped) Read(into []byte) (int, error) {
	if c.left <= 0 {
		return 0, io.ErrUnexpectedEOF
	}
	n, err := c.from.Read(into)
	c.left -= int64(n)
	if c.done += int64(n); c.done/tellBytes > (c.done-int64(n))/tellBytes {
		fmt.Printf("layer %d: %d MiB\n", c.number, c.done>>20)
	}
	return n, err
}

// decompressed reads what is in the layer's file. finish tells whether that could be read whole;
// it may be given up before.
func decompressed(from *bufio.Reader, number int) (io.Reader, func(givenUp bool) error, error) {
	magic, _ := from.Peek(4)
	nothing := func(bool) error { return nil }
	switch compression := compressedBy(magic); compression {
	case "":
		return from, nothing, nil
	case "gzip":
		plain, err := gzip.NewReader(from)
		if err != nil {
			return nil, nil, bad(makeAnew, "layer %d is damaged: %v", number, err)
		}
		return plain, nothing, nil
	case "zstd":
		return byZstd(from)
	default:
		return nil, nil, bad("create the image with layers that are uncompressed or compressed with gzip or zstd", "layer %d is compressed with %s", number, compression)
	}
}

func byZstd(from io.Reader) (io.Reader, func(bool) error, error) {
	program, err := exec.LookPath("zstd")
	if err != nil {
		return nil, nil, bad("install zstd on the host (apt-get install zstd), or create the image with layers compressed with gzip",
			"the image's layers are compressed with zstd, which is not installed on the host")
	}
	command := exec.Command(program, "-dcq")
	command.Stdin = from
	command.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	plain, err := command.StdoutPipe()
	if err == nil {
		err = command.Start()
	}
	if err != nil {
		return nil, nil, err
	}
	return plain, func(givenUp bool) error {
		if givenUp {
			_ = command.Process.Kill()
		}
		return command.Wait()
	}, nil
}

func applyEntries(t *tree, entries *tar.Reader, number int) error {
	for {
		header, err := entries.Next()
		if err == io.EOF {
			return nil
		}
		if err == nil && header.Typeflag != tar.TypeXGlobalHeader {
			err = applyEntry(t, header, entries, number)
		}
		if err != nil {
			return err
		}
	}
}

func applyEntry(t *tree, header *tar.Header, contents io.Reader, number int) error {
	parts, err := split(header.Name)
	if err != nil {
		return err
	}
	if len(parts) > 0 && strings.HasPrefix(parts[len(parts)-1], whiteout) {
		return applyWhiteout(t, parts)
	}
	if header.Typeflag == tar.TypeLink {
		return applyHardLink(t, parts, header)
	}
	i, err := inodeOf(header, number)
	if err != nil {
		return err
	}
	if i.kind == fileKind {
		if err := t.fill(i, header.Size, contents); err != nil {
			t.forget(i)
			return err
		}
	}
	_, err = t.put(parts, i)
	return err
}

func applyWhiteout(t *tree, parts []string) error {
	last := len(parts) - 1
	parent, err := t.walk(parts[:last], false)
	if parent == nil || err != nil {
		return err
	}
	name := parts[last]
	if strings.HasPrefix(name, whiteoutOwn) {
		if name == whiteoutAll {
			t.hide(parent)
		}
		return nil // notes of a file system to itself
	}
	gone := parent.children[strings.TrimPrefix(name, whiteout)]
	switch {
	case gone == nil:
	case gone.touched < t.layer:
		t.drop(gone)
	default:
		t.hide(gone)
	}
	return nil
}

func applyHardLink(t *tree, parts []string, header *tar.Header) error {
	target, err := split(header.Linkname)
	if err != nil {
		return err
	}
	to, err := t.at(target)
	if err != nil {
		return err
	}
	if to == nil || to.kind == directoryKind {
		return bad(notOurs, "the image has a hard link %q to %q, which does not exist or is a directory", header.Name, header.Linkname)
	}
	if from, err := t.at(parts); err != nil || from == to {
		return err
	}
	_, err = t.put(parts, to.inode)
	return err
}

var kinds = map[byte]kind{
	tar.TypeReg: fileKind, tar.TypeRegA: fileKind, tar.TypeCont: fileKind, tar.TypeGNUSparse: fileKind,
	tar.TypeDir: directoryKind, tar.TypeSymlink: symlinkKind,
	tar.TypeChar: charKind, tar.TypeBlock: blockKind, tar.TypeFifo: pipeKind,
}

func inodeOf(header *tar.Header, number int) (*inode, error) {
	k, known := kinds[header.Typeflag]
	if !known {
		return nil, bad(makeAnew, "layer %d has %q of the unknown type %q", number, header.Name, header.Typeflag)
	}
	i := &inode{kind: k, mode: uint32(header.Mode) & 0o7777, mtime: header.ModTime.Unix()}
	if header.Uid < 0 || header.Gid < 0 || int64(header.Uid) > 1<<32-2 || int64(header.Gid) > 1<<32-2 {
		return nil, bad(notOurs, "%q belongs to an invalid user or group id", header.Name)
	}
	i.uid, i.gid = uint32(header.Uid), uint32(header.Gid)
	// A file system that counts seconds in 32 bits is what debugfs(8) knows.
	if i.mtime < 0 {
		i.mtime = 0
	} else if i.mtime > 1<<31-1 {
		i.mtime = 1<<31 - 1
	}
	switch k {
	case symlinkKind:
		i.target = header.Linkname
		if i.target == "" || len(i.target) > maxPathBytes {
			return nil, bad(notOurs, "the symbolic link %q has a target of %d bytes", header.Name, len(i.target))
		}
	case charKind, blockKind:
		if header.Devmajor < 0 || header.Devmajor > 4095 || header.Devminor < 0 || header.Devminor > 1<<20-1 {
			return nil, bad(notOurs, "the device %q has an invalid number", header.Name)
		}
		i.major, i.minor = uint32(header.Devmajor), uint32(header.Devminor)
	}
	return i, addXattrs(i, header)
}

// addXattrs takes the extended attributes that mean something in a guest.
func addXattrs(i *inode, header *tar.Header) error {
	const prefix = "SCHILY.xattr."
	bytes := 0
	for key, value := range header.PAXRecords {
		name := strings.TrimPrefix(key, prefix)
		if name == key || !(strings.HasPrefix(name, "user.") || strings.HasPrefix(name, "trusted.") || name == "security.capability" ||
			name == "system.posix_acl_access" || name == "system.posix_acl_default") {
			continue
		}
		if i.xattrs == nil {
			i.xattrs = map[string]string{}
		}
		i.xattrs[name] = value
		bytes += len(name) + len(value) + 20
	}
	if bytes > maxXattrBytes {
		return bad(notOurs, "%q has %d bytes of extended attributes; the disk's file system has room for %d", header.Name, bytes, maxXattrBytes)
	}
	return nil
}
