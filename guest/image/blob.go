// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/hex"
	"encoding/json"
	"hash"
	"io"
	"regexp"
	"strings"
)

const maxDocumentBytes = 8 << 20

// digest is "algorithm:hex", of which the algorithms are those of the image specification.
type digest string

var wellFormed = regexp.MustCompile(`^(sha256:[0-9a-f]{64}|sha512:[0-9a-f]{128})$`)

func (d digest) check() error {
	if !wellFormed.MatchString(string(d)) {
		return bad(makeAnew, "%.100q is not a digest (sha256 or sha512)", string(d))
	}
	return nil
}

// file is where a layout keeps what has this digest.
func (d digest) file() string { return "blobs/" + strings.Replace(string(d), ":", "/", 1) }

func (d digest) hash() hash.Hash {
	if strings.HasPrefix(string(d), "sha512:") {
		return sha512.New()
	}
	return sha256.New()
}

func (d digest) matches(h hash.Hash) bool {
	return strings.HasSuffix(string(d), ":"+hex.EncodeToString(h.Sum(nil)))
}

// document reads a small file whole; an empty digest is not checked.
func document(from source, name string, want digest) ([]byte, error) {
	reader, size, err := from.open(name)
	if err == errAbsent {
		if want != "" {
			return nil, bad(makeAnew, "%s is missing in the image", want)
		}
		return nil, err
	}
	if err != nil {
		return nil, err
	}
	defer reader.Close()
	if size > maxDocumentBytes {
		return nil, bad(makeAnew, "%s in the image is larger than %d MiB", name, maxDocumentBytes>>20)
	}
	content, err := io.ReadAll(io.LimitReader(reader, maxDocumentBytes))
	if err != nil {
		return nil, err
	}
	if want != "" {
		h := want.hash()
		h.Write(content)
		if !want.matches(h) {
			return nil, bad(makeAnew, "%s in the image is damaged: its digest does not match", want)
		}
	}
	return content, nil
}

// decode tells nothing of the content when it is none: the file may be anything.
func decode(name string, content []byte, into interface{}) error {
	if err := json.NewDecoder(bytes.NewReader(content)).Decode(into); err != nil {
		return bad(makeAnew, "%s in the image is not valid JSON of its type", name)
	}
	return nil
}

// compressedBy names the compression that these first bytes tell of, or is empty.
func compressedBy(magic []byte) string {
	switch {
	case bytes.HasPrefix(magic, []byte{0x1f, 0x8b}):
		return "gzip"
	case bytes.HasPrefix(magic, []byte{0x28, 0xb5, 0x2f, 0xfd}):
		return "zstd"
	case bytes.HasPrefix(magic, []byte("BZh")):
		return "bzip2"
	case bytes.HasPrefix(magic, []byte{0xfd, '7', 'z', 'X'}):
		return "xz"
	}
	return ""
}
