// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"os"
	"strconv"
	"syscall"
	"unsafe"
)

const (
	ioctlGetPTYNumber = 0x80045430 // TIOCGPTN, <asm-generic/ioctls.h>
	ioctlLockPTY      = 0x40045431 // TIOCSPTLCK
	ioctlSetSize      = 0x5414     // TIOCSWINSZ
	maxTerminalSide   = 1<<16 - 1  // limit of struct winsize, <asm-generic/termios.h>
	terminalGroup     = 5          // the group that may write to a user's terminal: tty, see pts(4)
)

// terminalSize is in characters. Values that a client omits are those of an ordinary terminal.
type terminalSize struct {
	Cols uint32 `json:"cols"`
	Rows uint32 `json:"rows"`
}

// terminalRequest is the part of a call that asks for a terminal or changes one.
type terminalRequest struct {
	Size terminalSize `json:"size"`
}

func (s terminalSize) checked() (terminalSize, error) {
	if s.Cols == 0 {
		s.Cols = 80
	}
	if s.Rows == 0 {
		s.Rows = 24
	}
	if s.Cols > maxTerminalSide || s.Rows > maxTerminalSide {
		return s, failed(codeInvalidArgument, fmt.Sprintf("a terminal of %d columns and %d rows is too large", s.Cols, s.Rows))
	}
	return s, nil
}

// openTerminal makes a pseudo terminal: the agent's end, and the end of the process, which belongs
// to its user.
func openTerminal(size terminalSize, owner *syscall.Credential) (ours, theirs *os.File, err error) {
	ours, err = os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		return nil, nil, err
	}
	fail := func(err error) (*os.File, *os.File, error) {
		ours.Close()
		if theirs != nil {
			theirs.Close()
		}
		return nil, nil, err
	}
	var number, unlocked uint32
	if err := control(ours, ioctlGetPTYNumber, unsafe.Pointer(&number)); err != nil {
		return fail(err)
	}
	if err := control(ours, ioctlLockPTY, unsafe.Pointer(&unlocked)); err != nil {
		return fail(err)
	}
	theirs, err = os.OpenFile("/dev/pts/"+strconv.Itoa(int(number)), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		return fail(err)
	}
	if owner != nil {
		if err := theirs.Chown(int(owner.Uid), terminalGroup); err != nil {
			return fail(err)
		}
	}
	if err := resize(ours, size); err != nil {
		return fail(err)
	}
	return ours, theirs, nil
}

// resize also sends SIGWINCH to the foreground processes.
func resize(terminal *os.File, size terminalSize) error {
	winsize := [4]uint16{uint16(size.Rows), uint16(size.Cols)}
	return control(terminal, ioctlSetSize, unsafe.Pointer(&winsize))
}

// control leaves the file in non-blocking mode, which File.Fd would not.
func control(file *os.File, request uintptr, argument unsafe.Pointer) error {
	raw, err := file.SyscallConn()
	if err != nil {
		return err
	}
	var errno syscall.Errno
	if err := raw.Control(func(fd uintptr) {
		_, _, errno = syscall.Syscall(syscall.SYS_IOCTL, fd, request, uintptr(argument))
	}); err != nil {
		return err
	}
	if errno != 0 {
		return os.NewSyscallError("ioctl", errno)
	}
	return nil
}
