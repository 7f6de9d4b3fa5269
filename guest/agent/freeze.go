// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

const (
	ioctlFreeze = 0xc0045877 // FIFREEZE, <linux/fs.h>
	ioctlThaw   = 0xc0045878 // FITHAW
	// The longest time that the guest stays frozen, whatever happens to the host.
	defaultFreeze = 30 * time.Second
	longestFreeze = 5 * time.Minute
)

// freezer freezes the guest's file systems while the host copies their disks: all earlier writes
// are on the disk, and new writers wait. Safe for use by several goroutines.
type freezer struct {
	mu     sync.Mutex
	frozen []*os.File
	limit  *time.Timer
}

// freeze responds when every writable file system on a block device is frozen, or with an error and
// none of them frozen.
func (a *agent) freeze(w http.ResponseWriter, r *http.Request) {
	limit := defaultFreeze
	if text := r.URL.Query().Get("seconds"); text != "" {
		seconds, err := strconv.Atoi(text)
		if err != nil || seconds < 1 || time.Duration(seconds)*time.Second > longestFreeze {
			writeError(w, http.StatusBadRequest, fmt.Sprintf("seconds must be 1 to %d", longestFreeze/time.Second))
			return
		}
		limit = time.Duration(seconds) * time.Second
	}
	if err := a.freezer.freeze(a.system, limit); err != nil {
		writeError(w, http.StatusInternalServerError, err.Error())
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

// thaw lets writers continue. It responds 409 if they already continued earlier: the host's copy
// may then not be of one instant.
func (a *agent) thaw(w http.ResponseWriter, r *http.Request) {
	if !a.freezer.thaw(a.system) {
		writeError(w, http.StatusConflict, "the file systems are no longer frozen")
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

func (f *freezer) freeze(s system, limit time.Duration) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.frozen != nil {
		return fmt.Errorf("the file systems are frozen already")
	}
	table, err := s.mounts()
	if err != nil {
		return err
	}
	f.frozen = []*os.File{}
	s.sync() // so that little is left to write once writers have to wait
	for _, point := range freezable(table) {
		file, err := s.freeze(point)
		if err != nil {
			f.release(s)
			return fmt.Errorf("cannot freeze %s: %w", point, err)
		}
		f.frozen = append(f.frozen, file)
	}
	f.limit = time.AfterFunc(limit, func() { f.thaw(s) })
	return nil
}

// thaw reports whether anything was frozen.
func (f *freezer) thaw(s system) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.frozen == nil {
		return false
	}
	f.limit.Stop()
	f.release(s)
	return true
}

func (f *freezer) release(s system) {
	for i := len(f.frozen) - 1; i >= 0; i-- {
		s.thaw(f.frozen[i])
		f.frozen[i].Close()
	}
	f.frozen = nil
}

// freezable lists a mount point for each writable file system on a block device, the last mounted
// first, because one may be stored in a file of another. proc(5) describes the table's format.
func freezable(mountinfo string) []string {
	var points []string
	seen := make(map[string]bool)
	for _, line := range strings.Split(mountinfo, "\n") {
		mount, filesystem, found := strings.Cut(line, " - ")
		fields, super := strings.Fields(mount), strings.Fields(filesystem)
		if !found || len(fields) < 6 || len(super) < 3 {
			continue
		}
		device := fields[2]
		readOnly := strings.HasPrefix(super[2]+",", "ro,")
		if !strings.HasPrefix(super[1], "/dev/") || readOnly || seen[device] {
			continue
		}
		seen[device] = true
		points = append([]string{unescaped(fields[4])}, points...)
	}
	return points
}

// unescaped decodes the kernel's escapes, such as \040 for a space.
func unescaped(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+3 < len(s) {
			if n, err := strconv.ParseUint(s[i+1:i+4], 8, 8); err == nil {
				b.WriteByte(byte(n))
				i += 3
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

func mounts() (string, error) {
	table, err := os.ReadFile("/proc/self/mountinfo")
	return string(table), err
}

// freezeFile freezes the file system mounted at a point; the returned file thaws it.
func freezeFile(point string) (*os.File, error) {
	file, err := os.Open(point)
	if err != nil {
		return nil, err
	}
	if _, _, errno := syscall.Syscall(syscall.SYS_IOCTL, file.Fd(), ioctlFreeze, 0); errno != 0 {
		file.Close()
		return nil, os.NewSyscallError("FIFREEZE", errno)
	}
	return file, nil
}

func thawFile(file *os.File) {
	syscall.Syscall(syscall.SYS_IOCTL, file.Fd(), ioctlThaw, 0)
}
