// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"path/filepath"
	"testing"
)

func TestNetworkBytes(t *testing.T) {
	name := filepath.Join(t.TempDir(), "dev")
	const table = `Inter-|   Receive                                                |  Transmit
 face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed
    lo:  100       1    0    0    0     0          0         0      100       1    0    0    0     0       0          0
  eth0: 2000      10    0    0    0     0          0         0     3000      12    0    0    0     0       0          0
  eth1:    5       1    0    0    0     0          0         0        7       1    0    0    0     0       0          0
`
	if err := os.WriteFile(name, []byte(table), 0o600); err != nil {
		t.Fatal(err)
	}
	if received, sent := networkBytes(name); received != 2005 || sent != 3007 {
		t.Fatalf("%d %d", received, sent)
	}
	if received, sent := networkBytes(name + "x"); received != 0 || sent != 0 {
		t.Fatalf("%d %d", received, sent)
	}
}
