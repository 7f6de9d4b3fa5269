// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
)

const (
	templateName     = "template.json"
	startLogName     = "start.log"
	maxTemplateBytes = 1 << 20
	// Lost with the machine, but not with an agent, which may be restarted.
	startedMark = "/run/ramet-started"
)

// ownDir is the directory for data that must survive a boot.
func ownDir() string {
	if info, err := os.Stat(oursDir); err == nil && info.IsDir() {
		return oursDir
	}
	return "/var/lib/ramet"
}

// firstOfMachine returns true once in a machine's life.
func firstOfMachine() bool {
	mark, err := os.OpenFile(startedMark, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return !errors.Is(err, os.ErrExist)
	}
	mark.Close()
	return true
}

// templateFile holds the settings that a template's builder made for all machines created from it.
// It is in the agent's memory, from which they usually start, and on the disk for those that boot.
type templateFile struct {
	EnvVars map[string]string `json:"envVars,omitempty"`
	User    string            `json:"user,omitempty"`
	Workdir string            `json:"workdir,omitempty"`
	Start   string            `json:"start,omitempty"` // a shell command
	Ready   string            `json:"ready,omitempty"` // a shell command
}

func (t templateFile) starts() bool { return t.Start != "" || t.Ready != "" }

// over merges both: a template inherits from the one it was made from.
func (t templateFile) over(earlier templateFile) templateFile {
	t.EnvVars = layered(earlier.EnvVars, t.EnvVars)
	if t.User == "" {
		t.User = earlier.User
	}
	if t.Workdir == "" {
		t.Workdir = earlier.Workdir
	}
	if !t.starts() {
		t.Start, t.Ready = earlier.Start, earlier.Ready
	}
	return t
}

// readTemplateFile returns an empty value if the file does not exist.
func readTemplateFile(name string) (templateFile, error) {
	var t templateFile
	content, err := os.ReadFile(name)
	if errors.Is(err, os.ErrNotExist) {
		return t, nil
	}
	if err == nil {
		err = json.Unmarshal(content, &t)
	}
	return t, err
}

func (t templateFile) write(name string) error {
	content, err := json.Marshal(t)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	file, err := os.CreateTemp(filepath.Dir(name), ".template-*")
	if err != nil {
		return err
	}
	defer os.Remove(file.Name()) // does nothing once it was renamed
	_, err = file.Write(content)
	if err == nil {
		err = file.Sync()
	}
	if closeErr := file.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = os.Rename(file.Name(), name)
	}
	return err
}

// shape applies the template's settings to all processes from now on.
func (s *settings) shape(t templateFile) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.base = layered(s.base, t.EnvVars)
	s.env = layered(s.env, t.EnvVars)
	if t.User != "" {
		s.user = t.User
	}
	if t.Workdir != "" {
		s.workdir = t.Workdir
	}
}

// bootTemplate is called when the agent starts; it returns whether the template has a command to
// start, which then replaces the image's.
func (a *agent) bootTemplate(start bool) (bool, error) {
	t, err := readTemplateFile(a.templateName)
	if err != nil {
		return false, fmt.Errorf("%s: %w", a.templateName, err)
	}
	a.settings.shape(t)
	if start && t.starts() {
		a.startTemplate(t)
	}
	return t.starts(), nil
}

// startTemplate starts the template's command, replacing one that was started before.
func (a *agent) startTemplate(t templateFile) {
	s := startFile{User: a.settings.defaultUser(), Dir: a.settings.defaultWorkdir()}
	for name, value := range a.settings.defaultEnv() {
		s.Env = append(s.Env, name+"="+value)
	}
	if t.Start != "" {
		s.Start = loginShell(t.Start)
	}
	if t.Ready != "" {
		s.Ready = loginShell(t.Ready)
	}
	a.starter.stop()
	a.startImage(s, a.startLog)
}

// loginShell returns a command that runs as clients of the contract run theirs.
func loginShell(command string) []string { return []string{"/bin/bash", "-l", "-c", command} }

// makeTemplate is called once a template's builder has finished its steps. /ready reports the state
// of the command that it starts.
func (a *agent) makeTemplate(w http.ResponseWriter, r *http.Request) {
	var t templateFile
	body, err := readLimited(r.Body, maxTemplateBytes)
	if err == nil {
		err = json.Unmarshal(body, &t)
	}
	if err == nil {
		err = a.checkTemplate(t)
	}
	if err != nil {
		writeError(w, http.StatusBadRequest, "bad template: "+err.Error())
		return
	}
	earlier, err := readTemplateFile(a.templateName)
	if err == nil {
		err = t.over(earlier).write(a.templateName)
	}
	if err != nil {
		writeError(w, http.StatusInternalServerError, "cannot store the template: "+err.Error())
		return
	}
	a.settings.shape(t)
	if t.starts() {
		a.startTemplate(t)
	}
	w.WriteHeader(http.StatusNoContent)
}

func (a *agent) checkTemplate(t templateFile) error {
	user, err := a.userNamed(t.User)
	if err != nil {
		return err
	}
	if err := noZeroBytes(processConfig{Cwd: t.Workdir, Args: []string{t.Start, t.Ready}, Envs: t.EnvVars}); err != nil {
		return err
	}
	_, err = directory(t.Workdir, "", user)
	return err
}
