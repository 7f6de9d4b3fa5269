// SPDX-License-Identifier: Apache-2.0

package workspace

import (
	"bytes"
	"fmt"
	"os"
	"sort"
	"syscall"
	"unsafe"
)

// Calls and constants that the syscall package lacks, with their numbers on x86-64.
const (
	sysFanotifyInit   = 300
	sysFanotifyMark   = 301
	sysNameToHandleAt = 303
	sysOpenat2        = 437

	atSymlinkNoFollow = 0x100
	atSymlinkFollow   = 0x400
	atEmptyPath       = 0x1000
	oPath             = 0x200000
	oTmpfile          = 0x410000
	seekData          = 3

	// <linux/openat2.h>
	resolveNoMagicLinks = 0x02
	resolveNoSymlinks   = 0x04
	resolveBeneath      = 0x08
)

// openBeneath opens a path below a directory. The kernel refuses every step that would leave the
// directory and every symbolic link, whatever happens to the tree meanwhile: see openat2(2).
func openBeneath(dir int, path string, flags int) (int, error) {
	return openat2(dir, path, flags, resolveBeneath|resolveNoSymlinks|resolveNoMagicLinks)
}

func openat2(dir int, path string, flags int, resolve uint64) (int, error) {
	how := struct{ flags, mode, resolve uint64 }{uint64(flags | syscall.O_CLOEXEC), 0, resolve}
	name, err := syscall.BytePtrFromString(path)
	if err != nil {
		return -1, err
	}
	for {
		fd, _, errno := syscall.Syscall6(sysOpenat2, uintptr(dir), uintptr(unsafe.Pointer(name)),
			uintptr(unsafe.Pointer(&how)), unsafe.Sizeof(how), 0, 0)
		if errno == syscall.EINTR {
			continue
		}
		if errno != 0 {
			return -1, errno
		}
		return int(fd), nil
	}
}

// openName opens one name of a directory; it follows no link and waits for no writer of a pipe.
func openName(dir int, name string, flags int) (int, error) {
	for {
		fd, err := syscall.Openat(dir, name, flags|syscall.O_NOFOLLOW|syscall.O_NONBLOCK|syscall.O_CLOEXEC, 0)
		if err != syscall.EINTR {
			return fd, err
		}
	}
}

func statName(dir int, name string, stat *syscall.Stat_t) error {
	return atCall(syscall.SYS_NEWFSTATAT, dir, name, uintptr(unsafe.Pointer(stat)), atSymlinkNoFollow)
}

// atCall makes a system call whose first arguments are a directory and a name.
func atCall(number uintptr, dir int, name string, a, b uintptr) error {
	text, err := syscall.BytePtrFromString(name)
	if err != nil {
		return err
	}
	if _, _, errno := syscall.Syscall6(number, uintptr(dir), uintptr(unsafe.Pointer(text)), a, b, 0, 0); errno != 0 {
		return errno
	}
	return nil
}

func readLink(dir int, name string) (string, error) {
	buffer := make([]byte, syscall.PathMax)
	text, err := syscall.BytePtrFromString(name)
	if err != nil {
		return "", err
	}
	n, _, errno := syscall.Syscall6(syscall.SYS_READLINKAT, uintptr(dir), uintptr(unsafe.Pointer(text)),
		uintptr(unsafe.Pointer(&buffer[0])), uintptr(len(buffer)), 0, 0)
	if errno != 0 {
		return "", errno
	}
	return string(buffer[:n]), nil
}

