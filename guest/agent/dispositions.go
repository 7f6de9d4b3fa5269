// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"os/signal"
	"syscall"
)

// undoIgnored lets processes that are started from here have the signals that this one was started
// to ignore, as by nohup or as a job in a shell's background: what is ignored at exec stays so, and
// a shell cannot even trap it, but what is caught is not (execve(2)).
func undoIgnored() {
	for _, s := range []os.Signal{syscall.SIGINT, syscall.SIGQUIT, syscall.SIGHUP} {
		if signal.Ignored(s) {
			signal.Notify(make(chan os.Signal, 1), s)
		}
	}
}
