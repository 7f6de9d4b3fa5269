// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"time"
)

var (
	errNoInput    = errors.New("the process has no open standard input")
	errTerminal   = errors.New("the process has a terminal: its input is pty, and it ends with the character 4")
	errNoTerminal = errors.New("the process has no terminal")
)

// write hands data to the standard input or to the terminal of the process. It gives up when done
// is closed, because a process may never read.
func (p *process) write(data []byte, toTerminal bool, done <-chan struct{}) error {
	p.inputMu.Lock()
	defer p.inputMu.Unlock()
	switch {
	case toTerminal && p.terminal == nil:
		return errNoTerminal
	case !toTerminal && p.terminal != nil:
		return errTerminal
	case p.input == nil:
		return errNoInput
	}
	input := p.input
	_ = input.SetWriteDeadline(time.Time{})
	finished := make(chan struct{})
	interrupted := make(chan struct{})
	go func() {
		defer close(interrupted)
		select {
		case <-done:
		case <-p.exited:
		case <-finished:
			return
		}
		_ = input.SetWriteDeadline(time.Now())
	}()
	_, err := input.Write(data)
	close(finished)
	<-interrupted
	return err
}

func (p *process) closeInput() error {
	p.inputMu.Lock()
	defer p.inputMu.Unlock()
	if p.terminal != nil {
		return errTerminal
	}
	if p.input == nil {
		return errNoInput
	}
	err := p.input.Close()
	p.input = nil
	return err
}

// resize does not wait for a pending write that the process does not read.
func (p *process) resize(size terminalSize) error {
	if p.terminal == nil {
		return errNoTerminal
	}
	return resize(p.terminal, size)
}

// dropInput closes the input of a process that has ended. A terminal is closed by its reader.
func (p *process) dropInput() {
	p.inputMu.Lock()
	defer p.inputMu.Unlock()
	if p.input != nil && p.terminal == nil {
		p.input.Close()
	}
	p.input = nil
}
