// SPDX-License-Identifier: Apache-2.0

package main

import (
	"crypto/subtle"
	"sync"
)

// settings is what /init may change while the agent runs.
type settings struct {
	mu         sync.RWMutex
	user       string
	workdir    string
	trusted    map[string]string // where trusted authorities are; all else goes over it
	base       map[string]string // of the image; what /init sets goes over it
	given      map[string]string // by /init
	env        map[string]string
	token      string
	hostSecret string // empty: the host is not told from others
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

// defaultEnv returns a map that is replaced as a whole and never modified.
func (s *settings) defaultEnv() map[string]string {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.env
}

// accessToken is empty when none is required.
func (s *settings) accessToken() string {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.token
}

// trusting adds to the environment of commands what names trusted authorities.
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
