// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/binary"
	"fmt"
	"io"
)

// The protocol between a guest and its host for a volume: frames of a big-endian length and that
// many bytes. The host starts with its version and a number for the connection, the epoch. Then the
// guest sends requests, and the host responds, not always in order. A request is identified by the
// epoch of the connection on which it was first sent and by its number there, so that the host
// recognises a repeated one.
const (
	volumeVersion   = 1
	maxVolumeFrame  = 1 << 20
	maxVolumeData   = 128 << 10
	volumeHelloSize = 12
	entryBytes      = 72
)

type volumeOp byte

const (
	opStat     volumeOp = 1
	opSet      volumeOp = 2
	opList     volumeOp = 3
	opRead     volumeOp = 4
	opWrite    volumeOp = 5
	opCreate   volumeOp = 6
	opMakeDir  volumeOp = 7
	opUnlink   volumeOp = 8
	opRemove   volumeOp = 9
	opRename   volumeOp = 10
	opSymlink  volumeOp = 11
	opReadLink volumeOp = 12
	opLink     volumeOp = 13
	opSync     volumeOp = 14
	opSpace    volumeOp = 15
	opHide     volumeOp = 16
)

// repeatable returns whether a request has the same effect however often it is executed.
func (op volumeOp) repeatable() bool {
	switch op {
	case opStat, opList, opRead, opReadLink, opSpace:
		return true
	}
	return false
}

// message is the body of a request while it is built.
type message []byte

func (m message) u8(v byte) message    { return append(m, v) }
func (m message) u32(v uint32) message { return binary.BigEndian.AppendUint32(m, v) }
func (m message) u64(v uint64) message { return binary.BigEndian.AppendUint64(m, v) }
func (m message) text(s string) message {
	return append(binary.BigEndian.AppendUint16(m, uint16(len(s))), s...)
}

// place says where a file is: at its path in the volume, or among the files that lost their names
// and are still open.
type place struct {
	hidden bool
	path   string
}

func (m message) place(p place) message {
	root := byte(0)
	if p.hidden {
		root = 1
	}
	return m.u8(root).text(p.path)
}

func readVolumeFrame(r io.Reader) ([]byte, error) {
	var head [4]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return nil, err
	}
	size := binary.BigEndian.Uint32(head[:])
	if size > maxVolumeFrame {
		return nil, fmt.Errorf("a frame of %d bytes", size)
	}
	body := make([]byte, size)
	_, err := io.ReadFull(r, body)
	return body, err
}

// volumeEntry is the host's description of a file.
type volumeEntry struct {
	identity, inode             uint64
	mode, links, uid, gid       uint32
	size, blocks                uint64
	accessed, modified, changed int64 // nanoseconds since 1970
}

func parseEntry(b []byte) (volumeEntry, bool) {
	if len(b) < entryBytes {
		return volumeEntry{}, false
	}
	u32, u64 := binary.BigEndian.Uint32, binary.BigEndian.Uint64
	return volumeEntry{
		identity: u64(b), inode: u64(b[8:]),
		mode: u32(b[16:]), links: u32(b[20:]), uid: u32(b[24:]), gid: u32(b[28:]),
		size: u64(b[32:]), blocks: u64(b[40:]),
		accessed: int64(u64(b[48:])), modified: int64(u64(b[56:])), changed: int64(u64(b[64:])),
	}, true
}
