// SPDX-License-Identifier: Apache-2.0

package main

import "testing"

func TestWhyACommandIsNotStarted(t *testing.T) {
	for name, reason := range map[string]string{
		"nosuchprogram":  reasonNotFound,
		"/nosuchprogram": reasonNotFound,
		"/etc/passwd":    reasonNotExecutable,
		"/etc":           reasonNotExecutable,
	} {
		_, err := find(name, "/bin", "/")
		if e := asRPCError(err); e.Code != codeInvalidArgument || e.Reason != reason {
			t.Errorf("%s: %+v", name, e)
		}
	}
}
