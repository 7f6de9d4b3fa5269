// SPDX-License-Identifier: Apache-2.0

package main

// outw writes a word to a port. The processor faults if the thread lacks the permission.
func outw(port, value uint16)

// insb reads bytes from a port, one after the other. It needs the same permission as outw.
//
//go:noescape
func insb(port uint16, to *byte, count int)
