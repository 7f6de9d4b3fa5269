// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/binary"
	"fmt"
	"net"
	"sync"
	"syscall"
)

// call is a request to the host without a response so far. It is sent again, unchanged, on every
// connection that replaces one that ended.
type call struct {
	unique     uint64 // the kernel's number, or 0 if it does not wait
	op         volumeOp
	body       message
	epoch, seq uint64
	sent       bool // on any connection
	done       func(errno syscall.Errno, body []byte)
}

// calls passes requests to the connected host. Without a host they wait. Safe for use by several
// goroutines.
type calls struct {
	mu      sync.Mutex
	change  *sync.Cond
	waiting []*call // in order of arrival; those sent on the connection come first
	sent    int     // how many of them are sent
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

// interrupt gives up a request whose wait a signal ended, if that has no visible effect: the
// request was never sent, or it only reads. While a host is connected, its response is near.
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

// connect continues with another host, or the same one again. It returns once the host has
// identified itself.
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

// drop resets a connection, because its host may no longer exist.
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

// send writes waiting requests and never returns.
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

// receive passes responses to their requests until the connection ends.
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

// take removes and returns the waiting request that a response belongs to.
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
