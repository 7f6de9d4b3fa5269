// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/binary"
	"syscall"
)

// The kernel's file system protocol, <linux/fuse.h>, version 7.31. Numbers are in the machine's
// byte order, which is little-endian on all platforms of the agent.
const (
	fuseMajor = 7
	fuseMinor = 31

	fuseLookup      = 1
	fuseForget      = 2
	fuseGetattr     = 3
	fuseSetattr     = 4
	fuseReadlink    = 5
	fuseSymlink     = 6
	fuseMknod       = 8
	fuseMkdir       = 9
	fuseUnlink      = 10
	fuseRmdir       = 11
	fuseRename      = 12
	fuseLink        = 13
	fuseOpen        = 14
	fuseRead        = 15
	fuseWrite       = 16
	fuseStatfs      = 17
	fuseRelease     = 18
	fuseFsync       = 20
	fuseFlush       = 25
	fuseInit        = 26
	fuseOpendir     = 27
	fuseReaddir     = 28
	fuseReleasedir  = 29
	fuseFsyncdir    = 30
	fuseCreate      = 35
	fuseInterrupt   = 36
	fuseDestroy     = 38
	fuseBatchForget = 42
	fuseRename2     = 45

	fuseAsyncRead     = 1 << 0
	fuseBigWrites     = 1 << 5
	fuseAutoInval     = 1 << 12
	fuseParallelDirop = 1 << 18
	fuseMaxPages      = 1 << 22

	fuseInHeader  = 40
	fuseOutHeader = 16
	renameNoRepl  = 1
)

var le = binary.LittleEndian

// fuseRequest is one message from the kernel.
type fuseRequest struct {
	opcode   uint32
	unique   uint64
	node     uint64
	uid, gid uint32
	body     []byte
}

func parseFuse(b []byte) (fuseRequest, bool) {
	if len(b) < fuseInHeader || int(le.Uint32(b)) != len(b) {
		return fuseRequest{}, false
	}
	return fuseRequest{
		opcode: le.Uint32(b[4:]), unique: le.Uint64(b[8:]), node: le.Uint64(b[16:]),
		uid: le.Uint32(b[24:]), gid: le.Uint32(b[28:]), body: b[fuseInHeader:],
	}, true
}

// fuseAnswer is the response to a request, with an error or a body.
func fuseAnswer(unique uint64, errno syscall.Errno, body []byte) []byte {
	if errno != 0 {
		body = nil
	}
	b := make([]byte, fuseOutHeader, fuseOutHeader+len(body))
	le.PutUint32(b, uint32(fuseOutHeader+len(body)))
	le.PutUint32(b[4:], uint32(-int32(errno)))
	le.PutUint64(b[8:], unique)
	return append(b, body...)
}

// fuseAttr is a struct fuse_attr.
func fuseAttr(b []byte, e volumeEntry) []byte {
	seconds := func(nanos int64) (uint64, uint32) {
		s, n := nanos/1e9, nanos%1e9
		if n < 0 {
			s, n = s-1, n+1e9
		}
		return uint64(s), uint32(n)
	}
	atime, atimeNanos := seconds(e.accessed)
	mtime, mtimeNanos := seconds(e.modified)
	ctime, ctimeNanos := seconds(e.changed)
	for _, v := range []uint64{e.inode, e.size, e.blocks, atime, mtime, ctime} {
		b = le.AppendUint64(b, v)
	}
	for _, v := range []uint32{atimeNanos, mtimeNanos, ctimeNanos, e.mode, e.links, e.uid, e.gid, 0, 4096, 0} {
		b = le.AppendUint32(b, v)
	}
	return b
}

// fuseEntryOut is a struct fuse_entry_out. The kernel may cache none of it, because others change
// the volume too.
func fuseEntryOut(node uint64, e volumeEntry) []byte {
	b := le.AppendUint64(make([]byte, 0, 128+16), node)
	return fuseAttr(append(b, make([]byte, 32)...), e)
}

// fuseAttrOut is a struct fuse_attr_out, which the kernel may not cache either.
func fuseAttrOut(e volumeEntry) []byte {
	return fuseAttr(make([]byte, 16, 104), e)
}

// fuseOpenOut is a struct fuse_open_out.
func fuseOpenOut(b []byte, handle uint64) []byte {
	return append(le.AppendUint64(b, handle), make([]byte, 8)...)
}

// fuseInitOut is the response to the first message.
func fuseInitOut(body []byte) ([]byte, syscall.Errno) {
	if len(body) < 16 || le.Uint32(body) != fuseMajor {
		return nil, syscall.EPROTO
	}
	ahead := le.Uint32(body[8:])
	if ahead > maxVolumeData {
		ahead = maxVolumeData
	}
	flags := le.Uint32(body[12:]) & (fuseAsyncRead | fuseBigWrites | fuseAutoInval | fuseParallelDirop | fuseMaxPages)
	b := make([]byte, 64)
	le.PutUint32(b, fuseMajor)
	le.PutUint32(b[4:], fuseMinor)
	le.PutUint32(b[8:], ahead)
	le.PutUint32(b[12:], flags)
	le.PutUint16(b[16:], 16) // requests in the background
	le.PutUint16(b[18:], 12)
	le.PutUint32(b[20:], maxVolumeData)
	le.PutUint32(b[24:], 1) // times are exact to the nanosecond
	le.PutUint16(b[28:], maxVolumeData/4096)
	return b, 0
}

// texts splits a body into strings, each of which ends with a zero.
func texts(b []byte, count int) ([]string, bool) {
	var all []string
	start := 0
	for i, c := range b {
		if c == 0 && len(all) < count {
			all = append(all, string(b[start:i]))
			start = i + 1
		}
	}
	return all, len(all) == count
}
