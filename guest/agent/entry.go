// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"time"
)

// entryInfo describes one entry of a directory. Sizes are strings, as JSON has it for 64 bits.
type entryInfo struct {
	Name          string `json:"name"`
	Type          string `json:"type"`
	Path          string `json:"path"`
	Size          string `json:"size"`
	Mode          uint32 `json:"mode"`
	Permissions   string `json:"permissions"`
	Owner         string `json:"owner"`
	Group         string `json:"group"`
	ModifiedTime  string `json:"modifiedTime"`
	SymlinkTarget string `json:"symlinkTarget,omitempty"`

	Metadata map[string]string `json:"metadata,omitempty"`
}

// describer holds the data that the entries of one response share.
type describer struct{ users, groups map[uint32]string }

func (f userFiles) describer() describer { return describer{names(f.passwd), names(f.group)} }

// describe describes path itself; a symbolic link has the type of its target.
func (d describer) describe(path string) (entryInfo, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return entryInfo{}, err
	}
	e := entryInfo{
		Name:         filepath.Base(path),
		Path:         path,
		Type:         entryType(info.Mode()),
		Size:         strconv.FormatInt(info.Size(), 10),
		Mode:         uint32(info.Mode().Perm()),
		Permissions:  info.Mode().String(),
		ModifiedTime: info.ModTime().UTC().Format(time.RFC3339Nano),
	}
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		e.Owner, e.Group = nameOr(d.users, stat.Uid), nameOr(d.groups, stat.Gid)
	}
	if info.Mode()&os.ModeSymlink != 0 {
		e.SymlinkTarget, _ = os.Readlink(path)
		if target, err := os.Stat(path); err == nil {
			e.Type = entryType(target.Mode())
		}
	}
	if info.Mode().IsRegular() || info.IsDir() {
		e.Metadata = readMetadata(path)
	}
	return e, nil
}

func entryType(mode os.FileMode) string {
	switch {
	case mode.IsRegular():
		return "FILE_TYPE_FILE"
	case mode.IsDir():
		return "FILE_TYPE_DIRECTORY"
	default:
		return "FILE_TYPE_UNSPECIFIED"
	}
}

func nameOr(names map[uint32]string, id uint32) string {
	if name, ok := names[id]; ok {
		return name
	}
	return strconv.FormatUint(uint64(id), 10)
}
