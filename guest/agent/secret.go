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
	// secretHeader carries the host's secret in a call, and "required" in the response to /init.
	secretHeader = "X-Ramet-Host-Secret"
	// secretItem is the name of the hypervisor's item with the credentials.
	secretItem     = "opt/dev.ramet/secret"
	maxSecretBytes = 4096
)

// credentials are passed by a machine's hypervisor to the guest's root only. They are valid from
// the agent's start, and again after the guest or the agent restarts.
type credentials struct {
	HostSecret  string `json:"hostSecret"`
	AccessToken string `json:"accessToken"`
}

// handover reads the credentials. A restored machine gets other credentials than the one that was
// saved, and only their change tells this agent about the restore. Safe for several goroutines.
type handover struct {
	device func(func(itemDevice) error) error

	mu   sync.Mutex
	key  uint16
	seen []byte // as last read; nil if there is nothing to watch
	now  []byte // buffer for reading it again without garbage in memory, which each machine would have to copy
}

// begin reads the credentials, which are empty if there are none. It tries the ports first, because
// a kernel shows the item as it was at boot. A locked-down kernel permits no ports but may show the
// item.
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

// changed returns new credentials once, if they differ from those read before.
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
		// The item is gone: the host knows the secret that is in memory.
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

// parseCredentials fails closed: if a secret was intended, its absence must not open the agent to
// everybody.
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

// use makes credentials effective.
func (s *settings) use(c credentials) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hostSecret, s.token = c.HostSecret, c.AccessToken
}

// knowsHost reports whether the host must authenticate itself.
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

// recognise adopts the credentials that the hypervisor passes to a restored machine. It is called
// before a new connection is served; earlier connections are dead. So the secret and token of the
// saved machine, which others may know, give no access here.
func (a *agent) recognise() {
	if fresh, changed := a.handover.changed(); changed {
		a.settings.use(fresh)
	}
}

// mayInitialise admits the host with the agent's current secret or with the new one: if a response
// was lost, the host repeats the call after the secret was replaced.
func (a *agent) mayInitialise(r *http.Request, request *initRequest) bool {
	return !a.settings.knowsHost() || a.settings.isHost(r.Header.Get(secretHeader), request.HostSecret)
}

// forHost admits only the host, if the agent can recognise it.
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
