// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/binary"
	"fmt"
	"net"
	"sync"
	"syscall"
)

// call is a request to the host that has no answer yet. It is sent again, as it was, on every
// connection that takes the place of one which ended.
type call struct {
	unique     uint64 // the kernel's, or 0 for what it does not wait for
	op         volumeOp
	body       message
	epoch, seq uint64
	sent       bool // on some connection
	done       func(errno syscall.Errno, body []byte)
}

// calls carries requests to whatever host is connected. Without one they wait. Safe for use by several
// goroutines.
type calls struct {
	mu      sync.Mutex
	change  *sync.Cond
	waiting []*call // in the order in which they came; those sent on the connection come first
	sent    int     // of them
	link    net.Conn
	epoch   uint64
	seq     uint64
}

func newCalls() *calls {
	c := &calls{}
	c.change = sync.NewCond(&c.mu)
	go c.send()
	return c
}

func (c *calls) add(one *call) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.waiting = append(c.waiting, one)
	c.change.Signal()
}

// interrupt gives up a request that a signal has ended the wait for, if that cannot change what is
// seen of it: it was never sent, or it only asks. While the host is there, its answer is near.
func (c *calls) interrupt(unique uint64) {
	c.mu.Lock()
	var one *call
	if c.link == nil {
		for i, w := range c.waiting {
			if w.unique == unique && (!w.sent || w.op.repeatable()) {
				one = w
				c.waiting = append(c.waiting[:i:i], c.waiting[i+1:]...)
				break
			}
		}
	}
	c.mu.Unlock()
	if one != nil {
		one.done(syscall.EINTR, nil)
	}
}

// connect goes on with another host, or the same again. It returns when the host has said who it is.
func (c *calls) connect(link net.Conn) error {
	hello, err := readVolumeFrame(link)
	if err == nil && (len(hello) < volumeHelloSize || binary.BigEndian.Uint32(hello) != volumeVersion) {
		err = fmt.Errorf("the host uses another protocol version")
	}
	if err != nil {
		link.Close()
		return err
	}
	c.mu.Lock()
	old := c.link
	c.link, c.epoch, c.sent = link, binary.BigEndian.Uint64(hello[4:]), 0
	c.change.Signal()
	c.mu.Unlock()
	drop(old)
	go c.receive(link)
	return nil
}

// drop closes a connection without a word: it may lead to a host that is gone.
func drop(link net.Conn) {
	if tcp, ok := link.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	if link != nil {
		link.Close()
	}
}

func (c *calls) lost(link net.Conn) {
	c.mu.Lock()
	if c.link == link {
		c.link, c.sent = nil, 0
	}
	c.mu.Unlock()
	drop(link)
}

// send writes what waits, for ever.
func (c *calls) send() {
	for {
		c.mu.Lock()
		for c.link == nil || c.sent == len(c.waiting) {
			c.change.Wait()
		}
		one, link := c.waiting[c.sent], c.link
		c.sent++
		again := byte(1)
		if !one.sent {
			c.seq++
			one.epoch, one.seq, one.sent = c.epoch, c.seq, true
			again = 0
		}
		frame := make(message, 0, 22+len(one.body)).u32(uint32(18 + len(one.body)))
		frame = append(frame.u64(one.epoch).u64(one.seq).u8(again).u8(byte(one.op)), one.body...)
		c.mu.Unlock()
		if _, err := link.Write(frame); err != nil {
			c.lost(link)
		}
	}
}

// receive hands answers to whom they are for, until the connection ends.
func (c *calls) receive(link net.Conn) {
	defer c.lost(link)
	for {
		frame, err := readVolumeFrame(link)
		if err != nil || len(frame) < 20 {
			return
		}
		epoch, seq := binary.BigEndian.Uint64(frame), binary.BigEndian.Uint64(frame[8:])
		one, current := c.take(link, epoch, seq)
		if !current {
			return
		}
		if one != nil {
			one.done(syscall.Errno(binary.BigEndian.Uint32(frame[16:])), frame[20:])
		}
	}
}

// take is the request that an answer is for, which then waits no more.
func (c *calls) take(link net.Conn, epoch, seq uint64) (one *call, current bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.link != link {
		return nil, false
	}
	for i := 0; i < c.sent; i++ {
		if w := c.waiting[i]; w.epoch == epoch && w.seq == seq {
			c.waiting = append(c.waiting[:i:i], c.waiting[i+1:]...)
			c.sent--
			return w, true
		}
	}
	return nil, true
}
