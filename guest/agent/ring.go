// SPDX-License-Identifier: Apache-2.0

package main

import "syscall"

const (
	ringBytes = 1 << 20
	// readChunk is how much space a reader is offered at once: half of a pipe's default capacity.
	readChunk = 32 << 10
)

// ring keeps the recent output of one stream. Offsets count bytes since the process started, so
// that readers can hold a position without knowing where in memory it lives.
//
// Its memory comes from mmap and not from the Go heap: it is untouched until output arrives, it
// goes back to the kernel the moment it is released, and the garbage collector never sees it.
// Whenever the ring runs empty, writing starts again at its first page: a process whose output is
// read promptly dirties a few pages, never the whole megabyte.
//
// A ring is guarded by the lock of the output it belongs to.
type ring struct {
	mem        []byte
	base       uint64 // offset of a byte that lies at mem[0]
	start, end uint64 // what is kept is [start, end)
}

func (r *ring) free() int { return ringBytes - int(r.end-r.start) }

func (r *ring) empty() bool { return r.start == r.end }

// reserve returns room for the next bytes. With evict it drops the oldest ones to make space;
// otherwise the caller ensures that there is some.
func (r *ring) reserve(evict bool) ([]byte, error) {
	if r.mem == nil {
		mem, err := syscall.Mmap(-1, 0, ringBytes, syscall.PROT_READ|syscall.PROT_WRITE,
			syscall.MAP_PRIVATE|syscall.MAP_ANON)
		if err != nil {
			return nil, err
		}
		r.mem = mem
	}
	if r.empty() {
		r.base = r.end
	}
	if lack := readChunk - r.free(); evict && lack > 0 {
		r.start += uint64(lack)
	}
	at := int((r.end - r.base) % ringBytes)
	n := min3(readChunk, r.free(), ringBytes-at)
	return r.mem[at : at+n : at+n], nil
}

// commit records that n bytes of the reserved space now hold output.
func (r *ring) commit(n int) { r.end += uint64(n) }

// view returns up to limit bytes at offset from, as far as they are contiguous.
func (r *ring) view(from uint64, limit int) []byte {
	at := int((from - r.base) % ringBytes)
	n := min3(limit, int(r.end-from), ringBytes-at)
	return r.mem[at : at+n]
}

func (r *ring) release() {
	if r.mem != nil {
		_ = syscall.Munmap(r.mem)
		r.mem = nil
	}
	r.start = r.end
}

func min3(a, b, c int) int {
	if b < a {
		a = b
	}
	if c < a {
		a = c
	}
	return a
}
