// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"syscall"
)

type pathRequest struct {
	Path  string `json:"path"`
	Depth uint32 `json:"depth"`
}

func (a *agent) stat(w http.ResponseWriter, r *http.Request) {
	a.onPath(w, r, func(path string, _ account, _ pathRequest) (interface{}, error) {
		return a.entryAnswer(path)
	})
}

func (a *agent) listDir(w http.ResponseWriter, r *http.Request) {
	a.onPath(w, r, func(path string, _ account, request pathRequest) (interface{}, error) {
		depth := request.Depth
		if depth == 0 {
			depth = 1
		}
		entries, err := a.users.describer().list([]entryInfo{}, path, depth)
		return map[string]interface{}{"entries": entries}, err
	})
}

// maxEntries limits a response, which is built in memory.
const maxEntries = 50000

func (d describer) list(entries []entryInfo, folder string, depth uint32) ([]entryInfo, error) {
	children, err := os.ReadDir(folder)
	if err != nil {
		return entries, err
	}
	for _, child := range children {
		entry, err := d.describe(filepath.Join(folder, child.Name()))
		if err != nil {
			continue // removed meanwhile
		}
		if len(entries) >= maxEntries {
			return entries, failed(codeResourceExhausted, fmt.Sprintf(
				"%s has more than %d entries at this depth; list fewer levels", folder, maxEntries))
		}
		entries = append(entries, entry)
		if depth > 1 && child.IsDir() {
			if entries, err = d.list(entries, entry.Path, depth-1); err != nil && !errors.Is(err, os.ErrNotExist) {
				return entries, err
			}
		}
	}
	return entries, nil
}

func (a *agent) makeDir(w http.ResponseWriter, r *http.Request) {
	a.onPath(w, r, func(path string, user account, _ pathRequest) (interface{}, error) {
		if info, err := os.Stat(path); err == nil && info.IsDir() {
			return nil, failed(codeAlreadyExists, fmt.Sprintf("directory %s already exists", path))
		}
		if err := makeParents(path, user); err != nil {
			return nil, err
		}
		return a.entryAnswer(path)
	})
}

func (a *agent) remove(w http.ResponseWriter, r *http.Request) {
	a.onPath(w, r, func(path string, _ account, _ pathRequest) (interface{}, error) {
		if !mayRemove(path) {
			return nil, failed(codeInvalidArgument, "the root directory cannot be removed")
		}
		return struct{}{}, os.RemoveAll(path)
	})
}

func mayRemove(path string) bool { return path != "/" }

func (a *agent) move(w http.ResponseWriter, r *http.Request) {
	var request struct {
		Source      string `json:"source"`
		Destination string `json:"destination"`
	}
	unary(w, r, &request, func() (interface{}, error) {
		if request.Source == "" || request.Destination == "" {
			return nil, failed(codeInvalidArgument, "source and destination are required")
		}
		source, _, err := a.pathOf(r, request.Source)
		if err != nil {
			return nil, fileRPCError(err)
		}
		destination, user, err := a.pathOf(r, request.Destination)
		if err == nil {
			err = makeParents(filepath.Dir(destination), user)
		}
		if err == nil {
			err = os.Rename(source, destination)
		}
		if err != nil {
			return nil, fileRPCError(err)
		}
		return a.entryAnswer(destination)
	})
}

func (a *agent) entryAnswer(path string) (interface{}, error) {
	entry, err := a.users.describer().describe(path)
	return map[string]interface{}{"entry": entry}, fileRPCError(err)
}

// onPath serves a call that names one path.
func (a *agent) onPath(w http.ResponseWriter, r *http.Request,
	handle func(path string, user account, request pathRequest) (interface{}, error)) {
	var request pathRequest
	unary(w, r, &request, func() (interface{}, error) {
		if request.Path == "" {
			return nil, failed(codeInvalidArgument, "the path is missing")
		}
		path, user, err := a.pathOf(r, request.Path)
		if err != nil {
			return nil, fileRPCError(err)
		}
		answer, err := handle(path, user, request)
		return answer, fileRPCError(err)
	})
}

func fileRPCError(err error) error {
	var bad *fileError
	switch {
	case err == nil:
		return nil
	case errors.Is(err, os.ErrNotExist):
		return failed(codeNotFound, err.Error())
	case errors.Is(err, os.ErrPermission):
		return failed(codePermissionDenied, err.Error())
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return failed(codeResourceExhausted, err.Error())
	case errors.As(err, &bad), errors.Is(err, syscall.ENOTDIR), errors.Is(err, syscall.EISDIR),
		errors.Is(err, syscall.ENAMETOOLONG), errors.Is(err, syscall.ELOOP), errors.Is(err, os.ErrExist),
		errors.Is(err, syscall.EINVAL), errors.Is(err, syscall.EXDEV), errors.Is(err, syscall.EBUSY):
		return failed(codeInvalidArgument, err.Error())
	default:
		return err
	}
}
