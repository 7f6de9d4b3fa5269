// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"testing"
)

func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == workspaceFlag {
		serveWorkspaces()
		return
	}
	undoIgnored()
	os.Exit(m.Run())
}
