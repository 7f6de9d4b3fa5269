// SPDX-License-Identifier: Apache-2.0

package main

import (
	"crypto/subtle"
	"sync"
)

// settings are the values that /init may change while the agent runs.
type settings struct {
	mu         sync.RWMutex
	user       string
	workdir    string
	trusted    map[string]string // paths of trusted authorities; everything else overrides it
	base       map[string]string // from the image; /init overrides it
	given      map[string]string // set by /init
	env        map[string]string
	token      string
	hostSecret string // empty: the host cannot be recognised
	generation string
}

func (s *settings) defaultUser() string {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.user
}

func (s *settings) defaultWorkdir() string {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.workdir
}

// defaultEnv returns a map that is only replaced, never modified.
func (s *settings) defaultEnv() map[string]string {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.env
}

// accessToken returns the required token, or an empty string if none is required.
func (s *settings) accessToken() string {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.token
}

// trusting adds the variables that name trusted authorities to the environment of commands.
func (s *settings) trusting(names map[string]string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.trusted = names
	s.env = layered(s.trusted, s.base, s.given)
}

func (s *settings) tokenMatches(given string) bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.token == "" || subtle.ConstantTimeCompare([]byte(s.token), []byte(given)) == 1
}
