// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"strings"
	"syscall"
)

// Exit statuses, as sysexits.h names them: what a host makes of a failure follows from them.
const (
	statusFailed   = 1
	statusUsage    = 64 // EX_USAGE
	statusBadImage = 65 // EX_DATAERR: the image, or what was asked of it; two lines say what and what to do
	statusNoSpace  = 73 // EX_CANTCREAT: the host's disk is full
)

// problem is what is wrong with an image, in words for whoever gave it.
type problem struct{ what, remedy string }

func (p *problem) Error() string { return p.what }

func bad(remedy, format string, values ...interface{}) error {
	return &problem{what: oneLine(fmt.Sprintf(format, values...)), remedy: oneLine(remedy)}
}

// oneLine keeps what an image says from looking like what is said of it.
func oneLine(text string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return '?'
		}
		return r
	}, text)
}

const (
	makeAnew = "create the image's archive or directory again, for example with: skopeo copy docker://NAME oci:DIR"
	notOurs  = "this image cannot be used as a machine's disk; its author must change it"
)

func exitStatus(err error) int {
	var p *problem
	switch {
	case errors.As(err, &p):
		return statusBadImage
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return statusNoSpace
	}
	return statusFailed
}
