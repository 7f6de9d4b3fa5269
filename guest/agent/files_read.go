// SPDX-License-Identifier: Apache-2.0

package main

import (
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"syscall"
	"time"
)

// readFile streams a file. Range requests work too.
func (a *agent) readFile(w http.ResponseWriter, r *http.Request) {
	err := a.mayUseFiles(r, "read")
	var path string
	if err == nil {
		path, _, err = a.pathOf(r, r.URL.Query().Get("path"))
	}
	if err != nil {
		writeFileError(w, err)
		return
	}
	// Without O_NONBLOCK, opening a named pipe would wait for a writer.
	file, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		writeFileError(w, err)
		return
	}
	defer file.Close()
	info, err := file.Stat()
	switch {
	case err != nil:
		writeFileError(w, err)
	case info.IsDir():
		writeError(w, http.StatusBadRequest, fmt.Sprintf("%s is a directory", path))
	case !info.Mode().IsRegular():
		writeError(w, http.StatusBadRequest, fmt.Sprintf("%s is not a regular file", path))
	default:
		w.Header().Set("Content-Type", "application/octet-stream")
		w.Header().Set("Vary", "Accept-Encoding")
		if wantsGzip(r) {
			sendCompressed(w, file)
			return
		}
		if info.Size() == 0 { // either empty, or in /proc or /sys, where files do not know their size
			_, _ = io.Copy(w, file)
			return
		}
		http.ServeContent(w, r, "", time.Time{}, file)
	}
}

// wantsGzip reports whether a client accepts only gzip. HTTP libraries announce several encodings
// by default; compressing for all of them would cost the guest more than it saves.
func wantsGzip(r *http.Request) bool {
	return strings.EqualFold(strings.TrimSpace(r.Header.Get("Accept-Encoding")), "gzip") && r.Header.Get("Range") == ""
}

func sendCompressed(w http.ResponseWriter, from io.Reader) {
	w.Header().Set("Content-Encoding", "gzip")
	packed, _ := gzip.NewWriterLevel(w, gzip.BestSpeed)
	if _, err := io.Copy(packed, from); err != nil {
		panic(http.ErrAbortHandler) // the client must not take part of a file for all of it
	}
	_ = packed.Close()
}

// pathOf resolves the path in a request for the user that the request names.
func (a *agent) pathOf(r *http.Request, path string) (string, account, error) {
	name := r.URL.Query().Get("username")
	if name == "" {
		name, _, _ = r.BasicAuth()
	}
	user, err := a.userNamed(name)
	if err != nil {
		return "", account{}, err
	}
	if strings.IndexByte(path, 0) >= 0 {
		return "", account{}, &fileError{http.StatusBadRequest, "the path contains a zero byte"}
	}
	return user.resolve(path), user, nil
}

// fileError is an error whose HTTP status is known where it happens.
type fileError struct {
	status  int
	message string
}

func (e *fileError) Error() string { return e.message }

func writeFileError(w http.ResponseWriter, err error) {
	var known *fileError
	var unknown unknownUser
	status := http.StatusInternalServerError
	switch {
	case errors.As(err, &known):
		status = known.status
	case errors.As(err, &unknown):
		status = http.StatusUnauthorized
	case errors.Is(err, os.ErrNotExist):
		status = http.StatusNotFound
	case errors.Is(err, os.ErrPermission):
		status = http.StatusForbidden
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		status = http.StatusInsufficientStorage
	case errors.Is(err, syscall.ENOTDIR), errors.Is(err, syscall.EISDIR), errors.Is(err, syscall.ENAMETOOLONG),
		errors.Is(err, syscall.ELOOP), errors.Is(err, syscall.ENXIO):
		status = http.StatusBadRequest
	}
	writeError(w, status, err.Error())
}
