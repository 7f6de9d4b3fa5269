// SPDX-License-Identifier: Apache-2.0

package main

import (
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"os"
	"path/filepath"
)

// writtenFile is the response for one file.
type writtenFile struct {
	Path string `json:"path"`
	Name string `json:"name"`
	Type string `json:"type"`

	Metadata map[string]string `json:"metadata,omitempty"`
}

// writeFile takes one file as the raw body, or any number as parts of a form.
func (a *agent) writeFile(w http.ResponseWriter, r *http.Request) {
	media, parameters, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil {
		media = r.Header.Get("Content-Type")
	}
	var written []writtenFile
	var body io.Reader
	var metadata map[string]string
	err = a.mayUseFiles(r, "write")
	if err == nil {
		metadata, err = metadataOf(r)
	}
	if err == nil {
		body, err = decompressed(r)
	}
	switch {
	case err != nil:
	case media == "multipart/form-data" && parameters["boundary"] != "":
		written, err = a.writeParts(r, multipart.NewReader(body, parameters["boundary"]), metadata)
	case media == "application/octet-stream":
		written, err = a.writeBody(r, body, metadata)
	default:
		err = &fileError{http.StatusBadRequest, fmt.Sprintf(
			"content type %q is not supported, use multipart/form-data or application/octet-stream", media)}
	}
	if err != nil {
		writeFileError(w, err)
		return
	}
	writeJSON(w, http.StatusOK, written)
}

func decompressed(r *http.Request) (io.Reader, error) {
	switch encoding := r.Header.Get("Content-Encoding"); encoding {
	case "", "identity":
		return r.Body, nil
	case "gzip":
		unpacked, err := gzip.NewReader(r.Body)
		if err != nil {
			return nil, &fileError{http.StatusBadRequest, "the body is not gzip: " + err.Error()}
		}
		return unpacked, nil
	default:
		return nil, &fileError{http.StatusBadRequest, fmt.Sprintf("content encoding %q is not supported", encoding)}
	}
}

func (a *agent) writeBody(r *http.Request, body io.Reader, metadata map[string]string) ([]writtenFile, error) {
	given := r.URL.Query().Get("path")
	if given == "" {
		return nil, &fileError{http.StatusBadRequest, "the path is missing"}
	}
	path, user, err := a.pathOf(r, given)
	if err != nil {
		return nil, err
	}
	if err := replaceFile(path, user, body, metadata); err != nil {
		return nil, err
	}
	return []writtenFile{{path, filepath.Base(path), "file", metadata}}, nil
}

func (a *agent) writeParts(r *http.Request, form *multipart.Reader, metadata map[string]string) ([]writtenFile, error) {
	written := []writtenFile{}
	seen := make(map[string]bool)
	for {
		part, err := form.NextPart()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, &fileError{http.StatusBadRequest, "bad form: " + err.Error()}
		}
		if part.FormName() != "file" {
			continue
		}
		given := r.URL.Query().Get("path")
		if given == "" {
			given = fullFileName(part)
		}
		if given == "" {
			return nil, &fileError{http.StatusBadRequest, "a file has no name"}
		}
		path, user, err := a.pathOf(r, given)
		if err != nil {
			return nil, err
		}
		if seen[path] {
			return nil, &fileError{http.StatusBadRequest, fmt.Sprintf("%s is given twice", path)}
		}
		seen[path] = true
		if err := replaceFile(path, user, part, metadata); err != nil {
			return nil, err
		}
		written = append(written, writtenFile{path, filepath.Base(path), "file", metadata})
	}
	if len(written) == 0 {
		return nil, &fileError{http.StatusBadRequest, "the form has no part named file"}
	}
	return written, nil
}

// fullFileName returns the complete path, which Part.FileName would cut down to its last element.
func fullFileName(part *multipart.Part) string {
	_, parameters, err := mime.ParseMediaType(part.Header.Get("Content-Disposition"))
	if err != nil {
		return ""
	}
	return parameters["filename"]
}

// brokenUpload marks errors on the client's side of a copy.
type brokenUpload struct{ from io.Reader }

func (b brokenUpload) Read(p []byte) (int, error) {
	n, err := b.from.Read(p)
	if err != nil && !errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = &fileError{http.StatusBadRequest, "the upload was interrupted: " + err.Error()}
	}
	return n, err
}

// Name prefixes of files that are still being uploaded, depending on whether they will replace a
// file. Watchers of the directory see events for the final file.
const (
	newUpload = ".ramet-upload-new-"
	oldUpload = ".ramet-upload-old-"
)

// replaceFile replaces path with the content by a rename: readers of path see all of the old
// content or all of the new, and a failure leaves the old.
func replaceFile(path string, owner account, content io.Reader, metadata map[string]string) (err error) {
	if target, linkErr := filepath.EvalSymlinks(path); linkErr == nil {
		path = target // the link itself stays
	}
	mode, temporary := os.FileMode(0o644), newUpload
	if info, statErr := os.Stat(path); statErr == nil {
		if !info.Mode().IsRegular() {
			return &fileError{http.StatusBadRequest, fmt.Sprintf("%s is not a regular file", path)}
		}
		mode, temporary = info.Mode().Perm(), oldUpload
	}
	folder := filepath.Dir(path)
	if err := makeParents(folder, owner); err != nil {
		return err
	}
	file, err := os.CreateTemp(folder, temporary+"*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			file.Close()
			os.Remove(file.Name())
		}
	}()
	if _, err := io.Copy(file, brokenUpload{content}); err != nil {
		return err
	}
	if err := setMetadata(file.Name(), metadata); err != nil {
		return err
	}
	if err := own(file.Name(), owner); err != nil {
		return err
	}
	if err := file.Chmod(mode); err != nil { // after chown, which clears bits
		return err
	}
	if err := file.Close(); err != nil {
		return err
	}
	return os.Rename(file.Name(), path)
}

func makeParents(folder string, owner account) error {
	info, err := os.Stat(folder)
	switch {
	case err == nil && info.IsDir():
		return nil
	case err == nil:
		return &fileError{http.StatusBadRequest, fmt.Sprintf("%s is not a directory", folder)}
	case !errors.Is(err, os.ErrNotExist):
		return err
	}
	if err := makeParents(filepath.Dir(folder), owner); err != nil {
		return err
	}
	if err := os.Mkdir(folder, 0o755); err != nil {
		if errors.Is(err, os.ErrExist) {
			return nil // created by another process meanwhile
		}
		return err
	}
	return own(folder, owner)
}

// own makes the user the owner of path. An agent that is not root can create files for its own user
// only.
func own(path string, owner account) error {
	if os.Getuid() != 0 {
		return nil
	}
	return os.Lchown(path, int(owner.uid), int(owner.gid))
}
