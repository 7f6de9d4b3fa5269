// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"
	"syscall"
)

// The metadata of a file are extended attributes in their own name space: see xattr(7).
const (
	metadataHeader    = "X-Metadata-"
	metadataAttribute = "user.e2b."
	// The kernel allows 255 bytes for an attribute's whole name, and ext4 one block for all of a
	// file's attributes.
	maxMetadataKey   = 255 - len(metadataAttribute)
	maxMetadataBytes = 4096
)

// metadataOf reads the metadata from a request's header, whose names are case-insensitive.
func metadataOf(r *http.Request) (map[string]string, error) {
	var found map[string]string
	total := 0
	for name, values := range r.Header {
		if len(name) <= len(metadataHeader) || !strings.EqualFold(name[:len(metadataHeader)], metadataHeader) {
			continue
		}
		key, value := strings.ToLower(name[len(metadataHeader):]), values[0]
		total += len(key) + len(value)
		if len(values) > 1 {
			return nil, &fileError{http.StatusBadRequest, fmt.Sprintf("the metadata %q is given twice", key)}
		}
		if len(key) > maxMetadataKey || total > maxMetadataBytes {
			return nil, &fileError{http.StatusBadRequest, fmt.Sprintf(
				"metadata are too large: a key may have %d bytes, all together %d", maxMetadataKey, maxMetadataBytes)}
		}
		if found == nil {
			found = make(map[string]string)
		}
		found[key] = value
	}
	return found, nil
}

// setMetadata sets the metadata of a new file, which has none.
func setMetadata(path string, metadata map[string]string) error {
	for key, value := range metadata {
		err := syscall.Setxattr(path, metadataAttribute+key, []byte(value), 0)
		switch {
		case errors.Is(err, syscall.EOPNOTSUPP):
			return &fileError{http.StatusBadRequest, fmt.Sprintf("the file system of %s does not support metadata; write the file elsewhere", path)}
		case err != nil:
			return &os.PathError{Op: "setxattr", Path: path, Err: err}
		}
	}
	return nil
}

// readMetadata returns nil if there is none. Unreadable metadata do not make the whole call fail.
func readMetadata(path string) map[string]string {
	size, err := syscall.Listxattr(path, nil)
	if err != nil || size <= 0 {
		return nil
	}
	names := make([]byte, size)
	if size, err = syscall.Listxattr(path, names); err != nil {
		return nil
	}
	var found map[string]string
	value := make([]byte, maxMetadataBytes)
	for _, name := range bytes.Split(names[:size], []byte{0}) {
		key := strings.TrimPrefix(string(name), metadataAttribute)
		if key == string(name) || key == "" {
			continue
		}
		n, err := syscall.Getxattr(path, string(name), value)
		if err != nil {
			continue // removed meanwhile, or larger than this agent writes
		}
		if found == nil {
			found = make(map[string]string)
		}
		found[key] = string(value[:n])
	}
	return found
}
