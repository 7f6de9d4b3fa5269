// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// account is a line of /etc/passwd together with the groups of that user.
type account struct {
	name, home, shell string
	uid, gid          uint32
	groups            []uint32
}

// unknownUser is the error for a name that /etc/passwd does not have.
type unknownUser struct{ name string }

func (e unknownUser) Error() string { return fmt.Sprintf("user %q does not exist", e.name) }

// userFiles are the files that define accounts. They are read again for every request, because the
// guest may add users at any time and the files are small.
type userFiles struct{ passwd, group string }

func (f userFiles) lookup(name string) (account, error) {
	var found *account
	err := eachLine(f.passwd, 7, func(field []string) bool {
		if field[0] != name {
			return true
		}
		uid, uidErr := strconv.ParseUint(field[2], 10, 32)
		gid, gidErr := strconv.ParseUint(field[3], 10, 32)
		if uidErr != nil || gidErr != nil {
			return true
		}
		found = &account{name: name, home: field[5], shell: field[6], uid: uint32(uid), gid: uint32(gid)}
		return false
	})
	if err != nil {
		return account{}, err
	}
	if found == nil || name == "" {
		return account{}, unknownUser{name}
	}
	if !filepath.IsAbs(found.home) {
		found.home = "/"
	}
	// A guest without /etc/group is unusual but usable: the user then has only its primary group.
	_ = eachLine(f.group, 4, func(field []string) bool {
		gid, err := strconv.ParseUint(field[2], 10, 32)
		if err != nil {
			return true
		}
		for _, member := range strings.Split(field[3], ",") {
			if member == name {
				found.groups = append(found.groups, uint32(gid))
			}
		}
		return true
	})
	return *found, nil
}

// names maps the numbers of users or groups to their names.
func names(path string) map[uint32]string {
	all := make(map[uint32]string)
	_ = eachLine(path, 3, func(field []string) bool {
		if id, err := strconv.ParseUint(field[2], 10, 32); err == nil {
			if _, known := all[uint32(id)]; !known {
				all[uint32(id)] = field[0]
			}
		}
		return true
	})
	return all
}

func eachLine(path string, fields int, visit func([]string) bool) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		if field := strings.Split(lines.Text(), ":"); len(field) >= fields && !visit(field) {
			break
		}
	}
	return lines.Err()
}

// resolve turns a path in a request into an absolute one: relative paths and ~ refer to the user's
// home.
func (a account) resolve(path string) string {
	switch {
	case path == "~" || strings.HasPrefix(path, "~/"):
		return filepath.Join(a.home, path[1:])
	case filepath.IsAbs(path):
		return filepath.Clean(path)
	default:
		return filepath.Join(a.home, path)
	}
}
