// SPDX-License-Identifier: Apache-2.0

// Package workspace knows what is in directories of the guest: it keeps an index of their files by
// content, says what has changed, reads files, and puts earlier ones back. It serves the host over
// HTTP/1.1, with lists as lines of JSON.
package workspace

import (
	"bufio"
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"log"
	"net/http"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

const (
	// Prefix begins the paths of all requests.
	Prefix = "/ramet/workspace/"
	// Header is in every response. Its value is the version of the requests; agents without it
	// know none of them.
	Header  = "X-Ramet-Workspace"
	Version = "1"

	mostWorkspaces = 8
	mostWait       = 60 * time.Second
	mostHead       = 1 << 20
	mostLimit      = 1 << 20
	// A client hears from the agent at least this often, while a walk takes long.
	keepalive = 5 * time.Second
)

// opened is a workspace that requests have named.
type opened struct {
	*index
	events *ring
	stream string // a random name for the numbers of its events
	source string // of its events: fanotify, or why there are none
}

// Server answers the requests. Safe for several goroutines.
type Server struct {
	mu  sync.Mutex
	all map[string]*opened
}

// NewServer returns a server without workspaces; each begins with the first request that names it.
func NewServer() *Server { return &Server{all: make(map[string]*opened)} }

func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set(Header, Version)
	handlers := map[string]func(http.ResponseWriter, *http.Request, *opened) error{
		"GET index": s.list, "GET changes": s.changes, "GET entry": s.entry, "GET read": s.read,
		"POST write": s.write, "POST delete": s.remove, "GET events": s.eventsSince, "POST close": s.close,
	}
	handle := handlers[r.Method+" "+strings.TrimPrefix(r.URL.Path, Prefix)]
	if handle == nil {
		fail(w, refuse(http.StatusNotFound, "no such endpoint: %s %s", r.Method, r.URL.Path))
		return
	}
	o, err := s.open(r.URL.Query().Get("root"))
	if err == nil {
		err = handle(w, r, o)
	}
	if err != nil {
		fail(w, err)
	}
}

type failure struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

func failureOf(err error) failure {
	var known *refusal
	switch {
	case errors.As(err, &known):
		return failure{known.status, known.message}
	case errors.Is(err, errTooMany):
		return failure{http.StatusRequestEntityTooLarge, err.Error()}
	}
	return failure{http.StatusInternalServerError, err.Error()}
}

func fail(w http.ResponseWriter, err error) {
	f := failureOf(err)
	body := lineOf(f)
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(f.Code)
	_, _ = w.Write(body)
}

// open returns a workspace, which it starts to watch at its first request.
func (s *Server) open(root string) (*opened, error) {
	if !filepath.IsAbs(root) || filepath.Clean(root) != root || strings.IndexByte(root, 0) >= 0 || len(root) >= mostPath {
		return nil, refuse(http.StatusBadRequest, "root: must be an absolute path without . and .. and a slash at its end")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if o := s.all[root]; o != nil {
		return o, nil
	}
	if len(s.all) >= mostWorkspaces {
		return nil, refuse(http.StatusTooManyRequests, "%d workspaces are open already: close one of them", mostWorkspaces)
	}
	events := &ring{}
	var random [8]byte
	_, _ = rand.Read(random[:])
	o := &opened{index: newIndex(root, nil), events: events, stream: hex.EncodeToString(random[:]), source: "fanotify"}
	fd, err := o.openRoot()
	if err != nil {
		return nil, pathError(root, err)
	}
	defer syscall.Close(fd)
	if o.watcher, err = watch(root, fd, events); err != nil {
		log.Printf("workspace %s: there will be no events: %v", root, err)
		o.watcher, o.source = nil, "none: "+err.Error()
		events.add(actionLost, "", "", 0, false)
	}
	s.all[root] = o
	return o, nil
}

func (s *Server) close(w http.ResponseWriter, r *http.Request, o *opened) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.all[o.root] == o {
		delete(s.all, o.root)
		if o.watcher != nil {
			o.watcher.close()
		}
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// lines writes a list: a first line about it, the items, and a last line that says that it is
// complete.
type lines struct {
	mu     sync.Mutex
	out    *bufio.Writer
	http   http.ResponseWriter
	begun  bool
	broken error
}

func newLines(w http.ResponseWriter) *lines {
	return &lines{out: bufio.NewWriterSize(w, 64<<10), http: w}
}

func (l *lines) put(v interface{}) { l.raw(lineOf(v), false) }

func (l *lines) raw(line []byte, flush bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.begun {
		l.http.Header().Set("Content-Type", "application/x-ndjson")
		l.begun = true
	}
	if _, err := l.out.Write(line); err != nil {
		l.broken = err
	}
	if flush {
		l.flush()
	}
}

func (l *lines) flush() {
	if err := l.out.Flush(); err != nil {
		l.broken = err
	}
	if f, ok := l.http.(http.Flusher); ok {
		f.Flush()
	}
}

type endLine struct {
	End   bool     `json:"end"`
	Count int      `json:"count"`
	More  bool     `json:"more,omitempty"` // another page follows
	Error *failure `json:"error,omitempty"`
}

// while sends empty lines as long as something takes.
func (l *lines) while(work func() error) error {
	done := make(chan struct{})
	var wait sync.WaitGroup
	wait.Add(1)
	go func() {
		defer wait.Done()
		tick := time.NewTicker(keepalive)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				l.raw([]byte("\n"), true)
			case <-done:
				return
			}
		}
	}()
	err := work()
	close(done)
	wait.Wait()
	return err
}

