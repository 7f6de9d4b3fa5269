// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"runtime/debug"
	"time"
)

const (
	maxInitBytes = 1 << 20
	// A clock error smaller than this does not justify a jump in time for all programs.
	clockTolerance = time.Millisecond
)

// initRequest is the host's request to a machine that was just booted or restored.
type initRequest struct {
	Timestamp      *time.Time        `json:"timestamp"`
	Entropy        []byte            `json:"entropy"`
	EnvVars        map[string]string `json:"envVars"`
	Hostname       string            `json:"hostname"`
	DefaultUser    string            `json:"defaultUser"`
	DefaultWorkdir string            `json:"defaultWorkdir"`
	AccessToken    *string           `json:"accessToken"`
	// HostSecret replaces the secret that this call was made with. An agent without a secret stays
	// without one.
	HostSecret string `json:"hostSecret"`
	// Generation names the restore that this call belongs to. Calls that repeat it leave open
	// connections alone; a call without it always counts as the first after a restore.
	Generation string `json:"generation"`
	// Volumes are the volumes of this machine; all other mounted volumes are unmounted. If absent, all
	// stay.
	Volumes *[]volumeMount `json:"volumes"`
}

// init gives a restored machine its own identity. It runs after every restore, when each page that
// it touches must be copied, so it does only what the request asks for.
func (a *agent) init(w http.ResponseWriter, r *http.Request) {
	body, err := readLimited(r.Body, maxInitBytes)
	var request initRequest
	if err == nil && len(body) > 0 {
		err = json.Unmarshal(body, &request)
	}
	if !a.mayInitialise(r, &request) {
		refuseStranger(w)
		return
	}
	if err == nil && len(request.Entropy) > maxEntropyBytes {
		err = fmt.Errorf("more than %d bytes of entropy", maxEntropyBytes)
	}
	if err == nil && request.DefaultUser != "" {
		_, err = a.users.lookup(request.DefaultUser)
	}
	if err != nil {
		writeError(w, http.StatusBadRequest, "bad init request: "+err.Error())
		return
	}
	if err := a.applyToSystem(&request); err != nil {
		writeError(w, http.StatusInternalServerError, err.Error())
		return
	}
	if request.Volumes != nil {
		a.volumes.keep(*request.Volumes)
	}
	if a.settings.apply(&request) {
		a.connections.closeAllBut(connectionOf(r))
	}
	if a.settings.knowsHost() {
		w.Header().Set(secretHeader, "required")
	}
	w.WriteHeader(http.StatusNoContent)
}

// applyToSystem adds the entropy first: nothing may draw random numbers before that.
func (a *agent) applyToSystem(request *initRequest) error {
	if len(request.Entropy) > 0 {
		if err := a.system.addEntropy(request.Entropy); err != nil {
			return fmt.Errorf("cannot add entropy: %w", err)
		}
	}
	if request.Timestamp != nil {
		off := request.Timestamp.Sub(a.system.now())
		if off > clockTolerance || off < -clockTolerance {
			if err := a.system.setClock(*request.Timestamp); err != nil {
				return fmt.Errorf("cannot set the clock: %w", err)
			}
		}
	}
	if request.Hostname != "" {
		if err := a.system.setHostname(request.Hostname); err != nil {
			return fmt.Errorf("cannot set the host name: %w", err)
		}
	}
	return nil
}

// apply reports whether the request is the first after a restore.
func (s *settings) apply(request *initRequest) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if request.EnvVars != nil {
		s.given = request.EnvVars
		s.env = layered(s.trusted, s.base, s.given)
	}
	if request.DefaultUser != "" {
		s.user = request.DefaultUser
	}
	if request.DefaultWorkdir != "" {
		s.workdir = request.DefaultWorkdir
	}
	if request.AccessToken != nil {
		s.token = *request.AccessToken
	}
	if s.hostSecret != "" && request.HostSecret != "" {
		s.hostSecret = request.HostSecret
	}
	first := request.Generation == "" || request.Generation != s.generation
	s.generation = request.Generation
	return first
}

// layered merges the maps; later ones take precedence.
func layered(layers ...map[string]string) map[string]string {
	all := make(map[string]string)
	for _, layer := range layers {
		for name, value := range layer {
			all[name] = value
		}
	}
	return all
}

// settle is called before a template is captured. Remaining garbage would be part of every machine
// made from the template, and each of them would write the unwritten file data.
func (a *agent) settle(w http.ResponseWriter, r *http.Request) {
	a.system.sync()
	debug.FreeOSMemory() // collects first
	w.WriteHeader(http.StatusNoContent)
}
