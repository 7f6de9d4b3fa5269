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
	"sync"
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

// handover is where credentials come from. A machine that is restored gets others than the one that
// was saved, and nothing tells this agent so but that they have changed. Safe for several goroutines.
type handover struct {
	device func(func(itemDevice) error) error

	mu   sync.Mutex
	key  uint16
	seen []byte // as it was read last; nil when there is nothing to watch
	now  []byte // to read it again without leaving garbage in memory that each machine has to copy
}

// begin reads the credentials; they are empty when there are none. Ports first: a kernel shows of the
// item what it was when the kernel booted. One that is locked down permits no ports, but may show it.
func (h *handover) begin() credentials {
	h.mu.Lock()
	defer h.mu.Unlock()
	text, err := h.read()
	if err != nil {
		text, err = os.ReadFile("/sys/firmware/qemu_fw_cfg/by_name/" + secretItem + "/raw")
	}
	if err != nil || text == nil {
		return credentials{}
	}
	return parseCredentials(text)
}

// changed returns other credentials than those read before, once.
func (h *handover) changed() (credentials, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.seen == nil {
		return credentials{}, false
	}
	same := false
	err := h.device(func(device itemDevice) error {
		device.choose(h.key)
		device.read(h.now)
		same = bytes.Equal(h.now, h.seen)
		return nil
	})
	if err != nil || same {
		return credentials{}, false
	}
	text, err := h.read()
	if err != nil || text == nil {
		// Handed over no more: the secret in memory is what the host knows.
		return credentials{}, false
	}
	return parseCredentials(text), true
}

func (h *handover) read() ([]byte, error) {
	h.seen = nil
	err := h.device(func(device itemDevice) error {
		key, size, err := findItem(device, secretItem)
		if err != nil || size == 0 || size > maxSecretBytes {
			return err
		}
		h.key, h.seen, h.now = key, make([]byte, size), make([]byte, size)
		device.choose(key)
		device.read(h.seen)
		return nil
	})
	return h.seen, err
}

// parseCredentials fails closed: where a secret was meant, its lack must not open the agent to all.
func parseCredentials(text []byte) credentials {
	var c credentials
	err := json.Unmarshal(bytes.TrimRight(text, "\x00"), &c)
	if err == nil && c.HostSecret != "" {
		return c
	}
	log.Print("cannot read the items from the hypervisor; requests from the host are refused")
	var random [32]byte
	if _, err := rand.Read(random[:]); err != nil {
		log.Fatal(err)
	}
	return credentials{HostSecret: hex.EncodeToString(random[:])}
}

// use has credentials hold from now on.
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

// recognise takes over what the hypervisor of a machine that was restored hands over. It is called
// before a new connection is served: those of before lead nowhere, so that the secret and the token of
// the machine that was saved, which others may have, open nothing here.
func (a *agent) recognise() {
	if fresh, changed := a.handover.changed(); changed {
		a.settings.use(fresh)
	}
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
