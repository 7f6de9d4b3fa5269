// SPDX-License-Identifier: Apache-2.0

package main

import (
	"compress/gzip"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestMetadata(t *testing.T) {
	f := newFixture(t)
	path := filepath.Join(t.TempDir(), "f")
	f.want(f.do("POST", f.fileURL(path), octets, "x", "X-Metadata-Author", "me", "X-Metadata-Run.ID", "7"), 200,
		`"metadata":{"author":"me","run.id":"7"}`)
	stat := func() answer { return f.do("POST", "/filesystem.Filesystem/Stat", "application/json", asked(path, "")) }
	f.want(stat(), 200, `"metadata":{"author":"me","run.id":"7"}`)
	f.want(f.do("POST", "/filesystem.Filesystem/ListDir", "application/json", asked(filepath.Dir(path), "")), 200, `"author":"me"`)
	moved := fmt.Sprintf(`{"source":%q,"destination":%q}`, path, path+"2")
	f.want(f.do("POST", "/filesystem.Filesystem/Move", "application/json", moved), 200, `"author":"me"`)
	must(t, os.Rename(path+"2", path))
	f.want(f.do("POST", f.fileURL(path), octets, "y", "X-Metadata-Other", ""), 200, `"metadata":{"other":""}`)
	if got := stat(); strings.Contains(got.body, "author") {
		t.Fatal(got.body)
	}
	f.want(f.do("POST", f.fileURL(path), octets, "y"), 200, `"type":"file"}]`)
	if got := stat(); strings.Contains(got.body, "metadata") {
		t.Fatal(got.body)
	}
}

func TestTooMuchMetadata(t *testing.T) {
	f := newFixture(t)
	folder := t.TempDir()
	path := filepath.Join(folder, "f")
	f.want(f.do("POST", f.fileURL(path), octets, "x", "X-Metadata-A", strings.Repeat("a", maxMetadataBytes)), 400, "too large")
	f.want(f.do("POST", f.fileURL(path), octets, "x", "X-Metadata-"+strings.Repeat("k", maxMetadataKey+1), "v"), 400, "too large")
	if names := entries(t, folder); len(names) != 0 {
		t.Fatalf("left behind: %v", names)
	}
}

func TestDownloadIsCompressedOnRequest(t *testing.T) {
	f := newFixture(t)
	path := filepath.Join(t.TempDir(), "f")
	content := strings.Repeat("compressible ", 10000)
	must(t, os.WriteFile(path, []byte(content), 0o600))
	got := f.do("GET", f.fileURL(path), "", "", "Accept-Encoding", "gzip")
	if got.header.Get("Content-Encoding") != "gzip" || len(got.body) > len(content)/10 {
		t.Fatalf("%d bytes, %v", len(got.body), got.header)
	}
	unpacked, err := gzip.NewReader(strings.NewReader(got.body))
	must(t, err)
	back, err := io.ReadAll(unpacked)
	must(t, err)
	if string(back) != content {
		t.Fatal("the content differs")
	}
	if got = f.do("GET", f.fileURL(path), "", "", "Accept-Encoding", "gzip, deflate"); got.body != content {
		t.Fatal("compressed without need")
	}
	if got = f.do("GET", f.fileURL(path), "", "", "Accept-Encoding", "gzip", "Range", "bytes=0-3"); got.body != "comp" {
		t.Fatalf("%q", got.body)
	}
}

func TestSignature(t *testing.T) {
	f := newFixture(t)
	path := filepath.Join(t.TempDir(), "a file")
	f.want(f.do("POST", "/init", "", `{"accessToken":"s3cret"}`), 204, "")
	signed := func(operation, user, expiration string) string {
		q := url.Values{"path": {path}, "signature": {signature(path, operation, user, "s3cret", expiration)}}
		if user != "" {
			q.Set("username", user)
		}
		if expiration != "" {
			q.Set("signature_expiration", expiration)
		}
		return "/files?" + q.Encode()
	}
	now := f.clock.Unix()
	later, earlier := fmt.Sprint(now+10), fmt.Sprint(now-1)
	f.want(f.do("POST", signed("write", "", ""), octets, "x"), 200, path)
	f.want(f.do("GET", signed("read", "", ""), "", ""), 200, "x")
	f.want(f.do("GET", signed("read", "tester", later), "", ""), 200, "x")
	f.want(f.do("GET", signed("read", "", earlier), "", ""), 401, `"message":"signature is already expired"`)
	f.want(f.do("POST", signed("read", "", ""), octets, "y"), 401, "invalid signature")
	f.want(f.do("GET", signed("read", "", later)+"1", "", ""), 401, "invalid signature")
	f.want(f.do("GET", signed("read", "tester", ""), "", ""), 200, "x")
	f.want(f.do("GET", strings.Replace(signed("read", "tester", ""), "tester", "other", 1), "", ""), 401, "invalid signature")
	f.want(f.do("GET", f.fileURL(path), "", ""), 401, "signature is required")
	f.want(f.do("GET", signed("read", "", "soon"), "", ""), 400, "not a number")
	// A value made by another implementation.
	if got := signature("test.txt", "read", "user", "token", "1700000000"); got != "v1_+tbboWi777p9k7mcIXsFjVEAVxKANJiXh8eYSOjfjco" {
		t.Error(got)
	}
}

func TestTheRootStays(t *testing.T) {
	for path, may := range map[string]bool{"/": false, "/a": true} {
		if mayRemove(path) != may {
			t.Errorf("%s: %t", path, !may)
		}
	}
}
