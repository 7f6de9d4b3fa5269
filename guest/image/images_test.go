// SPDX-License-Identifier: Apache-2.0

package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// entry is one of a layer; what is left out is an ordinary file of root's.
type entry struct {
	name, link, content string
	kind                byte
	mode                int64
	uid                 int
	xattrs              map[string]string
	major, minor        int64
}

func file(name, content string) entry { return entry{name: name, content: content} }
func dir(name string) entry           { return entry{name: name, kind: tar.TypeDir, mode: 0o755} }
func symlink(name, to string) entry   { return entry{name: name, kind: tar.TypeSymlink, link: to} }
func hardlink(name, to string) entry  { return entry{name: name, kind: tar.TypeLink, link: to} }

var longAgo = time.Unix(1_500_000_000, 0)

func archiveOf(t *testing.T, entries ...entry) []byte {
	t.Helper()
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for _, e := range entries {
		h := &tar.Header{Name: e.name, Linkname: e.link, Typeflag: e.kind, Mode: e.mode, Uid: e.uid, Gid: e.uid,
			Size: int64(len(e.content)), ModTime: longAgo, Devmajor: e.major, Devminor: e.minor}
		if e.kind == 0 {
			h.Typeflag = tar.TypeReg
		}
		if e.mode == 0 {
			h.Mode = 0o644
		}
		for name, value := range e.xattrs {
			if h.PAXRecords == nil {
				h.PAXRecords = map[string]string{}
			}
			h.PAXRecords["SCHILY.xattr."+name] = value
		}
		if err := w.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(w, e.content); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func gzipped(content []byte) []byte {
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	_, _ = w.Write(content)
	_ = w.Close()
	return out.Bytes()
}

func sum(content []byte) string {
	s := sha256.Sum256(content)
	return hex.EncodeToString(s[:])
}

type object = map[string]interface{}

func encoded(value interface{}) []byte {
	content, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return content
}

func configOf(architecture string, layers ...[]byte) []byte {
	var ids []string
	for _, l := range layers {
		ids = append(ids, "sha256:"+sum(l))
	}
	return encoded(object{"os": "linux", "architecture": architecture,
		"config": object{"User": "app", "Env": []string{"COLOR=green"}, "Entrypoint": []string{"/run"}, "Cmd": []string{"now"}, "WorkingDir": "/work/here"},
		"rootfs": object{"type": "layers", "diff_ids": ids}})
}

// layout makes an OCI layout; its images have names and platforms that tests want.
type layout struct {
	t    *testing.T
	dir  string
	list []object
}

func newLayout(t *testing.T) *layout {
	l := &layout{t: t, dir: t.TempDir()}
	l.write("oci-layout", []byte(`{"imageLayoutVersion":"1.0.0"}`))
	return l
}

func (l *layout) write(name string, content []byte) {
	l.t.Helper()
	path := filepath.Join(l.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		l.t.Fatal(err)
	}
	if err := os.WriteFile(path, content, 0o644); err != nil {
		l.t.Fatal(err)
	}
}

func (l *layout) blob(media string, content []byte) object {
	l.write("blobs/sha256/"+sum(content), content)
	return object{"mediaType": media, "digest": "sha256:" + sum(content), "size": len(content)}
}

func (l *layout) add(name, architecture string, compress func([]byte) []byte, layers ...[]byte) *layout {
	var descriptors []object
	for _, content := range layers {
		descriptors = append(descriptors, l.blob("application/vnd.oci.image.layer.v1.tar", compress(content)))
	}
	config := l.blob("application/vnd.oci.image.config.v1+json", configOf(architecture, layers...))
	d := l.blob("application/vnd.oci.image.manifest.v1+json", encoded(object{"schemaVersion": 2, "config": config, "layers": descriptors}))
	d["annotations"] = object{"org.opencontainers.image.ref.name": name}
	l.list = append(l.list, d)
	l.write("index.json", encoded(object{"schemaVersion": 2, "manifests": l.list}))
	return l
}

func same(content []byte) []byte { return content }

// saved is what docker save writes, with a folder and a link for each layer.
func saved(t *testing.T, compress func([]byte) []byte, layers ...[]byte) string {
	config := configOf("amd64", layers...)
	name := sum(config) + ".json"
	entries := []entry{file(name, string(config))}
	var names []string
	for i, l := range layers {
		folder := fmt.Sprintf("layer%d", i)
		entries = append(entries, dir(folder), file(folder+".tar", string(compress(l))), symlink(folder+"/layer.tar", "../"+folder+".tar"))
		names = append(names, folder+"/layer.tar")
	}
	entries = append(entries, file("manifest.json", string(encoded([]object{{"Config": name, "RepoTags": []string{"demo:v1"}, "Layers": names}}))))
	return archiveFile(t, archiveOf(t, entries...))
}

func archiveFile(t *testing.T, content []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "image.tar")
	if err := os.WriteFile(path, content, 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// archived is a layout as a tar file.
func archived(t *testing.T, root string) string {
	t.Helper()
	var entries []entry
	err := filepath.Walk(root, func(path string, info os.FileInfo, err error) error {
		if err != nil || info.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		relative, _ := filepath.Rel(root, path)
		entries = append(entries, file("./"+relative, string(content)))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return archiveFile(t, archiveOf(t, entries...))
}

// unpacked is what an image becomes: its tree, and what debugfs is told.
type unpacked struct {
	tree   *tree
	script string
}

const testDisk = 16

func unpackFor(t *testing.T, o options) (unpacked, error) {
	t.Helper()
	o.out = t.TempDir()
	o.add = t.TempDir()
	if o.diskMB == 0 {
		o.diskMB = testDisk
	}
	from, err := openSource(o.image)
	if err != nil {
		return unpacked{}, err
	}
	defer from.Close()
	chosen, err := choose(from, o)
	if err != nil {
		return unpacked{}, err
	}
	tr, err := newTree(o.out+"/data", 1_600_000_000, o.diskMB<<20)
	if err != nil {
		return unpacked{}, err
	}
	if err := merge(tr, from, chosen, o); err != nil {
		return unpacked{}, err
	}
	if err := writeScript(tr, o.out+"/commands"); err != nil {
		return unpacked{}, err
	}
	script, err := os.ReadFile(o.out + "/commands")
	return unpacked{tr, string(script)}, err
}

func mustUnpack(t *testing.T, image string) unpacked {
	t.Helper()
	u, err := unpackFor(t, options{image: image})
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// content is a file's, or what else is there in brackets.
func (u unpacked) content(t *testing.T, path string) string {
	t.Helper()
	n, err := u.tree.at(strings.Split(path, "/"))
	switch {
	case err != nil:
		t.Fatal(err)
	case n == nil:
		return "(absent)"
	case n.kind != fileKind:
		return "(" + string(n.kind) + ")"
	case n.data == 0:
		return ""
	}
	content, err := os.ReadFile(u.tree.dataFile(n.data))
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// refused expects a problem that says this, and what to do.
func refused(t *testing.T, err error, says string) {
	t.Helper()
	p, ok := err.(*problem)
	if !ok || !strings.Contains(p.what, says) || p.remedy == "" || strings.ContainsAny(p.what+p.remedy, "\n") {
		t.Fatalf("not a problem that says %q, on one line, with a remedy: %#v", says, err)
	}
}
