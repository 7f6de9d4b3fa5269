// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/binary"
	"fmt"
	"io"
	"log"
	"os"
	"syscall"
	"unsafe"
)

// ioctlResizeFS is EXT4_IOC_RESIZE_FS, <linux/ext4.h>: the wanted number of blocks.
const ioctlResizeFS = 0x40086610

// ext4Size is the file system's size according to its superblock.
type ext4Size struct{ blocks, blockBytes uint64 }

const (
	superblockOffset = 1024
	superblockBytes  = 1024
	ext4Magic        = 0xef53
)

// readExt4Size reads a superblock, as ext4(5) and the kernel's documentation lay it out.
func readExt4Size(device io.ReaderAt) (ext4Size, error) {
	var b [superblockBytes]byte
	if _, err := device.ReadAt(b[:], superblockOffset); err != nil {
		return ext4Size{}, err
	}
	if binary.LittleEndian.Uint16(b[0x38:]) != ext4Magic {
		return ext4Size{}, fmt.Errorf("not an ext4 file system")
	}
	low, high := binary.LittleEndian.Uint32(b[0x4:]), uint32(0)
	if incompatible := binary.LittleEndian.Uint32(b[0x60:]); incompatible&0x80 != 0 { // 64 bits
		high = binary.LittleEndian.Uint32(b[0x150:])
	}
	shift := binary.LittleEndian.Uint32(b[0x18:])
	if shift > 6 {
		return ext4Size{}, fmt.Errorf("the block size is invalid")
	}
	return ext4Size{uint64(high)<<32 | uint64(low), 1024 << shift}, nil
}

// growRoot grows the root file system to the size of its disk, which the host may have enlarged
// while the machine did not run. If there is nothing to do, it reads one block.
func growRoot(disk string) {
	if err := grow(disk, "/"); err != nil {
		log.Printf("the file system stays smaller than its disk: %v", err)
	}
}

func grow(disk, mounted string) error {
	device, err := os.Open(disk)
	if os.IsNotExist(err) {
		return nil // a root file system of another type
	}
	if err != nil {
		return err
	}
	defer device.Close()
	size, err := readExt4Size(device)
	if err != nil {
		return nil // not an ext4 file system
	}
	bytes, err := device.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	wanted := uint64(bytes) / size.blockBytes
	if wanted <= size.blocks {
		return nil
	}
	root, err := os.Open(mounted)
	if err != nil {
		return err
	}
	defer root.Close()
	if _, _, errno := syscall.Syscall(syscall.SYS_IOCTL, root.Fd(), ioctlResizeFS, uintptr(unsafe.Pointer(&wanted))); errno != 0 {
		return os.NewSyscallError("EXT4_IOC_RESIZE_FS", errno)
	}
	log.Printf("the root file system has %d MiB instead of %d", wanted*size.blockBytes>>20, size.blocks*size.blockBytes>>20)
	return nil
}
