// SPDX-License-Identifier: Apache-2.0

package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func testAuthority(t *testing.T, name string) string {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name},
		NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
}

func (f *fixture) trusts(directory string) {
	f.agent.trustFiles = trustFiles{
		own:     filepath.Join(directory, "local/ramet.crt"),
		bundle:  filepath.Join(directory, "certs/all.crt"),
		bundles: []string{filepath.Join(directory, "link.pem"), filepath.Join(directory, "none/at/all.pem")},
	}
}

func trustBody(authority string) string {
	body, _ := json.Marshal(map[string]string{"authority": authority})
	return string(body)
}

func content(t *testing.T, path string) string {
	t.Helper()
	bytes, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(bytes)
}

func TestTrustAddsToWhatIsTrusted(t *testing.T) {
	f := newFixture(t)
	directory := t.TempDir()
	f.trusts(directory)
	other, first, second := "# others\n"+strings.TrimSuffix(testAuthority(t, "other"), "\n"), testAuthority(t, "a"), testAuthority(t, "b")
	bundle := filepath.Join(directory, "certs/all.crt")
	if err := os.MkdirAll(filepath.Dir(bundle), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(bundle, []byte(other), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("certs/all.crt", filepath.Join(directory, "link.pem")); err != nil {
		t.Fatal(err)
	}

	f.want(f.do("POST", "/trust", "", trustBody(first)), 204, "")
	if got := content(t, bundle); got != other+"\n"+first {
		t.Errorf("bundle: %q", got)
	}
	info, err := os.Lstat(bundle)
	if err != nil || info.Mode().Perm() != 0o644 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	if got := content(t, filepath.Join(directory, "local/ramet.crt")); got != first {
		t.Errorf("own: %q", got)
	}
	f.want(f.do("POST", "/trust", "", trustBody(first)), 204, "")
	if again, err := os.Lstat(bundle); err != nil || !os.SameFile(info, again) {
		t.Errorf("the bundle was written again: %v", err)
	}
	f.want(f.do("POST", "/trust", "", trustBody(second)), 204, "")
	if got := content(t, bundle); got != other+"\n"+second {
		t.Errorf("bundle with another authority: %q", got)
	}
	if _, err := os.Stat(filepath.Join(directory, "none")); err == nil {
		t.Error("a bundle of another system was made")
	}
	left, err := filepath.Glob(filepath.Join(directory, "certs/.ramet-*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left: %v, %v", left, err)
	}
}

func TestTrustMakesWhatIsMissingAndTellsCommands(t *testing.T) {
	f := newFixture(t)
	directory := t.TempDir()
	f.trusts(directory)
	authority := testAuthority(t, "a")
	f.want(f.do("POST", "/init", "", `{"envVars":{"SSL_CERT_FILE":"/mine","COLOR":"blue"}}`), 204, "")
	f.want(f.do("POST", "/trust", "", trustBody(authority)), 204, "")
	if got := content(t, filepath.Join(directory, "certs/all.crt")); got != authority {
		t.Errorf("bundle: %q", got)
	}
	told := f.stream("Start", shell("echo $NODE_EXTRA_CA_CERTS $SSL_CERT_FILE $COLOR")).drain().stdout
	if want := directory + "/local/ramet.crt /mine blue\n"; told != want {
		t.Errorf("commands see %q", told)
	}
	f.want(f.do("POST", "/init", "", `{"envVars":{"COLOR":"red"}}`), 204, "")
	told = f.stream("Start", shell("echo $SSL_CERT_FILE $COLOR")).drain().stdout
	if want := directory + "/certs/all.crt red\n"; told != want {
		t.Errorf("commands see %q after another init", told)
	}
}

func TestTrustRefusesNonsense(t *testing.T) {
	f := newFixture(t)
	directory := t.TempDir()
	f.trusts(directory)
	authority := testAuthority(t, "a")
	for _, body := range []string{"", "{", "{}", trustBody("x"), trustBody(authority + authority),
		trustBody("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"),
		strings.Repeat(" ", maxTrustBytes+1)} {
		f.want(f.do("POST", "/trust", "", body), 400, `"code":400`)
	}
	f.want(f.do("POST", "/init", "", `{"accessToken":"t"}`), 204, "")
	f.want(f.do("POST", "/trust", "", trustBody(authority)), 401, "")
	entries, err := os.ReadDir(directory)
	if err != nil || len(entries) > 0 {
		t.Errorf("left: %v, %v", entries, err)
	}
}
