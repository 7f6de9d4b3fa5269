// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/binary"
	"errors"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"syscall"
)

// QEMU's firmware configuration device (docs/specs/fw_cfg): an item is selected, then its bytes are
// read one after the other. It is read here and not through the kernel's module qemu_fw_cfg,
// because few guests load that.
const (
	selectorPort  = 0x510
	dataPort      = 0x511
	signatureKey  = 0x00
	directoryKey  = 0x19
	mostItems     = 1024
	directoryItem = 64 // big-endian: size (4), key (2), reserved (2), name (56, ends with zero)
)

var errNoItems = errors.New("there is no QEMU firmware configuration device")

// itemDevice reads items.
type itemDevice interface {
	choose(key uint16)
	read(to []byte)
}

// withPorts runs its argument with access to the device.
func withPorts(use func(itemDevice) error) error {
	// The permission belongs to this thread.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if _, _, errno := syscall.Syscall(syscall.SYS_IOPERM, selectorPort, 2, 1); errno != 0 {
		return os.NewSyscallError("ioperm", errno)
	}
	defer syscall.Syscall(syscall.SYS_IOPERM, selectorPort, 2, 0)
	return withFaults(func() error { return use(portDevice{}) })
}

// withFaults returns a fault of the processor as an error. Some emulated processors refuse ports
// despite the permission, which must not end the agent.
func withFaults(use func() error) (err error) {
	before := debug.SetPanicOnFault(true)
	defer debug.SetPanicOnFault(before)
	defer func() {
		switch fault := recover().(type) {
		case nil:
		case runtime.Error:
			err = fault
		default:
			panic(fault)
		}
	}()
	return use()
}

type portDevice struct{}

func (portDevice) choose(key uint16) { outw(selectorPort, key) }
func (portDevice) read(to []byte) {
	// The memory must be present. A hypervisor that executes the instruction takes bytes from the
	// device before it writes to a missing page, and those bytes would be lost.
	for i := range to {
		to[i] = 0
	}
	insb(dataPort, &to[0], len(to))
}

// findItem returns an item's key and size; the size is 0 if no item has that name.
func findItem(device itemDevice, name string) (key uint16, size uint32, err error) {
	var signature [4]byte
	device.choose(signatureKey)
	device.read(signature[:])
	if string(signature[:]) != "QEMU" {
		return 0, 0, errNoItems
	}
	var count [4]byte
	device.choose(directoryKey)
	device.read(count[:])
	entries := binary.BigEndian.Uint32(count[:])
	if entries > mostItems {
		return 0, 0, errNoItems
	}
	entry := make([]byte, directoryItem)
	for ; entries > 0; entries-- {
		device.read(entry)
		found, _, _ := strings.Cut(string(entry[8:]), "\x00")
		if found == name {
			return binary.BigEndian.Uint16(entry[4:]), binary.BigEndian.Uint32(entry), nil
		}
	}
	return 0, 0, nil
}
