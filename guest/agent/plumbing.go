// SPDX-License-Identifier: Apache-2.0

package main

import "os"

// plumbing connects a process that is about to start with the agent, through pipes or a terminal.
type plumbing func(p *process, c command) (ends, error)

// ends are the files of a connection.
type ends struct {
	theirs []*os.File          // standard input, output and error of the process
	output map[stream]*os.File // what the agent reads from
	input  *os.File            // what the agent writes to, if anything
}

func (e *ends) closeTheirs() {
	for _, f := range e.theirs {
		f.Close() // may close a file twice if it serves several purposes, which is harmless
	}
}

func (e *ends) closeOurs() {
	for _, f := range e.output {
		f.Close()
	}
	if e.input != nil {
		e.input.Close()
	}
}

// byPipes keeps output and errors separate.
func byPipes(withInput bool) plumbing {
	return func(p *process, _ command) (ends, error) {
		e := ends{output: make(map[stream]*os.File)}
		fail := func(err error) (ends, error) {
			e.closeTheirs()
			e.closeOurs()
			return ends{}, err
		}
		var in *os.File
		var err error
		if withInput {
			in, e.input, err = os.Pipe()
		} else {
			in, err = os.Open(os.DevNull)
		}
		if err != nil {
			return fail(err)
		}
		e.theirs = append(e.theirs, in)
		for _, s := range []stream{stdout, stderr} {
			r, w, err := os.Pipe()
			if err != nil {
				return fail(err)
			}
			e.theirs = append(e.theirs, w)
			e.output[s] = r
		}
		p.input = e.input
		return e, nil
	}
}

// byTerminal gives the process a terminal that controls its session.
func byTerminal(size terminalSize) plumbing {
	return func(p *process, c command) (ends, error) {
		ours, theirs, err := openTerminal(size, c.credential)
		if err != nil {
			return ends{}, err
		}
		p.input, p.terminal = ours, ours
		return ends{theirs: []*os.File{theirs, theirs, theirs}, output: map[stream]*os.File{pty: ours}}, nil
	}
}
