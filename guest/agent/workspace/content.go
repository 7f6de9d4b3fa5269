// SPDX-License-Identifier: Apache-2.0

package workspace

import (
	"bytes"
	"context"
	"crypto/sha512"
	"encoding/binary"
	"hash"
	"syscall"
)

// blockBytes is the unit in which a file's content is read.
const blockBytes = 64 << 10

var zeros [blockBytes]byte

// contentHash computes the digest of a file's bytes: SHA-512/256 of the number (8 bytes, big endian)
// and the bytes of each block that is not all zero, and of the file's size (8 bytes) at the end. So
// a hole costs nothing, and a file has the digest of its copy in which the zeros are written.
//
// SHA-512/256, because a user of the guest must not be able to make two files that look equal, and
// because it is the fastest such hash of the standard library on a 64-bit processor without special
// instructions: emulated processors have none for SHA-256.
type contentHash struct {
	hash  hash.Hash
	block [blockBytes]byte
	used  int
	at    int64 // of the block's first byte
}

func newContentHash() *contentHash { return &contentHash{hash: sha512.New512_256()} }

func (c *contentHash) reset() {
	c.hash.Reset()
	c.used, c.at = 0, 0
}

// Write adds bytes that follow those before. It never fails.
func (c *contentHash) Write(bytes []byte) (int, error) {
	for rest := bytes; len(rest) > 0; {
		n := copy(c.block[c.used:], rest)
		c.used += n
		rest = rest[n:]
		if c.used == blockBytes {
			c.endBlock()
		}
	}
	return len(bytes), nil
}

func (c *contentHash) endBlock() {
	if !bytes.Equal(c.block[:c.used], zeros[:c.used]) {
		c.number(c.at / blockBytes)
		c.hash.Write(c.block[:c.used])
	}
	c.at += int64(c.used)
	c.used = 0
}

func (c *contentHash) number(n int64) {
	var b [8]byte
	binary.BigEndian.PutUint64(b[:], uint64(n))
	c.hash.Write(b[:])
}

// sum returns the digest, and the number of bytes.
func (c *contentHash) sum() (d digest, size int64) {
	c.endBlock()
	c.number(c.at)
	c.hash.Sum(d[:0])
	return d, c.at
}

// file computes the digest of an open file. Of a file that shrinks meanwhile, it covers the bytes
// that are left; of a file that grows, only the first size bytes.
func (c *contentHash) file(ctx context.Context, fd int, size int64) (digest, int64, error) {
	c.reset()
	hole := size > blockBytes // whether one may begin here
	for c.at < size {
		if hole {
			data, err := syscall.Seek(fd, c.at, seekData)
			if err == syscall.ENXIO {
				c.at = size // nothing but a hole
				break
			}
			if err == nil && data > c.at {
				if data > size {
					data = size
				}
				if c.at = data / blockBytes * blockBytes; c.at >= size {
					break
				}
			}
		}
		if err := ctx.Err(); err != nil {
			return digest{}, 0, err
		}
		want := int64(blockBytes)
		if size-c.at < want {
			want = size - c.at
		}
		n, err := readFull(fd, c.block[:want], c.at)
		if err != nil {
			return digest{}, 0, err
		}
		c.used = n
		hole = bytes.Equal(c.block[:n], zeros[:n])
		c.endBlock()
		if int64(n) < want {
			break
		}
	}
	d, size := c.sum()
	return d, size, nil
}

func readFull(fd int, buffer []byte, at int64) (int, error) {
	done := 0
	for done < len(buffer) {
		n, err := syscall.Pread(fd, buffer[done:], at+int64(done))
		if err == syscall.EINTR {
			continue
		}
		if err != nil {
			return done, err
		}
		if n == 0 {
			break
		}
		done += n
	}
	return done, nil
}
