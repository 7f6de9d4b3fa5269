// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
)

// In a guest made from a container image, Ramet's files are here.
const (
	oursDir   = "/.ramet"
	oursBin   = oursDir + "/bin"
	oursShell = oursBin + "/sh"
)

// startFile describes the image's command. Without an image, all fields are empty.
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

// environment returns all variables that the image sets.
func (s startFile) environment() map[string]string {
	env := make(map[string]string)
	for _, pair := range s.Env {
		if name, value, found := strings.Cut(pair, "="); found && name != "" {
			env[name] = value
		}
	}
	return env
}

// forCommands returns the variables that apply to commands of any user, without those that describe
// the user.
func (s startFile) forCommands() map[string]string {
	env := s.environment()
	for _, name := range []string{"HOME", "USER", "LOGNAME", "SHELL"} {
		delete(env, name)
	}
	return env
}

// shellInstead returns the shell for a client that names one that the guest lacks: clients of the
// contract start all commands with bash.
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

// withTools adds Ramet's tools to the path of a guest that has no shell, and therefore hardly any
// programs.
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

// account resolves an image's USER: the name or number of a user, optionally followed by a colon
// and a group. A number need not belong to an existing user.
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
