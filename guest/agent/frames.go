// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"net/http"
	"sync"
)

// dataChunk is the number of output bytes in one message: a multiple of three, so that base64 needs
// no padding, and small enough to keep a buffer for it.
const dataChunk = 24 << 10

var frameBuffers = sync.Pool{New: func() interface{} {
	b := make([]byte, 0, frameHeader+64+base64.StdEncoding.EncodedLen(dataChunk))
	return &b
}}

// frameWriter writes the messages of a stream, each flushed at once.
type frameWriter struct {
	to    http.ResponseWriter
	flush func()
	buf   []byte
	pool  *[]byte
}

func startStream(w http.ResponseWriter) *frameWriter {
	w.Header().Set("Content-Type", "application/connect+json")
	w.WriteHeader(http.StatusOK)
	f := &frameWriter{to: w, flush: func() {}, pool: frameBuffers.Get().(*[]byte)}
	f.buf = *f.pool
	if flusher, ok := w.(http.Flusher); ok {
		f.flush = flusher.Flush
	}
	return f
}

func (f *frameWriter) release() { frameBuffers.Put(f.pool) }

// begin returns the buffer with space for the header before the message.
func (f *frameWriter) begin() []byte { return append(f.buf[:0], 0, 0, 0, 0, 0) }

func (f *frameWriter) send(flags byte, frame []byte) error {
	frame[0] = flags
	binary.BigEndian.PutUint32(frame[1:], uint32(len(frame)-frameHeader))
	_, err := f.to.Write(frame)
	f.flush()
	return err
}

func (f *frameWriter) message(v interface{}) error {
	body, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return f.send(0, append(f.begin(), body...))
}

// encodeData encodes a data event by hand, because these events are by far the most frequent
// messages.
func (f *frameWriter) encodeData(s stream, data []byte) []byte {
	frame := append(f.begin(), `{"event":{"data":{"`...)
	frame = append(frame, s.String()...)
	frame = append(frame, `":"`...)
	at, n := len(frame), base64.StdEncoding.EncodedLen(len(data))
	frame = frame[:at+n]
	base64.StdEncoding.Encode(frame[at:], data)
	return append(frame, `"}}}`...)
}

// end closes the stream, with an error if there is one.
func (f *frameWriter) end(err error) {
	frame := f.begin()
	if err == nil {
		frame = append(frame, "{}"...)
	} else if body, jsonErr := json.Marshal(map[string]*rpcError{"error": asRPCError(err)}); jsonErr == nil {
		frame = append(frame, body...)
	}
	_ = f.send(flagEnd, frame)
}