// sortedNames returns the names in an open directory in the order of their bytes.
func sortedNames(fd int) ([]string, error) {
	copied, err := syscall.Openat(fd, ".", syscall.O_RDONLY|syscall.O_DIRECTORY|syscall.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	dir := os.NewFile(uintptr(copied), "directory")
	defer dir.Close()
	names, err := dir.Readdirnames(-1)
	sort.Strings(names)
	return names, err
}

// attributesOf returns the extended attributes of an open file, by name; see xattr(7).
func attributesOf(fd int) (map[string][]byte, error) {
	for {
		size, err := fxattr(syscall.SYS_FLISTXATTR, fd, "", nil)
		if err == syscall.EOPNOTSUPP || err == nil && size == 0 {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		names := make([]byte, size)
		if size, err = fxattr(syscall.SYS_FLISTXATTR, fd, "", names); err == syscall.ERANGE {
			continue // another one was added meanwhile
		} else if err != nil {
			return nil, err
		}
		found := make(map[string][]byte)
		for _, name := range bytes.Split(bytes.TrimRight(names[:size], "\x00"), []byte{0}) {
			value := make([]byte, 64<<10) // XATTR_SIZE_MAX
			n, err := fxattr(syscall.SYS_FGETXATTR, fd, string(name), value)
			if err == syscall.ENODATA || err == syscall.EOPNOTSUPP {
				continue
			}
			if err != nil {
				return nil, err
			}
			found[string(name)] = value[:n:n]
		}
		return found, nil
	}
}

func fxattr(number uintptr, fd int, name string, value []byte) (int, error) {
	var at unsafe.Pointer
	if len(value) > 0 {
		at = unsafe.Pointer(&value[0])
	}
	var n uintptr
	var errno syscall.Errno
	if number == syscall.SYS_FLISTXATTR {
		n, _, errno = syscall.Syscall(number, uintptr(fd), uintptr(at), uintptr(len(value)))
	} else {
		text, err := syscall.BytePtrFromString(name)
		if err != nil {
			return 0, err
		}
		n, _, errno = syscall.Syscall6(number, uintptr(fd), uintptr(unsafe.Pointer(text)), uintptr(at), uintptr(len(value)), 0, 0)
	}
	if errno != 0 {
		return 0, errno
	}
	return int(n), nil
}

// setTime sets the time of change; an empty name means the open file itself. See utimensat(2).
func setTime(fd int, name string, modified int64) error {
	times := [2]syscall.Timespec{{Nsec: 0x3ffffffe /* UTIME_OMIT */}, syscall.NsecToTimespec(modified)}
	if name == "" {
		_, _, errno := syscall.Syscall6(syscall.SYS_UTIMENSAT, uintptr(fd), 0, uintptr(unsafe.Pointer(&times)), 0, 0, 0)
		if errno != 0 {
			return errno
		}
		return nil
	}
	return atCall(syscall.SYS_UTIMENSAT, fd, name, uintptr(unsafe.Pointer(&times)), atSymlinkNoFollow)
}

// handleOf returns what the kernel's events call a directory: see name_to_handle_at(2).
func handleOf(fd int) (string, error) {
	var handle struct {
		size uint32
		kind int32
		data [128]byte
	}
	handle.size = uint32(len(handle.data))
	var mount int32
	empty := []byte{0}
	_, _, errno := syscall.Syscall6(sysNameToHandleAt, uintptr(fd), uintptr(unsafe.Pointer(&empty[0])),
		uintptr(unsafe.Pointer(&handle)), uintptr(unsafe.Pointer(&mount)), atEmptyPath, 0)
	if errno != 0 {
		return "", errno
	}
	raw := (*[8]byte)(unsafe.Pointer(&handle))
	return string(raw[:]) + string(handle.data[:handle.size]), nil
}

// linkTo makes a symbolic link.
func linkTo(target string, dir int, name string) error {
	to, err := syscall.BytePtrFromString(target)
	if err != nil {
		return err
	}
	text, err := syscall.BytePtrFromString(name)
	if err != nil {
		return err
	}
	_, _, errno := syscall.Syscall(syscall.SYS_SYMLINKAT, uintptr(unsafe.Pointer(to)), uintptr(dir), uintptr(unsafe.Pointer(text)))
	return errorOf(errno)
}

// link gives an open file without a name one: see O_TMPFILE in open(2).
func link(fd, dir int, name string) error {
	from, err := syscall.BytePtrFromString(fmt.Sprintf("/proc/self/fd/%d", fd))
	if err != nil {
		return err
	}
	text, err := syscall.BytePtrFromString(name)
	if err != nil {
		return err
	}
	_, _, errno := syscall.Syscall6(syscall.SYS_LINKAT, ^uintptr(99), /* AT_FDCWD */
		uintptr(unsafe.Pointer(from)), uintptr(dir), uintptr(unsafe.Pointer(text)), atSymlinkFollow, 0)
	return errorOf(errno)
}
