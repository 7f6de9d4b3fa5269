// SPDX-License-Identifier: Apache-2.0

package workspace

import (
	"crypto/sha512"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"sort"
	"strings"
	"syscall"
	"unicode/utf8"
)

// The kinds of entries. A mount is a directory on which a file system is mounted that is not the
// machine's own, such as proc or a shared volume; what is below it does not belong to the workspace.
const (
	kindFile      = "file"
	kindDirectory = "directory"
	kindLink      = "link"
	kindPipe      = "pipe"
	kindSocket    = "socket"
	kindDevice    = "device"
	kindMount     = "mount"
)

type digest [sha512.Size256]byte

func (d digest) String() string { return hex.EncodeToString(d[:]) }

func parseDigest(text string) (d digest, ok bool) {
	raw, err := hex.DecodeString(text)
	ok = err == nil && len(raw) == len(d)
	copy(d[:], raw)
	return d, ok
}

// record describes one entry. It is never modified once it is in an index, so that lists of
// different instants can share it.
type record struct {
	kind       string
	mode       uint32 // permissions, with the bits for set-user-ID and so on
	uid, gid   uint32
	size       int64 // of a file; 0 for everything else
	modified   int64 // nanoseconds
	device     uint64
	content    digest // of a file
	attributes digest // of the extended attributes; zero if there are none
	target     string // of a link
	failure    string // why a part could not be read

	// Only this agent needs the rest, to see whether the entry must be read again.
	dev, inode uint64
	changed    int64
	unsure     bool // the content may have changed after it was read, without a trace in the above
}

// item is an entry with its path, which is relative to the workspace.
type item struct {
	path string
	*record
}

// before is the order of all lists: a directory comes before what is in it, and that comes before
// the directory's next sibling. Siblings have the order of their bytes.
func before(a, b string) bool {
	n := len(a)
	if len(b) < n {
		n = len(b)
	}
	for i := 0; i < n; i++ {
		if a[i] != b[i] {
			return a[i] == '/' || b[i] != '/' && a[i] < b[i]
		}
	}
	return len(a) < len(b)
}

func kindOf(mode uint32) string {
	switch mode & syscall.S_IFMT {
	case syscall.S_IFREG:
		return kindFile
	case syscall.S_IFDIR:
		return kindDirectory
	case syscall.S_IFLNK:
		return kindLink
	case syscall.S_IFIFO:
		return kindPipe
	case syscall.S_IFSOCK:
		return kindSocket
	}
	return kindDevice
}

func recordOf(stat *syscall.Stat_t) *record {
	r := &record{
		kind: kindOf(stat.Mode), mode: stat.Mode & 0o7777, uid: stat.Uid, gid: stat.Gid,
		modified: stat.Mtim.Nano(), dev: stat.Dev, inode: stat.Ino, changed: stat.Ctim.Nano(),
	}
	switch r.kind {
	case kindFile:
		r.size = stat.Size
	case kindDevice:
		r.device = stat.Rdev
	case kindLink:
		r.mode = 0o777
	}
	return r
}

// looksLike reports whether nothing of the other's status differs; the content may.
func (r *record) looksLike(o *record) bool {
	return r.kind == o.kind && r.mode == o.mode && r.uid == o.uid && r.gid == o.gid && r.size == o.size &&
		r.modified == o.modified && r.device == o.device && r.dev == o.dev && r.inode == o.inode && r.changed == o.changed
}

// differences names the parts in which two records of a path differ. The time of change is none of
// them: a file that was only touched has not changed.
func differences(a, b *record) []string {
	var all []string
	if a.kind != b.kind {
		all = append(all, "type")
	}
	if a.size != b.size || a.content != b.content || a.target != b.target || a.device != b.device || a.failure != b.failure {
		all = append(all, "content")
	}
	if a.mode != b.mode {
		all = append(all, "mode")
	}
	if a.uid != b.uid || a.gid != b.gid {
		all = append(all, "owner")
	}
	if a.attributes != b.attributes {
		all = append(all, "attributes")
	}
	return all
}

// digestOf identifies a state: equal digests mean equal paths, contents, modes, owners and
// attributes.
func digestOf(items []item) (d digest) {
	h := sha512.New512_256()
	var b []byte
	text := func(s string) {
		b = binary.AppendUvarint(b, uint64(len(s)))
		b = append(b, s...)
	}
	for _, i := range items {
		b = b[:0]
		text(i.path)
		text(i.kind)
		text(i.target)
		text(i.failure)
		for _, n := range []uint64{uint64(i.mode), uint64(i.uid), uint64(i.gid), uint64(i.size), i.device} {
			b = binary.AppendUvarint(b, n)
		}
		b = append(append(b, i.content[:]...), i.attributes[:]...)
		h.Write(b)
	}
	h.Sum(d[:0])
	return d
}

func digestOfAttributes(all map[string][]byte) (d digest) {
	if len(all) == 0 {
		return d
	}
	names := make([]string, 0, len(all))
	for name := range all {
		names = append(names, name)
	}
	sort.Strings(names)
	h := sha512.New512_256()
	for _, name := range names {
		b := binary.AppendUvarint(nil, uint64(len(name)))
		b = binary.AppendUvarint(append(b, name...), uint64(len(all[name])))
		h.Write(append(b, all[name]...))
	}
	h.Sum(d[:0])
	return d
}

// text is a path or a link's target. Its bytes may be anything; in JSON, those that are not UTF-8
// are in base64, as the member that has "64" at the end of its name.
type text struct {
	plain   string
	encoded string
}

func textOf(s string) text {
	if utf8.ValidString(s) {
		return text{plain: s}
	}
	return text{encoded: base64.StdEncoding.EncodeToString([]byte(s))}
}

// entry is the form of a record in JSON.
type entry struct {
	Path       string            `json:"path,omitempty"`
	Path64     string            `json:"path64,omitempty"`
	Kind       string            `json:"kind"`
	Mode       uint32            `json:"mode"`
	UID        uint32            `json:"uid"`
	GID        uint32            `json:"gid"`
	Size       int64             `json:"size"`
	Modified   int64             `json:"modified"`
	Device     uint64            `json:"device,omitempty"`
	Content    string            `json:"content,omitempty"`
	Attributes string            `json:"attributes,omitempty"`
	Target     string            `json:"target,omitempty"`
	Target64   string            `json:"target64,omitempty"`
	Failure    string            `json:"failure,omitempty"`
	Values     map[string][]byte `json:"values,omitempty"` // of the attributes, if asked for
}

func entryOf(path string, r *record) *entry {
	if r == nil {
		return nil
	}
	p, t := textOf(path), textOf(r.target)
	e := &entry{Path: p.plain, Path64: p.encoded, Kind: r.kind, Mode: r.mode, UID: r.uid, GID: r.gid, Size: r.size,
		Modified: r.modified, Device: r.device, Target: t.plain, Target64: t.encoded, Failure: r.failure}
	if r.kind == kindFile && r.failure == "" {
		e.Content = r.content.String()
	}
	if r.attributes != (digest{}) {
		e.Attributes = r.attributes.String()
	}
	return e
}

func lineOf(v interface{}) []byte {
	var b strings.Builder
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(v) // nothing that is encoded here can fail
	return []byte(b.String())
}
