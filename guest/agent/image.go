// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
)

// A guest that was made of a container image has what Ramet added to it here.
const (
	oursDir   = "/.ramet"
	oursBin   = oursDir + "/bin"
	oursShell = oursBin + "/sh"
)

// startFile is what the image says of its command. Without an image all of it is empty.
type startFile struct {
	Env   []string `json:"env"`
	Dir   string   `json:"dir"`
	User  string   `json:"user"`
	Start []string `json:"start"`
	Ready []string `json:"ready"`
}

func readStartFile(name string) (startFile, error) {
	var s startFile
	content, err := os.ReadFile(name)
	if err == nil {
		err = json.Unmarshal(content, &s)
	}
	return s, err
}

// environment is all that the image sets.
func (s startFile) environment() map[string]string {
	env := make(map[string]string)
	for _, pair := range s.Env {
		if name, value, found := strings.Cut(pair, "="); found && name != "" {
			env[name] = value
		}
	}
	return env
}

// forCommands is what of it is for commands of any user: not what says who that is.
func (s startFile) forCommands() map[string]string {
	env := s.environment()
	for _, name := range []string{"HOME", "USER", "LOGNAME", "SHELL"} {
		delete(env, name)
	}
	return env
}

// shellInstead is the shell for a client that asks for one that the guest does not have: clients of
// the contract start all commands by bash.
func shellInstead(name string) (string, bool) {
	switch name {
	case "/bin/bash", "bash", "/bin/sh", "sh":
	default:
		return "", false
	}
	for _, candidate := range []string{"/bin/sh", oursShell} {
		if executable(candidate) {
			return candidate, true
		}
	}
	return "", false
}

// withTools adds what Ramet brought to the path of a guest that has no shell, and so hardly anything.
func withTools(path string) string {
	if executable("/bin/sh") || !executable(oursShell) {
		return path
	}
	return path + ":" + oursBin
}

func executable(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0
}

// account of an image's USER: name or number of a user, and after a colon of a group. A number need
// not be anybody's.
func (f userFiles) ofImage(user string) (account, error) {
	name, group, grouped := strings.Cut(user, ":")
	if name == "" {
		name = "0"
	}
	a, err := f.lookup(name)
	if err != nil {
		uid, numberErr := parseID(name)
		if numberErr != nil {
			return account{}, err
		}
		a = account{name: name, home: "/", uid: uid}
		_ = eachLine(f.passwd, 7, func(field []string) bool {
			if field[2] != name {
				return true
			}
			if found, err := f.lookup(field[0]); err == nil && found.uid == uid {
				a = found
			}
			return false
		})
	}
	if !grouped || group == "" {
		return a, nil
	}
	a.groups = nil
	for id, known := range names(f.group) {
		if known == group {
			a.gid = id
			return a, nil
		}
	}
	if a.gid, err = parseID(group); err != nil {
		return account{}, fmt.Errorf("group %q does not exist", group)
	}
	return a, nil
}
