// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"syscall"
)

// inputRequest carries bytes for a process, in one of the two fields.
type inputRequest struct {
	Stdin *[]byte `json:"stdin"`
	PTY   *[]byte `json:"pty"`
}

func (i inputRequest) writeTo(p *process, done <-chan struct{}) error {
	switch {
	case i.PTY != nil:
		return inputError(p.write(*i.PTY, true, done))
	case i.Stdin != nil:
		return inputError(p.write(*i.Stdin, false, done))
	default:
		return failed(codeInvalidArgument, "input must carry stdin or pty")
	}
}

func (a *agent) sendInput(w http.ResponseWriter, r *http.Request) {
	var request struct {
		Process selector     `json:"process"`
		Input   inputRequest `json:"input"`
	}
	unary(w, r, &request, func() (interface{}, error) {
		p, err := a.processes.find(request.Process)
		if err != nil {
			return nil, err
		}
		return struct{}{}, request.Input.writeTo(p, r.Context().Done())
	})
}

// streamInput takes a stream of messages: the first names the process, the others carry its input.
func (a *agent) streamInput(w http.ResponseWriter, r *http.Request) {
	err := a.copyInput(r)
	f := startStream(w)
	defer f.release()
	if err == nil {
		err = f.message(struct{}{})
	}
	f.end(err)
}

func (a *agent) copyInput(r *http.Request) error {
	if err := plainJSON(r, "application/connect+json", "Connect-Content-Encoding"); err != nil {
		return err
	}
	var p *process
	for {
		body, err := readFrame(r.Body)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		var message struct {
			Start *struct{ Process selector }
			Data  *struct{ Input inputRequest }
		}
		if err := decode(body, &message); err != nil {
			return err
		}
		switch {
		case message.Start != nil:
			if p, err = a.processes.find(message.Start.Process); err != nil {
				return err
			}
		case message.Data != nil && p == nil:
			return failed(codeInvalidArgument, "the first message must name the process")
		case message.Data != nil:
			if err := message.Data.Input.writeTo(p, r.Context().Done()); err != nil {
				return err
			}
		}
	}
}

func (a *agent) closeStdin(w http.ResponseWriter, r *http.Request) {
	var request connectRequest
	unary(w, r, &request, func() (interface{}, error) {
		p, err := a.processes.find(request.Process)
		if err != nil {
			return nil, err
		}
		return struct{}{}, inputError(p.closeInput())
	})
}

// update changes the size of a terminal.
func (a *agent) update(w http.ResponseWriter, r *http.Request) {
	var request struct {
		Process selector        `json:"process"`
		PTY     json.RawMessage `json:"pty"`
	}
	unary(w, r, &request, func() (interface{}, error) {
		p, err := a.processes.find(request.Process)
		if err != nil {
			return nil, err
		}
		terminal, err := parseTerminal(request.PTY)
		if err != nil || terminal == nil {
			return struct{}{}, err
		}
		return struct{}{}, inputError(p.resize(terminal.Size))
	})
}

// parseTerminal returns nil if the request names no terminal.
func parseTerminal(given json.RawMessage) (*terminalRequest, error) {
	if len(given) == 0 || string(given) == "null" {
		return nil, nil
	}
	var request terminalRequest
	err := decode(given, &request)
	if err == nil {
		request.Size, err = request.Size.checked()
	}
	return &request, err
}

func inputError(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, errTerminal), errors.Is(err, errNoTerminal):
		return failed(codeFailedPrecondition, err.Error())
	case errors.Is(err, errNoInput), errors.Is(err, syscall.EPIPE), errors.Is(err, syscall.EIO), errors.Is(err, os.ErrClosed):
		return failed(codeFailedPrecondition, errNoInput.Error())
	case os.IsTimeout(err):
		return failed(codeDeadlineExceeded, "the process did not read its standard input in time")
	default:
		return failed(codeInternal, err.Error())
	}
}
