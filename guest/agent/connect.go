// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strconv"
	"time"
)

// The Connect protocol (https://connectrpc.com/docs/protocol), with JSON messages only: unary
// calls are plain HTTP, streams are frames of one byte of flags, a big-endian length and a message.

const (
	maxMessageBytes = 4 << 20
	frameHeader     = 5
	flagCompressed  = 0x01
	flagEnd         = 0x02
)

type code string

const (
	codeInvalidArgument    code = "invalid_argument"
	codeDeadlineExceeded   code = "deadline_exceeded"
	codeNotFound           code = "not_found"
	codeAlreadyExists      code = "already_exists"
	codePermissionDenied   code = "permission_denied"
	codeResourceExhausted  code = "resource_exhausted"
	codeFailedPrecondition code = "failed_precondition"
	codeUnimplemented      code = "unimplemented"
	codeInternal           code = "internal"
	codeUnauthenticated    code = "unauthenticated"
)

var statusOf = map[code]int{
	codeInvalidArgument:    http.StatusBadRequest,
	codeDeadlineExceeded:   http.StatusGatewayTimeout,
	codeNotFound:           http.StatusNotFound,
	codeAlreadyExists:      http.StatusConflict,
	codePermissionDenied:   http.StatusForbidden,
	codeResourceExhausted:  http.StatusTooManyRequests,
	codeFailedPrecondition: http.StatusBadRequest,
	codeUnimplemented:      http.StatusNotImplemented,
	codeInternal:           http.StatusInternalServerError,
	codeUnauthenticated:    http.StatusUnauthorized,
}

// rpcError is an error as the protocol expresses it.
type rpcError struct {
	Code    code   `json:"code"`
	Message string `json:"message"`
	// Reason tells apart errors of one code. It is an addition to the protocol, which clients ignore
	// unless they know it.
	Reason string `json:"reason,omitempty"`
}

func (e *rpcError) Error() string { return e.Message }

func failed(c code, message string) error { return &rpcError{Code: c, Message: message} }

// Reasons why a command cannot be started, which a shell tells apart too.
const (
	reasonNotFound      = "command_not_found"
	reasonNotExecutable = "command_not_executable"
)

func notStarted(reason, message string) error {
	return &rpcError{Code: codeInvalidArgument, Message: message, Reason: reason}
}

func asRPCError(err error) *rpcError {
	var e *rpcError
	var unknown unknownUser
	switch {
	case errors.As(err, &e):
		return e
	case errors.As(err, &unknown):
		return &rpcError{Code: codeUnauthenticated, Message: err.Error()}
	default:
		return &rpcError{Code: codeInternal, Message: err.Error()}
	}
}

// unary serves one call: fill decodes the request, and its result is the response message.
func unary(w http.ResponseWriter, r *http.Request, request interface{}, handle func() (interface{}, error)) {
	answer, err := func() (interface{}, error) {
		if err := plainJSON(r, "application/json", "Content-Encoding"); err != nil {
			return nil, err
		}
		body, err := readLimited(r.Body, maxMessageBytes)
		if err != nil {
			return nil, err
		}
		if err := decode(body, request); err != nil {
			return nil, err
		}
		return handle()
	}()
	if err != nil {
		writeUnaryError(w, err)
		return
	}
	writeJSON(w, http.StatusOK, answer)
}

func writeUnaryError(w http.ResponseWriter, err error) {
	e := asRPCError(err)
	writeJSON(w, statusOf[e.Code], e)
}

// streamRequest reads the single message of a server stream's request.
func streamRequest(r *http.Request, request interface{}) error {
	if err := plainJSON(r, "application/connect+json", "Connect-Content-Encoding"); err != nil {
		return err
	}
	body, err := readFrame(r.Body)
	if err == io.EOF {
		return failed(codeInvalidArgument, "the request carries no message")
	}
	if err != nil {
		return err
	}
	var header [1]byte
	// Reading to the very end also lets the server notice when the client goes away.
	if n, _ := io.ReadFull(r.Body, header[:]); n != 0 {
		return failed(codeInvalidArgument, "the request carries more than one message")
	}
	return decode(body, request)
}

// readFrame reads one message of a stream; io.EOF means that there is none left.
func readFrame(from io.Reader) ([]byte, error) {
	var header [frameHeader]byte
	if n, err := io.ReadFull(from, header[:]); err != nil {
		if n == 0 && err == io.EOF {
			return nil, err
		}
		return nil, failed(codeInvalidArgument, "the request ends within a frame")
	}
	if header[0] != 0 {
		return nil, failed(codeInvalidArgument, fmt.Sprintf("unexpected frame flags 0x%02x", header[0]))
	}
	size := binary.BigEndian.Uint32(header[1:])
	if size > maxMessageBytes {
		return nil, failed(codeResourceExhausted, fmt.Sprintf("a message of %d bytes exceeds the limit of %d", size, maxMessageBytes))
	}
	body, err := readLimited(io.LimitReader(from, int64(size)), maxMessageBytes)
	if err == nil && len(body) != int(size) {
		err = failed(codeInvalidArgument, "the message is shorter than its frame says")
	}
	return body, err
}

func plainJSON(r *http.Request, contentType, encodingHeader string) error {
	given := r.Header.Get("Content-Type")
	if media, _, err := mime.ParseMediaType(given); err != nil || media != contentType {
		return failed(codeInvalidArgument, fmt.Sprintf("content type %q is not supported, use %s", given, contentType))
	}
	if encoding := r.Header.Get(encodingHeader); encoding != "" && encoding != "identity" {
		return failed(codeUnimplemented, fmt.Sprintf("compression %q is not supported", encoding))
	}
	return nil
}

func readLimited(from io.Reader, limit int64) ([]byte, error) {
	body, err := io.ReadAll(io.LimitReader(from, limit+1))
	if err != nil {
		return nil, failed(codeInvalidArgument, "the request could not be read: "+err.Error())
	}
	if int64(len(body)) > limit {
		return nil, failed(codeResourceExhausted, fmt.Sprintf("the request exceeds the limit of %d bytes", limit))
	}
	return body, nil
}

// decode ignores fields that it does not know: newer clients send more.
func decode(body []byte, into interface{}) error {
	if err := json.Unmarshal(body, into); err != nil {
		return failed(codeInvalidArgument, "bad JSON: "+err.Error())
	}
	return nil
}

// callTimeout returns how long a call may take; zero means no limit.
func callTimeout(r *http.Request) (time.Duration, error) {
	given := r.Header.Get("Connect-Timeout-Ms")
	if given == "" {
		return 0, nil
	}
	ms, err := strconv.ParseUint(given, 10, 64)
	if err != nil || len(given) > 10 { // the protocol allows ten digits
		return 0, failed(codeInvalidArgument, fmt.Sprintf("Connect-Timeout-Ms %q is not a number of milliseconds", given))
	}
	if ms == 0 {
		return 0, nil
	}
	return time.Duration(ms) * time.Millisecond, nil
}
