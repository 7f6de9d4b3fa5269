// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"testing"
)

func TestAFileSystemTellsItsSize(t *testing.T) {
	disk := filepath.Join(t.TempDir(), "disk")
	b := make([]byte, 4096)
	must(t, os.WriteFile(disk, b, 0o644))
	if err := grow(disk, "/none"); err != nil {
		t.Errorf("what is no ext4 is not ours to grow: %v", err)
	}
	binary.LittleEndian.PutUint16(b[1024+0x38:], ext4Magic)
	binary.LittleEndian.PutUint32(b[1024+0x4:], 7)
	binary.LittleEndian.PutUint32(b[1024+0x18:], 2)
	binary.LittleEndian.PutUint32(b[1024+0x60:], 0x80)
	binary.LittleEndian.PutUint32(b[1024+0x150:], 1)
	must(t, os.WriteFile(disk, b, 0o644))
	file, err := os.Open(disk)
	must(t, err)
	defer file.Close()
	if size, err := readExt4Size(file); err != nil || size != (ext4Size{1<<32 + 7, 4096}) {
		t.Errorf("%v, %v", size, err)
	}
	if err := grow(disk, "/none"); err != nil {
		t.Errorf("a disk that is not larger stays: %v", err)
	}
	binary.LittleEndian.PutUint32(b[1024+0x4:], 0)
	binary.LittleEndian.PutUint32(b[1024+0x150:], 0)
	must(t, os.WriteFile(disk, b, 0o644))
	if err := grow(disk, "/none"); err == nil {
		t.Error("a larger disk has the mounted file system grow")
	}
}
