// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"testing"
)

func TestMain(m *testing.M) {
	undoIgnored()
	os.Exit(m.Run())
}