// end returns an error that can still be the response, or makes it the last line.
func (l *lines) end(err error, count int, more bool) error {
	if err != nil && !l.begun {
		return err
	}
	last := endLine{End: err == nil, Count: count, More: more}
	if err != nil {
		f := failureOf(err)
		last.Error = &f
	}
	l.put(last)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.flush()
	return nil
}

type head struct {
	Version string `json:"version"`
	Root    string `json:"root"`
	Digest  string `json:"digest"`
	From    string `json:"from,omitempty"`
	Count   int    `json:"count"`
}

// list sends the entries of the present state, or of an earlier one by its digest, after a path.
func (s *Server) list(w http.ResponseWriter, r *http.Request, o *opened) error {
	query := r.URL.Query()
	limit, err := number(query.Get("limit"), mostLimit, 1, mostLimit)
	if err != nil {
		return err
	}
	out := newLines(w)
	var d digest
	if text := query.Get("digest"); text != "" {
		var ok bool
		if d, ok = parseDigest(text); !ok {
			return refuse(http.StatusBadRequest, "digest: must have %d hexadecimal digits", 2*len(d))
		}
	} else if err := out.while(func() error { return o.refresh(r.Context()) }); err != nil {
		return out.end(rootError(o, err), 0, false)
	} else {
		d, _ = o.now()
	}
	items, known := o.list(d)
	if !known {
		return out.end(refuse(http.StatusGone, "the state %s is not known any more: list the present one", d), 0, false)
	}
	out.put(head{Version, o.root, d.String(), "", len(items)})
	after, count := query.Get("after"), 0
	for _, i := range items {
		if after != "" && !before(after, i.path) {
			continue
		}
		if int64(count) == limit {
			return out.end(nil, count, true)
		}
		out.put(entryOf(i.path, i.record))
		if count++; out.broken != nil {
			return nil
		}
	}
	return out.end(nil, count, false)
}

func rootError(o *opened, err error) error {
	var errno syscall.Errno
	if errors.As(err, &errno) {
		return pathError(o.root, err)
	}
	return err
}

// changes sends the differences between two states; the second is the present one if not named.
func (s *Server) changes(w http.ResponseWriter, r *http.Request, o *opened) error {
	query := r.URL.Query()
	from, ok := parseDigest(query.Get("from"))
	to, toOK := parseDigest(query.Get("to"))
	if !ok || query.Get("to") != "" && !toOK {
		return refuse(http.StatusBadRequest, "from, to: must have %d hexadecimal digits", 2*len(from))
	}
	out := newLines(w)
	if !toOK {
		if err := out.while(func() error { return o.refresh(r.Context()) }); err != nil {
			return out.end(rootError(o, err), 0, false)
		}
		to, _ = o.now()
	}
	all, known := o.index.changes(from, to)
	if !known {
		return out.end(refuse(http.StatusGone, "a state is not known any more: compare the lists of both"), 0, false)
	}
	out.put(head{Version, o.root, to.String(), from.String(), len(all)})
	for i := range all {
		if out.put(all[i]); out.broken != nil {
			return nil
		}
	}
	return out.end(nil, len(all), false)
}

// entry sends one entry as it is now, with its attributes.
func (s *Server) entry(w http.ResponseWriter, r *http.Request, o *opened) error {
	p := r.URL.Query().Get("path")
	root, err := o.openRoot()
	if err != nil {
		return rootError(o, err)
	}
	defer syscall.Close(root)
	dir, name, err := parentOf(root, p)
	if err != nil {
		return err
	}
	defer syscall.Close(dir)
	found, values, err := look(r.Context(), dir, name, newContentHash())
	if err != nil {
		return pathError(p, err)
	}
	if found == nil {
		return refuse(http.StatusNotFound, "%q does not exist", p)
	}
	e := entryOf(p, found)
	e.Values = values
	body := lineOf(e)
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	_, _ = w.Write(body)
	return nil
}

