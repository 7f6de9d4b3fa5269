// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"crypto/rand"
	"crypto/subtle"
	"encoding/hex"
	"encoding/json"
	"log"
	"net/http"
	"os"
)

const (
	// secretHeader carries the host's secret in a call, and "required" in the answer to /init.
	secretHeader = "X-Ramet-Host-Secret"
	// secretItem is what the hypervisor names the item that it hands over.
	secretItem     = "opt/dev.ramet/secret"
	maxSecretBytes = 4096
)

// credentials is what a machine's hypervisor hands to the guest's root alone. They hold from the
// agent's first moment, and again when the guest or the agent restarts by itself.
type credentials struct {
	HostSecret  string `json:"hostSecret"`
	AccessToken string `json:"accessToken"`
}

// handedOver are the credentials of this machine; empty when its hypervisor hands over none. Ports
// first: in a machine that was restored, the kernel knows only how long the item of its first
// hypervisor was. A kernel that is locked down permits no ports, but may have the module.
func handedOver() credentials {
	text, err := readItem(secretItem, maxSecretBytes)
	if err != nil {
		text, err = os.ReadFile("/sys/firmware/qemu_fw_cfg/by_name/" + secretItem + "/raw")
	}
	if err != nil || text == nil {
		return credentials{}
	}
	return parseCredentials(text)
}

// parseCredentials fails closed: where a secret was meant, its lack must not open the agent to all.
func parseCredentials(text []byte) credentials {
	var c credentials
	err := json.Unmarshal(bytes.TrimRight(text, "\x00"), &c)
	if err == nil && c.HostSecret != "" {
		return c
	}
	log.Print("what the hypervisor hands over cannot be read; the host is refused")
	var random [32]byte
	if _, err := rand.Read(random[:]); err != nil {
		log.Fatal(err)
	}
	return credentials{HostSecret: hex.EncodeToString(random[:])}
}

// use takes over credentials before the agent serves anybody.
func (s *settings) use(c credentials) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hostSecret, s.token = c.HostSecret, c.AccessToken
}

// knowsHost reports whether the host has to prove itself.
func (s *settings) knowsHost() bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.hostSecret != ""
}

// isHost reports whether one of the secrets is the host's.
func (s *settings) isHost(given ...string) bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	is := 0
	for _, secret := range given {
		is |= subtle.ConstantTimeCompare([]byte(s.hostSecret), []byte(secret))
	}
	return is == 1
}

// mayInitialise lets the host in by the secret that this agent has, or by the one that it is to
// have: when an answer was lost, the host repeats the call after the secret was replaced.
func (a *agent) mayInitialise(r *http.Request, request *initRequest) bool {
	return !a.settings.knowsHost() || a.settings.isHost(r.Header.Get(secretHeader), request.HostSecret)
}

// forHost lets nobody but the host call, where the agent can tell.
func (a *agent) forHost(handle http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if a.settings.knowsHost() && !a.settings.isHost(r.Header.Get(secretHeader)) {
			refuseStranger(w)
			return
		}
		handle(w, r)
	}
}

func refuseStranger(w http.ResponseWriter) {
	writeError(w, http.StatusUnauthorized, "only the host may do this: a valid "+secretHeader+" is required")
}
