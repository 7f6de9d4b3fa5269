// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

const defaultPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

// processConfig describes the process that a client wants to run.
type processConfig struct {
	Cmd  string            `json:"cmd"`
	Args []string          `json:"args,omitempty"`
	Envs map[string]string `json:"envs,omitempty"`
	Cwd  string            `json:"cwd,omitempty"`
}

// command is a processConfig whose names have all been resolved.
type command struct {
	path       string
	argv       []string
	env        []string
	dir        string
	credential *syscall.Credential
}

// prepare resolves a request into a command that can be started. Its errors name the wrong part:
// the kernel would report a bad directory and a missing command in the same words.
func prepare(c processConfig, a account, defaults map[string]string, workdir string) (command, error) {
	if c.Cmd == "" {
		return command{}, failed(codeInvalidArgument, "process.cmd is missing")
	}
	if err := noZeroBytes(c); err != nil {
		return command{}, err
	}
	env := environment(a, defaults, c.Envs)
	env["PATH"] = withTools(env["PATH"])
	dir, err := directory(c.Cwd, workdir, a)
	if err != nil {
		return command{}, err
	}
	name := c.Cmd
	path, err := find(name, env["PATH"], dir)
	if err != nil {
		var ok bool
		if path, ok = shellInstead(name); !ok {
			return command{}, err
		}
		name = path // a shell may behave according to its name
	}
	cmd := command{path: path, argv: append([]string{name}, c.Args...), dir: dir}
	for k, v := range env {
		cmd.env = append(cmd.env, k+"="+v)
	}
	if uint32(os.Getuid()) != a.uid || uint32(os.Getgid()) != a.gid {
		if os.Getuid() != 0 {
			return command{}, failed(codePermissionDenied, fmt.Sprintf("cannot run as user %q: the agent is not root", a.name))
		}
		cmd.credential = &syscall.Credential{Uid: a.uid, Gid: a.gid, Groups: a.groups}
	}
	return cmd, nil
}

func noZeroBytes(c processConfig) error {
	all := append([]string{c.Cmd, c.Cwd}, c.Args...)
	for k, v := range c.Envs {
		if k == "" || strings.Contains(k, "=") {
			return failed(codeInvalidArgument, fmt.Sprintf("%q is not a name for an environment variable", k))
		}
		all = append(all, k, v)
	}
	for _, s := range all {
		if strings.IndexByte(s, 0) >= 0 {
			return failed(codeInvalidArgument, "a process parameter contains a zero byte")
		}
	}
	return nil
}

// environment is small on purpose: nothing of the agent's own environment leaks into a process.
func environment(a account, layers ...map[string]string) map[string]string {
	env := map[string]string{"PATH": defaultPath, "HOME": a.home, "USER": a.name, "LOGNAME": a.name}
	if a.shell != "" {
		env["SHELL"] = a.shell
	}
	for _, layer := range layers {
		for k, v := range layer {
			env[k] = v
		}
	}
	return env
}

func directory(asked, workdir string, a account) (string, error) {
	dir := a.resolve(asked)
	if asked == "" && workdir != "" {
		dir = a.resolve(workdir)
	}
	info, err := os.Stat(dir)
	if err == nil && info.IsDir() {
		return dir, nil
	}
	if asked == "" && workdir == "" {
		return "/", nil // a user without a home can still run commands
	}
	return "", failed(codeInvalidArgument, fmt.Sprintf("cwd %q is not a directory", dir))
}

// find looks up a command as the process itself would: in its PATH, relative to its directory.
func find(name, path, dir string) (string, error) {
	candidates := []string{name}
	if !strings.Contains(name, "/") {
		candidates = candidates[:0]
		for _, folder := range filepath.SplitList(path) {
			candidates = append(candidates, filepath.Join(folder, name))
		}
	}
	reason := reasonNotFound
	for _, candidate := range candidates {
		if !filepath.IsAbs(candidate) {
			candidate = filepath.Join(dir, candidate)
		}
		info, err := os.Stat(candidate)
		if err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
			return candidate, nil
		}
		if err == nil {
			reason = reasonNotExecutable
		}
	}
	return "", notStarted(reason, fmt.Sprintf("command %q was not found or is not executable", name))
}
