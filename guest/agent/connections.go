// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"net"
	"net/http"
	"sync"
)

// connections tracks every open connection to the agent. After a restore, all of them belong to a
// host that no longer exists and will never send a packet to close them.
type connections struct {
	mu   sync.Mutex
	open map[net.Conn]struct{}
}

type connectionKey struct{}

func connectionOf(r *http.Request) net.Conn {
	c, _ := r.Context().Value(connectionKey{}).(net.Conn)
	return c
}

// attach makes server report its connections; opened is called for each before it is served.
func (c *connections) attach(server *http.Server, opened func()) {
	server.ConnContext = func(ctx context.Context, conn net.Conn) context.Context {
		return context.WithValue(ctx, connectionKey{}, conn)
	}
	server.ConnState = func(conn net.Conn, state http.ConnState) {
		if state == http.StateNew {
			opened()
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		switch state {
		case http.StateNew:
			c.open[conn] = struct{}{}
		case http.StateClosed, http.StateHijacked:
			delete(c.open, conn)
		}
	}
}

// closeAllBut resets the other connections. A reset needs no answer, but an orderly close would be
// retransmitted for minutes to a peer that does not exist.
func (c *connections) closeAllBut(keep net.Conn) {
	c.mu.Lock()
	var drop []net.Conn
	for conn := range c.open {
		if conn != keep {
			drop = append(drop, conn)
		}
	}
	c.mu.Unlock()
	for _, conn := range drop {
		if tcp, ok := conn.(*net.TCPConn); ok {
			_ = tcp.SetLinger(0)
		}
		conn.Close()
	}
}
