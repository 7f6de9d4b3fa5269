// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"strings"
	"syscall"
)

// rootNode is the kernel's number for the root of a file system.
const rootNode = 1

// node is a file that the kernel knows. Its name is the one under which it was last found: others
// may have renamed it since, and then the host finds no file or a different one.
type node struct {
	id       uint64
	identity uint64 // 0 for the root, which never changes
	parent   *node
	name     string
	children map[string]*node
	lookups  uint64
	opens    int
	hidden   bool // nameless but still open
}

// nodes are the files that the kernel knows. Not safe for use by several goroutines.
type nodes struct {
	byID       map[uint64]*node
	byIdentity map[uint64]*node
	next       uint64
}

func newNodes() *nodes {
	root := &node{id: rootNode, children: map[string]*node{}}
	return &nodes{byID: map[uint64]*node{rootNode: root}, byIdentity: map[uint64]*node{}, next: rootNode}
}

func (t *nodes) get(id uint64) (*node, syscall.Errno) {
	if n := t.byID[id]; n != nil {
		return n, 0
	}
	return nil, syscall.ESTALE
}

// found returns the node of a file that the host found under a name, and counts one more reference
// of the kernel.
func (t *nodes) found(parent *node, name string, e volumeEntry) *node {
	n := t.byIdentity[e.identity]
	if n == nil {
		t.next++
		n = &node{id: t.next, identity: e.identity, children: map[string]*node{}}
		t.byID[n.id] = n
		t.byIdentity[n.identity] = n
	}
	if !n.hidden {
		n.move(parent, name)
	}
	n.lookups++
	return n
}

func (n *node) move(parent *node, name string) {
	if n.parent != nil && n.parent.children[n.name] == n {
		delete(n.parent.children, n.name)
	}
	n.parent, n.name = parent, name
	if parent != nil {
		parent.children[name] = n
	}
}

// forget drops this many of the kernel's references to a node.
func (t *nodes) forget(id, times uint64) {
	n := t.byID[id]
	if n == nil || id == rootNode {
		return
	}
	if n.lookups > times {
		n.lookups -= times
		return
	}
	delete(t.byID, id)
	if t.byIdentity[n.identity] == n {
		delete(t.byIdentity, n.identity)
	}
	// Nodes below it still need it, and its parents, for their paths.
	if n.parent != nil && n.parent.children[n.name] == n {
		delete(n.parent.children, n.name)
	}
}

// place returns where the host finds the node.
func (n *node) place() place {
	if n.hidden {
		return place{hidden: true, path: fmt.Sprintf("%016x", n.identity)}
	}
	return place{path: n.path()}
}

// of returns where the host finds a name in the node.
func (n *node) of(name string) place {
	if path := n.path(); path != "" {
		return place{path: path + "/" + name}
	}
	return place{path: name}
}

func (n *node) path() string {
	var parts []string
	for at := n; at.parent != nil && len(parts) < 4096; at = at.parent {
		parts = append(parts, at.name)
	}
	for i, j := 0, len(parts)-1; i < j; i, j = i+1, j-1 {
		parts[i], parts[j] = parts[j], parts[i]
	}
	return strings.Join(parts, "/")
}
