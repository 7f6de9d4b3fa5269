// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/binary"
	"net/http"
	"strings"
	"testing"
)

// asHost makes a call with a secret, and returns the status and the secret's header in the answer.
func (f *fixture) asHost(path, secret, body string) (int, string) {
	f.Helper()
	request, err := http.NewRequest("POST", f.url+path, strings.NewReader(body))
	if err != nil {
		f.Fatal(err)
	}
	if secret != "" {
		request.Header.Set(secretHeader, secret)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		f.Fatal(err)
	}
	response.Body.Close()
	return response.StatusCode, response.Header.Get(secretHeader)
}

func (f *fixture) wantStatus(path, secret, body string, want int) {
	f.Helper()
	if got, _ := f.asHost(path, secret, body); got != want {
		f.Errorf("%s with %q and %s: %d instead of %d", path, secret, body, got, want)
	}
}

func TestOnlyTheHostMayCallWhatIsForIt(t *testing.T) {
	f := newFixture(t)
	f.agent.settings.use(credentials{HostSecret: "first"})
	for _, path := range []string{"/init", "/ready", "/settle", "/template", "/trust", "/unpack", "/freeze", "/thaw", "/volume"} {
		for _, secret := range []string{"", "firs", "first1", "other"} {
			f.wantStatus(path, secret, `{"accessToken":"mine","hostname":"evil"}`, 401)
		}
	}
	if f.host == "evil" || f.synced || f.agent.settings.accessToken() != "" {
		t.Error("a call that was refused did something")
	}
	f.wantStatus("/settle", "first", "", 204)
	f.want(f.do("GET", "/health", "", ""), 204, "")
	f.want(f.do("GET", "/metrics", "", ""), 200, "mem_total")
}

func TestInitReplacesTheSecret(t *testing.T) {
	f := newFixture(t)
	f.agent.settings.use(credentials{HostSecret: "first"})
	if status, told := f.asHost("/init", "first", `{"hostSecret":"second","generation":"a"}`); status != 204 || told != "required" {
		t.Errorf("%d %q", status, told)
	}
	f.wantStatus("/settle", "first", "", 401)
	f.wantStatus("/settle", "second", "", 204)
	f.wantStatus("/init", "first", `{}`, 401)
	f.wantStatus("/init", "first", `{"hostSecret":"third"}`, 401)
	// The answer was lost, and the host asks again with what it knew.
	f.wantStatus("/init", "first", `{"hostSecret":"second","generation":"a"}`, 204)
	f.wantStatus("/init", "second", `{}`, 204)
	f.wantStatus("/settle", "second", "", 204)
}

func TestRefusedInitReplacesNothing(t *testing.T) {
	f := newFixture(t)
	f.agent.settings.use(credentials{HostSecret: "first"})
	f.wantStatus("/init", "first", `{"hostSecret":"second","defaultUser":"no-such-user"}`, 400)
	f.wantStatus("/settle", "first", "", 204)
}

func TestWithoutASecretTheHostIsNotTold(t *testing.T) {
	f := newFixture(t)
	if status, told := f.asHost("/init", "any", `{"hostSecret":"given"}`); status != 204 || told != "" {
		t.Errorf("%d %q", status, told)
	}
	f.wantStatus("/settle", "", "", 204)
}

func TestTokenHoldsFromTheStart(t *testing.T) {
	f := newFixture(t)
	f.agent.settings.use(credentials{HostSecret: "first", AccessToken: "token"})
	f.want(f.do("GET", "/envs", "", ""), 401, "X-Access-Token")
	f.wantStatus("/init", "first", `{"accessToken":""}`, 204)
	f.want(f.do("GET", "/envs", "", ""), 200, "")
}

func TestCredentials(t *testing.T) {
	got := parseCredentials([]byte("{\"hostSecret\":\"s\",\"accessToken\":\"t\",\"more\":1}   \x00\x00"))
	if got != (credentials{HostSecret: "s", AccessToken: "t"}) {
		t.Errorf("%v", got)
	}
	for _, broken := range []string{"", "{", `{"accessToken":"t"}`, `{"hostSecret":"s`} {
		one, another := parseCredentials([]byte(broken)), parseCredentials([]byte(broken))
		if len(one.HostSecret) != 64 || one.HostSecret == another.HostSecret {
			t.Errorf("%q opens the agent: %v", broken, one)
		}
	}
}

