// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"os/signal"
	"syscall"
)

// undoIgnored restores the default action of signals that this process was started to ignore, for
// example by nohup or as a background job of a shell. Ignored signals stay ignored across exec, and
// a shell cannot even trap them, but caught ones are reset (execve(2)).
func undoIgnored() {
	for _, s := range []os.Signal{syscall.SIGINT, syscall.SIGQUIT, syscall.SIGHUP} {
		if signal.Ignored(s) {
			signal.Notify(make(chan os.Signal, 1), s)
		}
	}
}
