// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/binary"
	"errors"
	"os"
	"runtime"
	"strings"
	"syscall"
)

// QEMU's firmware configuration device (docs/specs/fw_cfg): an item is selected, then its bytes are
// read one after the other. Read here rather than by the kernel's module qemu_fw_cfg, which few
// guests load.
const (
	selectorPort  = 0x510
	dataPort      = 0x511
	signatureKey  = 0x00
	directoryKey  = 0x19
	mostItems     = 1024
	directoryItem = 64 // big-endian: size (4), key (2), reserved (2), name (56, ends with zero)
)

var errNoItems = errors.New("no firmware configuration device of QEMU")

// itemDevice reads items.
type itemDevice interface {
	choose(key uint16)
	read(to []byte)
}

// readItem returns an item's bytes, or nil when there is none of that name.
func readItem(name string, most int) ([]byte, error) {
	// The permission is this thread's.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if _, _, errno := syscall.Syscall(syscall.SYS_IOPERM, selectorPort, 2, 1); errno != 0 {
		return nil, os.NewSyscallError("ioperm", errno)
	}
	defer syscall.Syscall(syscall.SYS_IOPERM, selectorPort, 2, 0)
	return itemOf(portDevice{}, name, most)
}

type portDevice struct{}

func (portDevice) choose(key uint16) { outw(selectorPort, key) }
func (portDevice) read(to []byte)    { insb(dataPort, &to[0], len(to)) }

func itemOf(device itemDevice, name string, most int) ([]byte, error) {
	var signature [4]byte
	device.choose(signatureKey)
	device.read(signature[:])
	if string(signature[:]) != "QEMU" {
		return nil, errNoItems
	}
	var count [4]byte
	device.choose(directoryKey)
	device.read(count[:])
	entries := binary.BigEndian.Uint32(count[:])
	if entries > mostItems {
		return nil, errNoItems
	}
	directory := make([]byte, entries*directoryItem)
	if len(directory) > 0 {
		device.read(directory)
	}
	for ; len(directory) > 0; directory = directory[directoryItem:] {
		found, _, _ := strings.Cut(string(directory[8:directoryItem]), "\x00")
		size := binary.BigEndian.Uint32(directory)
		if found != name || size == 0 {
			continue
		}
		if size > uint32(most) {
			size = uint32(most)
		}
		content := make([]byte, size)
		device.choose(binary.BigEndian.Uint16(directory[4:]))
		device.read(content)
		return content, nil
	}
	return nil, nil
}