// heldItems is a device without hardware.
type heldItems struct {
	items map[uint16][]byte
	rest  []byte
}

func (h *heldItems) choose(key uint16) { h.rest = h.items[key] }
func (h *heldItems) read(to []byte) {
	n := copy(to, h.rest)
	h.rest = h.rest[n:]
	for ; n < len(to); n++ {
		to[n] = 0 // as QEMU has it beyond an item's end
	}
}

func directoryEntry(name string, key uint16, size int) []byte {
	entry := make([]byte, directoryItem)
	binary.BigEndian.PutUint32(entry, uint32(size))
	binary.BigEndian.PutUint16(entry[4:], key)
	copy(entry[8:], name)
	return entry
}

// holding is a device with one item of the secret's name behind another item.
func holding(key uint16, secret string) *heldItems {
	directory := []byte{0, 0, 0, 2}
	directory = append(directory, directoryEntry("etc/acpi/tables", 0x20, 7)...)
	directory = append(directory, directoryEntry(secretItem, key, len(secret))...)
	return &heldItems{items: map[uint16][]byte{
		signatureKey: []byte("QEMU"), directoryKey: directory, 0x20: []byte("tables!"), key: []byte(secret),
	}}
}

func TestItemsOfTheFirmwareDevice(t *testing.T) {
	device := holding(0x21, "hello")
	if key, size, err := findItem(device, secretItem); err != nil || key != 0x21 || size != 5 {
		t.Errorf("%x %d %v", key, size, err)
	}
	if _, size, err := findItem(device, "opt/dev.ramet/secre"); err != nil || size != 0 {
		t.Errorf("%d %v", size, err)
	}
	device.items[signatureKey] = []byte{255, 255, 255, 255}
	if _, _, err := findItem(device, secretItem); err != errNoItems {
		t.Errorf("no device: %v", err)
	}
	device.items[signatureKey] = []byte("QEMU")
	device.items[directoryKey] = []byte{255, 255, 255, 255}
	if _, _, err := findItem(device, secretItem); err != errNoItems {
		t.Errorf("nonsense: %v", err)
	}
}

// What others have of the machine that was saved opens nothing in the one that was restored, not even
// before the host has come.
func TestRestoredMachineObeysItsOwnHypervisor(t *testing.T) {
	f := newFixture(t)
	device := holding(0x21, `{"hostSecret":"first","accessToken":"old"}`)
	f.agent.handover.device = func(use func(itemDevice) error) error { return use(device) }
	f.agent.settings.use(f.agent.handover.begin())
	f.wantStatus("/settle", "first", "", 401) // the token is wanted too
	f.wantStatus("/init", "first", `{"accessToken":""}`, 204)
	http.DefaultClient.CloseIdleConnections()
	f.wantStatus("/settle", "first", "", 204) // nothing has changed, so that what /init said holds

	device = holding(0x22, `{"hostSecret":"second","accessToken":"new"}`)
	http.DefaultClient.CloseIdleConnections()
	f.wantStatus("/init", "first", `{"accessToken":"mine"}`, 401)
	f.want(f.do("GET", "/envs", "", ""), 401, "X-Access-Token")
	f.wantStatus("/init", "first", `{"accessToken":"","hostSecret":"second"}`, 204)
	f.wantStatus("/settle", "second", "", 204)

	device = &heldItems{items: map[uint16][]byte{}}
	http.DefaultClient.CloseIdleConnections()
	f.wantStatus("/settle", "second", "", 204) // no longer handed over: what is in memory holds
	f.wantStatus("/settle", "first", "", 401)
}

func TestPortsThatAreRefusedEndNothing(t *testing.T) {
	err := withFaults(func() error {
		portDevice{}.choose(signatureKey) // without the permission
		return nil
	})
	if err == nil {
		t.Error("the processor permits ports to everybody")
	}
}

func TestNothingIsHandedOver(t *testing.T) {
	h := handover{device: func(func(itemDevice) error) error { return errNoItems }}
	if c := h.begin(); c != (credentials{}) {
		t.Errorf("%v", c)
	}
	if _, changed := h.changed(); changed {
		t.Error("something changed")
	}
}
