// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"net/http"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

func (a *agent) metrics(w http.ResponseWriter, r *http.Request) {
	memory := readMeminfo()
	var disk syscall.Statfs_t
	if err := syscall.Statfs("/", &disk); err != nil {
		writeError(w, http.StatusInternalServerError, "cannot measure the disk: "+err.Error())
		return
	}
	total, used := memory["MemTotal"], memory["MemTotal"]-memory["MemAvailable"]
	unit := uint64(disk.Frsize)
	received, sent := networkBytes("/proc/net/dev")
	writeJSON(w, http.StatusOK, map[string]interface{}{
		"ts":            time.Now().Unix(),
		"cpu_count":     runtime.NumCPU(),
		"cpu_used_pct":  a.cpu.usedPercent(),
		"mem_total":     total,
		"mem_used":      used,
		"mem_cache":     memory["Cached"],
		"mem_total_mib": total >> 20,
		"mem_used_mib":  used >> 20,
		"disk_total":    disk.Blocks * unit,
		"disk_used":     (disk.Blocks - disk.Bfree) * unit,
		"net_rx":        received,
		"net_tx":        sent,
	})
}

// readMeminfo returns /proc/meminfo in bytes.
func readMeminfo() map[string]uint64 {
	values := make(map[string]uint64)
	file, err := os.Open("/proc/meminfo")
	if err != nil {
		return values
	}
	defer file.Close()
	for lines := bufio.NewScanner(file); lines.Scan(); {
		if field := strings.Fields(lines.Text()); len(field) >= 2 {
			n, _ := strconv.ParseUint(field[1], 10, 64)
			values[strings.TrimSuffix(field[0], ":")] = n << 10
		}
	}
	return values
}

// networkBytes sums the bytes of all interfaces but the loopback one since the boot.
func networkBytes(name string) (received, sent uint64) {
	file, err := os.Open(name)
	if err != nil {
		return 0, 0
	}
	defer file.Close()
	for lines := bufio.NewScanner(file); lines.Scan(); {
		device, counts, found := strings.Cut(lines.Text(), ":")
		fields := strings.Fields(counts)
		if !found || strings.TrimSpace(device) == "lo" || len(fields) < 9 {
			continue
		}
		in, _ := strconv.ParseUint(fields[0], 10, 64)
		out, _ := strconv.ParseUint(fields[8], 10, 64)
		received += in
		sent += out
	}
	return received, sent
}

// cpuMeter measures from one call to the next, and nothing runs in between.
type cpuMeter struct {
	mu         sync.Mutex
	busy, full uint64
}

func (m *cpuMeter) usedPercent() float64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	busy, full := readCPU()
	busyNow, fullNow := busy-m.busy, full-m.full
	m.busy, m.full = busy, full
	if full == 0 || fullNow == 0 {
		return 0
	}
	return float64(busyNow*1000/fullNow) / 10
}

// readCPU sums the first line of /proc/stat: user nice system idle iowait irq softirq steal.
func readCPU() (busy, full uint64) {
	content, err := os.ReadFile("/proc/stat")
	if err != nil {
		return 0, 0
	}
	line, _, _ := strings.Cut(string(content), "\n")
	for i, field := range strings.Fields(line) {
		n, err := strconv.ParseUint(field, 10, 64)
		if err != nil || i > 8 {
			continue
		}
		full += n
		if i != 4 && i != 5 {
			busy += n
		}
	}
	return busy, full
}