// read sends a range of a file's bytes, as many as it has; the header says how large the file is.
func (s *Server) read(w http.ResponseWriter, r *http.Request, o *opened) error {
	query := r.URL.Query()
	p := query.Get("path")
	offset, err := number(query.Get("offset"), 0, 0, 1<<62)
	if err != nil {
		return err
	}
	length, err := number(query.Get("length"), 1<<62, 0, 1<<62)
	if err != nil {
		return err
	}
	root, err := o.openRoot()
	if err != nil {
		return rootError(o, err)
	}
	defer syscall.Close(root)
	if err := checkPath(p); err != nil {
		return err
	}
	fd, err := openBeneath(root, p, syscall.O_RDONLY|syscall.O_NONBLOCK|syscall.O_NOFOLLOW)
	if err != nil {
		return pathError(p, err)
	}
	defer syscall.Close(fd)
	var stat syscall.Stat_t
	if err := syscall.Fstat(fd, &stat); err != nil {
		return err
	}
	if kind := kindOf(stat.Mode); kind != kindFile {
		return refuse(http.StatusConflict, "%q is not a file, but a %s", p, kind)
	}
	if offset > stat.Size {
		offset = stat.Size
	}
	if length > stat.Size-offset {
		length = stat.Size - offset
	}
	w.Header().Set("Content-Type", "application/octet-stream")
	w.Header().Set(Header+"-Size", strconv.FormatInt(stat.Size, 10))
	w.Header().Set("Content-Length", strconv.FormatInt(length, 10))
	buffer := make([]byte, blockBytes)
	for length > 0 {
		part := buffer
		if length < int64(len(part)) {
			part = part[:length]
		}
		n, err := readFull(fd, part, offset)
		if err != nil || n == 0 {
			return nil // shorter now: the missing bytes show that to the reader
		}
		if _, err := w.Write(part[:n]); err != nil {
			return nil
		}
		offset, length = offset+int64(n), length-int64(n)
	}
	return nil
}

// write takes a line of JSON, which is an entry, and the content that follows it.
func (s *Server) write(w http.ResponseWriter, r *http.Request, o *opened) error {
	body := bufio.NewReaderSize(r.Body, 64<<10)
	var line []byte
	for {
		part, err := body.ReadSlice('\n')
		if line = append(line, part...); len(line) > mostHead {
			return refuse(http.StatusRequestEntityTooLarge, "the entry has more than %d bytes", mostHead)
		}
		if err == nil {
			break
		}
		if err != bufio.ErrBufferFull {
			return refuse(http.StatusBadRequest, "the request has no line with the entry")
		}
	}
	var want entry
	if err := json.Unmarshal(line, &want); err != nil {
		return refuse(http.StatusBadRequest, "the entry is not in JSON: %v", err)
	}
	root, err := o.openRoot()
	if err != nil {
		return rootError(o, err)
	}
	defer syscall.Close(root)
	changed, err := write(r.Context(), root, &want, body)
	return answerChanged(w, changed, err)
}

func (s *Server) remove(w http.ResponseWriter, r *http.Request, o *opened) error {
	root, err := o.openRoot()
	if err != nil {
		return rootError(o, err)
	}
	defer syscall.Close(root)
	changed, err := remove(root, r.URL.Query().Get("path"))
	return answerChanged(w, changed, err)
}

func answerChanged(w http.ResponseWriter, changed bool, err error) error {
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(lineOf(map[string]bool{"changed": changed}))
	return nil
}

type eventsHead struct {
	Version string `json:"version"`
	Stream  string `json:"stream"`
	Source  string `json:"source"`
	Last    int64  `json:"last"`
}

// eventsSince sends the events after a number, and waits for one if there is none.
func (s *Server) eventsSince(w http.ResponseWriter, r *http.Request, o *opened) error {
	query := r.URL.Query()
	since, err := number(query.Get("since"), 0, 0, 1<<62)
	if err != nil {
		return err
	}
	limit, err := number(query.Get("limit"), 1000, 1, mostEvents)
	if err != nil {
		return err
	}
	seconds, err := number(query.Get("wait"), 0, 0, int64(mostWait/time.Second))
	if err != nil {
		return err
	}
	found, last, added := o.events.since(since, int(limit))
	if len(found) == 0 && seconds > 0 {
		ctx, cancel := context.WithTimeout(r.Context(), time.Duration(seconds)*time.Second)
		defer cancel()
		select {
		case <-added:
		case <-ctx.Done():
		}
		found, last, _ = o.events.since(since, int(limit))
	}
	out := newLines(w)
	out.put(eventsHead{Version, o.stream, o.source, last})
	for i := range found {
		out.put(found[i])
	}
	return out.end(nil, len(found), len(found) > 0 && found[len(found)-1].Number < last)
}

func number(text string, otherwise, least, most int64) (int64, error) {
	if text == "" {
		return otherwise, nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < least || n > most {
		return 0, refuse(http.StatusBadRequest, "%q: must be a number from %d to %d", text, least, most)
	}
	return n, nil
}

func decode64(text string) (string, error) {
	raw, err := base64.StdEncoding.DecodeString(text)
	return string(raw), err
}
