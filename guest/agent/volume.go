// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
)

const (
	volumeProtocol = "ramet-volume"
	volumeFlag     = "-volume"
	fuseDevice     = "/dev/fuse"
	mostVolumes    = 16
)

// volumeMount is a volume and its mount path.
type volumeMount struct {
	ID   string `json:"id"`
	Path string `json:"path"`
}

// volumes are the mounts of a guest. Each is served by a separate process, which passes the
// kernel's requests to the host over the host's latest connection.
type volumes struct {
	mu     sync.Mutex
	mounts map[volumeMount]*mountedVolume
}

type mountedVolume struct {
	control *os.File // a socket to its server
	ended   chan struct{}
}

// volume turns the request's connection into that of a volume, which it mounts first if necessary.
// From then on the connection belongs to the volume, and the host sends first.
func (a *agent) volume(w http.ResponseWriter, r *http.Request) {
	wanted := volumeMount{r.URL.Query().Get("id"), r.URL.Query().Get("path")}
	if wanted.ID == "" || !filepath.IsAbs(wanted.Path) || r.Header.Get("Upgrade") != volumeProtocol {
		writeError(w, http.StatusBadRequest, "id, an absolute path and this header are required: Upgrade: "+volumeProtocol)
		return
	}
	mounted, status, err := a.volumes.mounted(wanted)
	if err != nil {
		writeError(w, status, err.Error())
		return
	}
	link, buffered, err := w.(http.Hijacker).Hijack()
	if err != nil {
		writeError(w, http.StatusInternalServerError, err.Error())
		return
	}
	defer link.Close() // the server has its own copy by then
	_, _ = buffered.WriteString("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: " +
		volumeProtocol + "\r\n\r\n")
	if err := buffered.Flush(); err != nil {
		return
	}
	if err := mounted.pass(link); err != nil {
		log.Printf("volume %s: %v", wanted.ID, err)
	}
}

// mounted returns the mount of a volume, which it creates if necessary. On failure it returns the
// status and the error.
func (v *volumes) mounted(wanted volumeMount) (*mountedVolume, int, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if m := v.mounts[wanted]; m != nil {
		if !m.over() {
			return m, 0, nil
		}
		v.drop(wanted)
	}
	if len(v.mounts) >= mostVolumes {
		return nil, http.StatusTooManyRequests, fmt.Errorf("%d volumes are mounted already", mostVolumes)
	}
	device, err := syscall.Open(fuseDevice, syscall.O_RDWR|syscall.O_CLOEXEC, 0)
	if err != nil {
		return nil, http.StatusNotImplemented, fmt.Errorf("this guest's kernel has no FUSE: %w", err)
	}
	file := os.NewFile(uintptr(device), fuseDevice)
	defer file.Close()
	// A mount left by an earlier agent has no server any more.
	unmountStale(wanted.Path)
	if err := os.MkdirAll(wanted.Path, 0o755); err != nil {
		return nil, http.StatusBadRequest, err
	}
	data := fmt.Sprintf("fd=%d,rootmode=40000,user_id=0,group_id=0,default_permissions,allow_other,max_read=%d",
		device, maxVolumeData)
	if err := syscall.Mount("ramet-"+wanted.ID, wanted.Path, "fuse.ramet", syscall.MS_NOSUID|syscall.MS_NODEV, data); err != nil {
		return nil, http.StatusBadRequest, fmt.Errorf("cannot mount at %s: %w", wanted.Path, err)
	}
	m, err := startVolumeServer(file)
	if err != nil {
		_ = syscall.Unmount(wanted.Path, syscall.MNT_DETACH)
		return nil, http.StatusInternalServerError, err
	}
	v.mounts[wanted] = m
	return m, 0, nil
}

func startVolumeServer(device *os.File) (*mountedVolume, error) {
	pair, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_SEQPACKET|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, os.NewSyscallError("socketpair", err)
	}
	ours, theirs := os.NewFile(uintptr(pair[0]), "control"), os.NewFile(uintptr(pair[1]), "control")
	defer theirs.Close()
	command := exec.Command("/proc/self/exe", volumeFlag)
	command.ExtraFiles = []*os.File{device, theirs}
	command.Stderr = os.Stderr
	command.Dir = "/"
	if err := command.Start(); err != nil {
		ours.Close()
		return nil, err
	}
	// Like the agent, because a guest that runs out of memory should lose the processes that use it.
	_ = os.WriteFile(fmt.Sprintf("/proc/%d/oom_score_adj", command.Process.Pid), []byte("-900"), 0)
	m := &mountedVolume{control: ours, ended: make(chan struct{})}
	go func() {
		_ = command.Wait()
		close(m.ended)
	}()
	return m, nil
}

func (m *mountedVolume) over() bool {
	select {
	case <-m.ended:
		return true
	default:
		return false
	}
}

// pass sends a connection to the server.
func (m *mountedVolume) pass(link net.Conn) error {
	raw, err := link.(syscall.Conn).SyscallConn()
	if err != nil {
		return err
	}
	failed := raw.Control(func(fd uintptr) {
		err = syscall.Sendmsg(int(m.control.Fd()), []byte{1}, syscall.UnixRights(int(fd)), nil, syscall.MSG_NOSIGNAL)
	})
	if failed != nil {
		return failed
	}
	return err
}

// keep unmounts all volumes except these: a machine restored from another's memory may have that
// machine's mounts.
func (v *volumes) keep(wanted []volumeMount) {
	v.mu.Lock()
	defer v.mu.Unlock()
	stay := make(map[volumeMount]bool)
	for _, mount := range wanted {
		stay[mount] = true
	}
	for mount := range v.mounts {
		if !stay[mount] {
			v.drop(mount)
		}
	}
}

// drop ends a mount. Processes that still have files on it open get errors.
func (v *volumes) drop(mount volumeMount) {
	v.mounts[mount].control.Close() // ends its server, and with it the requests that wait
	delete(v.mounts, mount)
	if err := syscall.Unmount(mount.Path, syscall.MNT_DETACH); err != nil {
		log.Printf("cannot unmount %s: %v", mount.Path, err)
	}
}

func unmountStale(path string) {
	table, err := mounts()
	if err != nil {
		return
	}
	for _, line := range strings.Split(table, "\n") {
		mount, filesystem, _ := strings.Cut(line, " - ")
		fields := strings.Fields(mount)
		if len(fields) > 4 && strings.HasPrefix(filesystem, "fuse.ramet ") && unescaped(fields[4]) == path {
			_ = syscall.Unmount(path, syscall.MNT_DETACH)
		}
	}
}
