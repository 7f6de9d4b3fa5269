// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"testing"
)

func fill(t *testing.T, r *ring, evict bool, value byte, total int) {
	t.Helper()
	for total > 0 {
		room, err := r.reserve(evict)
		if err != nil {
			t.Fatal(err)
		}
		if len(room) > total {
			room = room[:total]
		}
		for i := range room {
			room[i] = value
		}
		r.commit(len(room))
		total -= len(room)
	}
}

func TestRingForgetsTheOldest(t *testing.T) {
	var r ring
	defer r.release()
	fill(t, &r, true, 'a', ringBytes)
	fill(t, &r, true, 'b', 100000)
	if kept := int(r.end - r.start); kept > ringBytes || kept < ringBytes-readChunk {
		t.Fatalf("%d bytes kept", kept)
	}
	var got []byte
	for at := r.start; at < r.end; {
		part := r.view(at, 7777)
		got = append(got, part...)
		at += uint64(len(part))
	}
	if want := append(bytes.Repeat([]byte("a"), len(got)-100000), bytes.Repeat([]byte("b"), 100000)...); !bytes.Equal(got, want) {
		t.Fatal("the newest bytes are not in order")
	}
}

func TestAnEmptyRingStartsAtItsFirstPage(t *testing.T) {
	var r ring
	defer r.release()
	first, err := r.reserve(false)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < 100; i++ {
		fill(t, &r, false, 'x', 5000)
		r.start = r.end
	}
	again, err := r.reserve(false)
	if err != nil {
		t.Fatal(err)
	}
	if &first[0] != &again[0] || len(again) != readChunk {
		t.Error("the ring wandered although everything was read")
	}
}

func TestAReleasedRingHoldsNoMemory(t *testing.T) {
	var r ring
	fill(t, &r, false, 'x', 10)
	r.release()
	r.release()
	if r.mem != nil || !r.empty() {
		t.Error("still there")
	}
}
