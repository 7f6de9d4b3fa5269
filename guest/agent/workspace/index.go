// SPDX-License-Identifier: Apache-2.0

package workspace

import (
	"context"
	"sort"
	"sync"
	"syscall"
)

// mostDifferences limits the memory for earlier states.
const mostDifferences = 200_000

// state is an earlier state: the next one differs from it in these paths.
type state struct {
	digest digest
	diffs  []difference
}

// index is what is known about a workspace. It is in this process's memory, so that every snapshot
// of the machine has it. Safe for several goroutines.
type index struct {
	root    string
	watcher *watcher // nil if the kernel cannot say what is written

	turn   chan struct{} // who has put something into it may walk
	mu     sync.Mutex
	known  bool
	items  []item // replaced as a whole
	digest digest
	past   []state // from old to new
	kept   int     // differences in past
}

func newIndex(root string, w *watcher) *index {
	return &index{root: root, watcher: w, turn: make(chan struct{}, 1)}
}

// openRoot opens the workspace's directory, none of whose parents may be a symbolic link.
func (x *index) openRoot() (int, error) {
	return openat2(-100 /* AT_FDCWD */, x.root, syscall.O_RDONLY|syscall.O_DIRECTORY, resolveNoSymlinks|resolveNoMagicLinks)
}

// refresh makes the index true for an instant after the call began.
func (x *index) refresh(ctx context.Context) error {
	select {
	case x.turn <- struct{}{}:
		defer func() { <-x.turn }()
	case <-ctx.Done():
		return ctx.Err()
	}
	root, err := x.openRoot()
	if err != nil {
		return err
	}
	defer syscall.Close(root)
	k := &walker{ctx: ctx, old: x.items}
	if x.watcher != nil {
		k.observe = x.watcher.learn
		k.named, k.watched = x.watcher.takeNamed()
	}
	if err := k.walk(root); err != nil {
		if x.watcher != nil {
			x.watcher.returnNamed(k.named, k.watched)
		}
		return err
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.known && len(k.diffs) > 0 {
		x.past = append(x.past, state{x.digest, k.diffs})
		for x.kept += len(k.diffs); x.kept > mostDifferences; x.past = x.past[1:] {
			x.kept -= len(x.past[0].diffs)
		}
	}
	if !x.known || len(k.diffs) > 0 {
		x.digest = digestOf(k.out)
	}
	x.items, x.known = k.out, true
	return nil
}

// earlier returns how the paths were that differ between an earlier state and now, or false if the
// state is not known (any more).
func (x *index) earlier(d digest) (map[string]*record, bool) {
	if x.known && x.digest == d {
		return nil, true
	}
	for i := len(x.past) - 1; i >= 0; i-- {
		if x.past[i].digest == d {
			was := make(map[string]*record)
			for _, s := range x.past[i:] {
				for _, diff := range s.diffs {
					if _, older := was[diff.path]; !older {
						was[diff.path] = diff.old
					}
				}
			}
			return was, true
		}
	}
	return nil, false
}

// list returns all entries of a state.
func (x *index) list(d digest) ([]item, bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	was, known := x.earlier(d)
	if len(was) == 0 || !known {
		return x.items, known
	}
	var all []item
	for _, i := range x.items {
		if _, differs := was[i.path]; !differs {
			all = append(all, i)
		}
	}
	for path, r := range was {
		if r != nil {
			all = append(all, item{path, r})
		}
	}
	sort.Slice(all, func(i, j int) bool { return before(all[i].path, all[j].path) })
	return all, true
}

func (x *index) now() (digest, int) {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.digest, len(x.items)
}

// find returns the record of a path in the newest list, or nil.
func find(items []item, path string) *record {
	at := sort.Search(len(items), func(i int) bool { return !before(items[i].path, path) })
	if at < len(items) && items[at].path == path {
		return items[at].record
	}
	return nil
}

// change is a difference between two states.
type change struct {
	Change  string   `json:"change"` // created, deleted, modified, metadata or renamed
	Differs []string `json:"differs,omitempty"`
	Old     *entry   `json:"old,omitempty"`
	New     *entry   `json:"new,omitempty"`
	path    string
}

// changes compares two states, in the order of paths; a renamed entry has its new place. It returns
// false if it does not know one of them.
func (x *index) changes(from, to digest) ([]change, bool) {
	x.mu.Lock()
	was, knowsFrom := x.earlier(from)
	is, knowsTo := x.earlier(to)
	items := x.items
	x.mu.Unlock()
	if !knowsFrom || !knowsTo {
		return nil, false
	}
	at := func(known map[string]*record, path string) *record {
		if r, differs := known[path]; differs {
			return r
		}
		return find(items, path)
	}
	var created, deleted []item
	var changes []change
	compare := func(path string) {
		old, fresh := at(was, path), at(is, path)
		switch {
		case old == nil && fresh == nil:
		case old == nil:
			created = append(created, item{path, fresh})
		case fresh == nil:
			deleted = append(deleted, item{path, old})
		default:
			if differs := differences(old, fresh); differs != nil {
				changes = append(changes, change{nameOf(differs), differs, entryOf(path, old), entryOf(path, fresh), path})
			}
		}
	}
	for path := range was {
		compare(path)
	}
	for path := range is {
		if _, done := was[path]; !done {
			compare(path)
		}
	}
	changes = append(changes, renames(created, deleted)...)
	sort.Slice(changes, func(i, j int) bool { return before(changes[i].path, changes[j].path) })
	return changes, true
}

// renames pairs what is gone with what is new where both are the same inode with the same content.
// The inode alone says little, because file systems soon use the number again.
func renames(created, deleted []item) []change {
	type identity struct {
		dev, inode uint64
		kind       string
		content    digest
		target     string
	}
	of := func(r *record) identity { return identity{r.dev, r.inode, r.kind, r.content, r.target} }
	sort.Slice(deleted, func(i, j int) bool { return before(deleted[i].path, deleted[j].path) })
	sort.Slice(created, func(i, j int) bool { return before(created[i].path, created[j].path) })
	gone := make(map[identity][]item)
	for _, i := range deleted {
		gone[of(i.record)] = append(gone[of(i.record)], i)
	}
	var changes []change
	for _, i := range created {
		if candidates := gone[of(i.record)]; len(candidates) > 0 {
			old := candidates[0]
			gone[of(i.record)] = candidates[1:]
			changes = append(changes, change{"renamed", differences(old.record, i.record), entryOf(old.path, old.record), entryOf(i.path, i.record), i.path})
		} else {
			changes = append(changes, change{"created", nil, nil, entryOf(i.path, i.record), i.path})
		}
	}
	for _, rest := range gone {
		for _, i := range rest {
			changes = append(changes, change{"deleted", nil, entryOf(i.path, i.record), nil, i.path})
		}
	}
	return changes
}

func nameOf(differs []string) string {
	if differs[0] == "type" || differs[0] == "content" {
		return "modified"
	}
	return "metadata"
}
