// SPDX-License-Identifier: Apache-2.0

package main

// outw writes a word to a port. The processor faults unless the thread has the right to.
func outw(port, value uint16)

// insb reads bytes from a port, one after the other. The same holds.
//
//go:noescape
func insb(port uint16, to *byte, count int)
