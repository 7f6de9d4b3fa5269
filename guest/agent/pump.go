// SPDX-License-Identifier: Apache-2.0

package main

import (
	"io"
	"os"
	"syscall"
	"time"
)

// drainLimit limits the bytes read from a pipe after the process has ended. The process itself can
// have left at most the largest pipe size of an unprivileged user.
const drainLimit = 1 << 20

// pump moves the output of one stream into out and calls done when everything that the process
// wrote is in it. That is at the end of the pipe or, if a descendant keeps the pipe open, once the
// read deadline has passed and the pipe is empty.
//
// From then on, output of such a descendant is read and dropped, because closing the pipe would
// kill it.
func pump(out *output, s stream, from *os.File, done func()) {
	defer from.Close()
	open := pumpUntilDeadline(out, s, from) && drain(out, s, from)
	done()
	if open {
		_ = from.SetReadDeadline(time.Time{})
		_, _ = io.CopyBuffer(struct{ io.Writer }{io.Discard}, struct{ io.Reader }{from}, make([]byte, 4096))
	}
}

// pumpTerminal moves the output of a terminal until the process has ended. Reading a terminal that
// no process has open gives an error, which is not yet the end: the process may open it again. The
// terminal must not be closed while the process lives, because that would send it SIGHUP: see
// pty(7) and termios(3).
func pumpTerminal(out *output, from *os.File, exited <-chan struct{}, done func()) {
	defer from.Close()
	defer done()
	for pause := time.Millisecond; ; pause = 2*pause + 1 {
		if pumpUntilDeadline(out, pty, from) {
			drain(out, pty, from)
			return
		}
		select {
		case <-exited:
			drain(out, pty, from)
			return
		case <-time.After(pause):
		}
		if pause > time.Second {
			pause = time.Second
		}
	}
}

// pumpUntilDeadline reports whether the pipe is still open.
func pumpUntilDeadline(out *output, s stream, from *os.File) bool {
	for {
		room, err := out.room(s)
		if err != nil {
			return true
		}
		n, err := from.Read(room)
		if n > 0 {
			out.commit(s, n)
		}
		if err != nil {
			return os.IsTimeout(err)
		}
	}
}

// drain reads the bytes in the pipe without waiting for more, and reports whether the pipe is still
// open.
func drain(out *output, s stream, from *os.File) bool {
	raw, err := from.SyscallConn()
	if err != nil {
		return false
	}
	for total := 0; total < drainLimit; {
		room, err := out.room(s)
		if err != nil {
			return true
		}
		var n int
		// The file is non-blocking, and Control, unlike Read, works past the deadline.
		if ctlErr := raw.Control(func(fd uintptr) { n, err = syscall.Read(int(fd), room) }); ctlErr != nil {
			return false
		}
		switch {
		case err == syscall.EINTR:
			continue
		case err == syscall.EAGAIN:
			return true
		case err != nil || n == 0:
			return false
		}
		out.commit(s, n)
		total += n
	}
	return true
}
