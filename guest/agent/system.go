// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"syscall"
	"time"
	"unsafe"
)

// system holds the agent's actions on the machine as a whole. Tests replace them with harmless
// ones.
type system struct {
	now         func() time.Time
	setClock    func(time.Time) error
	addEntropy  func([]byte) error
	setHostname func(string) error
	sync        func()
	mounts      func() (string, error)
	freeze      func(point string) (*os.File, error)
	thaw        func(*os.File)
}

func realSystem() system {
	return system{
		now: time.Now, setClock: setClock, addEntropy: addEntropy, setHostname: setHostname, sync: syscall.Sync,
		mounts: mounts, freeze: freezeFile, thaw: thawFile,
	}
}

const (
	clockRealtime    = 0          // <linux/time.h>
	ioctlAddEntropy  = 0x40085203 // RNDADDENTROPY, <linux/random.h>
	ioctlReseedCRNG  = 0x5207     // RNDRESEEDCRNG, <linux/random.h>
	maxEntropyBytes  = 512
	entropyInfoBytes = 8
)

func setClock(t time.Time) error {
	ts := syscall.NsecToTimespec(t.UnixNano())
	if _, _, errno := syscall.Syscall(syscall.SYS_CLOCK_SETTIME, clockRealtime, uintptr(unsafe.Pointer(&ts)), 0); errno != 0 {
		return os.NewSyscallError("clock_settime", errno)
	}
	return nil
}

// addEntropy mixes seed into the kernel's pool, credits it, and makes the generator start from the
// new pool at once. Without the second step, machines restored from one snapshot would give the
// same "random" numbers until the next scheduled reseed.
func addEntropy(seed []byte) error {
	device, err := os.OpenFile("/dev/urandom", os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer device.Close()
	// struct rand_pool_info { int entropy_count; int buf_size; __u32 buf[]; }
	var info [entropyInfoBytes + maxEntropyBytes]byte
	n := copy(info[entropyInfoBytes:], seed)
	*(*int32)(unsafe.Pointer(&info[0])) = int32(n * 8)
	*(*int32)(unsafe.Pointer(&info[4])) = int32(n)
	fd := device.Fd()
	if _, _, errno := syscall.Syscall(syscall.SYS_IOCTL, fd, ioctlAddEntropy, uintptr(unsafe.Pointer(&info[0]))); errno != 0 {
		return os.NewSyscallError("RNDADDENTROPY", errno)
	}
	if _, _, errno := syscall.Syscall(syscall.SYS_IOCTL, fd, ioctlReseedCRNG, 0); errno != 0 {
		return os.NewSyscallError("RNDRESEEDCRNG", errno)
	}
	return nil
}

func setHostname(name string) error {
	return os.NewSyscallError("sethostname", syscall.Sethostname([]byte(name)))
}
