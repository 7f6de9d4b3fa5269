// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
)

const maxTrustBytes = 16 << 10

// trustFiles are the files in which programs look for trusted authorities.
type trustFiles struct {
	own     string   // only the host's authority
	bundle  string   // all authorities in one file, as on Debian; created if missing
	bundles []string // the equivalents on other systems, if they exist
}

func systemTrustFiles() trustFiles {
	return trustFiles{
		own:    "/usr/local/share/ca-certificates/ramet.crt",
		bundle: "/etc/ssl/certs/ca-certificates.crt",
		bundles: []string{
			"/etc/pki/tls/certs/ca-bundle.crt", // Fedora
			"/etc/ssl/ca-bundle.pem",           // openSUSE
			"/etc/ssl/cert.pem",                // Alpine
		},
	}
}

// forCommands returns variables for programs that bring their own list of authorities.
func (f trustFiles) forCommands() map[string]string {
	return map[string]string{
		"NODE_EXTRA_CA_CERTS": f.own,    // Node.js
		"REQUESTS_CA_BUNDLE":  f.bundle, // Python's requests, pip
		"SSL_CERT_FILE":       f.bundle, // Python's httpx, and what uses OpenSSL
	}
}

// trust makes programs in this machine trust an authority: the host's, which terminates the TLS of
// requests that it puts headers into. An earlier authority of the host is no longer trusted.
func (a *agent) trust(w http.ResponseWriter, r *http.Request) {
	body, err := readLimited(r.Body, maxTrustBytes)
	var request struct {
		Authority string `json:"authority"`
	}
	if err == nil {
		err = json.Unmarshal(body, &request)
	}
	var authority []byte
	if err == nil {
		authority, err = oneCertificate([]byte(request.Authority))
	}
	if err != nil {
		writeError(w, http.StatusBadRequest, "bad trust request: "+err.Error())
		return
	}
	if err := a.trustFiles.add(authority); err != nil {
		writeError(w, http.StatusInternalServerError, "cannot make programs trust the host: "+err.Error())
		return
	}
	a.settings.trusting(a.trustFiles.forCommands())
	w.WriteHeader(http.StatusNoContent)
}

// oneCertificate returns the certificate in canonical form.
func oneCertificate(text []byte) ([]byte, error) {
	block, rest := pem.Decode(text)
	if block == nil || block.Type != "CERTIFICATE" || len(bytes.TrimSpace(rest)) > 0 {
		return nil, errors.New("authority must be one certificate in PEM form")
	}
	if _, err := x509.ParseCertificate(block.Bytes); err != nil {
		return nil, err
	}
	return pem.EncodeToMemory(&pem.Block{Type: block.Type, Bytes: block.Bytes}), nil
}

// add does not touch files that contain it already: each written page is one more page that this
// machine does not share.
func (f trustFiles) add(authority []byte) error {
	before, err := readIfThere(f.own)
	if err != nil {
		return err
	}
	changed := map[string]bool{}
	for i, name := range append([]string{f.bundle}, f.bundles...) {
		// Replace the file itself, not a link to it.
		path, err := filepath.EvalSymlinks(name)
		if errors.Is(err, os.ErrNotExist) {
			if i > 0 {
				continue
			}
			path, err = name, nil
		}
		if err != nil {
			return err
		}
		if changed[path] {
			continue
		}
		changed[path] = true
		if err := addTo(path, before, authority); err != nil {
			return err
		}
	}
	if bytes.Equal(before, authority) {
		return nil
	}
	// Last, because this file marks which authority to look for in the bundles.
	return replace(f.own, authority)
}

func addTo(bundle string, before, authority []byte) error {
	all, err := readIfThere(bundle)
	if err != nil {
		return err
	}
	fresh := all
	if len(before) > 0 && !bytes.Equal(before, authority) {
		fresh = bytes.ReplaceAll(fresh, before, nil)
	}
	if !bytes.Contains(fresh, authority) {
		if len(fresh) > 0 && fresh[len(fresh)-1] != '\n' {
			fresh = append(fresh[:len(fresh):len(fresh)], '\n')
		}
		fresh = append(fresh[:len(fresh):len(fresh)], authority...)
	}
	if bytes.Equal(fresh, all) {
		return nil
	}
	return replace(bundle, fresh)
}

func readIfThere(path string) ([]byte, error) {
	content, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	return content, err
}

// replace writes a world-readable file; a concurrent reader sees the old file or the new one.
func replace(path string, content []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	next, err := os.CreateTemp(filepath.Dir(path), ".ramet-*")
	if err != nil {
		return err
	}
	defer os.Remove(next.Name())
	_, err = next.Write(content)
	if err == nil {
		err = next.Chmod(0o644)
	}
	if closing := next.Close(); err == nil {
		err = closing
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return os.Rename(next.Name(), path)
}
