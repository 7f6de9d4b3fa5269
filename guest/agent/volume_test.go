// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/binary"
	"net"
	"os"
	"sync"
	"syscall"
	"testing"
)

// fakeHost is the other end of a volume's connection.
type fakeVolumeHost struct {
	t    *testing.T
	link net.Conn
}

type hostRequest struct {
	epoch, seq uint64
	again      bool
	op         volumeOp
	body       []byte
}

// connected gives calls a connection and answers its other end.
func connected(t *testing.T, c *calls, epoch uint64) *fakeVolumeHost {
	t.Helper()
	ours, theirs := net.Pipe()
	t.Cleanup(func() { theirs.Close() })
	said := make(chan error, 1)
	go func() {
		_, err := theirs.Write(message(nil).u32(volumeHelloSize).u32(volumeVersion).u64(epoch))
		said <- err
	}()
	if err := c.connect(ours); err != nil {
		t.Fatal(err)
	}
	if err := <-said; err != nil {
		t.Fatal(err)
	}
	return &fakeVolumeHost{t, theirs}
}

func (h *fakeVolumeHost) next() hostRequest {
	h.t.Helper()
	frame, err := readVolumeFrame(h.link)
	if err != nil {
		h.t.Fatal(err)
	}
	return hostRequest{binary.BigEndian.Uint64(frame), binary.BigEndian.Uint64(frame[8:]), frame[16] != 0,
		volumeOp(frame[17]), frame[18:]}
}

func (h *fakeVolumeHost) answer(r hostRequest, errno syscall.Errno, body []byte) {
	h.t.Helper()
	frame := message(nil).u32(uint32(20 + len(body))).u64(r.epoch).u64(r.seq).u32(uint32(errno))
	if _, err := h.link.Write(append(frame, body...)); err != nil {
		h.t.Fatal(err)
	}
}

// request adds a request, and answers where its errno will be.
func request(c *calls, unique uint64, op volumeOp, body string) chan syscall.Errno {
	ended := make(chan syscall.Errno, 1)
	c.add(&call{unique: unique, op: op, body: message(body), done: func(errno syscall.Errno, _ []byte) { ended <- errno }})
	return ended
}

func TestARequestIsSentAgainAsItWas(t *testing.T) {
	c := newCalls()
	first := request(c, 1, opMakeDir, "waits for a host")
	host := connected(t, c, 7)
	sent := host.next()
	if sent.epoch != 7 || sent.again || string(sent.body) != "waits for a host" {
		t.Errorf("sent %+v", sent)
	}
	second := request(c, 2, opUnlink, "second")
	other := host.next()
	host.answer(other, syscall.ENOENT, nil)
	if errno := <-second; errno != syscall.ENOENT {
		t.Errorf("the second: %v", errno)
	}

	host = connected(t, c, 8)
	again := host.next()
	if again.epoch != 7 || again.seq != sent.seq || !again.again || string(again.body) != string(sent.body) {
		t.Errorf("again %+v", again)
	}
	third := request(c, 3, opStat, "third")
	if fresh := host.next(); fresh.epoch != 8 || fresh.again {
		t.Errorf("fresh %+v", fresh)
	} else {
		host.answer(fresh, 0, nil)
	}
	host.answer(again, 0, nil)
	if <-first != 0 || <-third != 0 {
		t.Error("not answered")
	}
}

func TestASignalEndsTheWaitForAnAbsentHostUnlessThatIsSeen(t *testing.T) {
	c := newCalls()
	unsent := request(c, 1, opMakeDir, "unsent")
	c.interrupt(1)
	if errno := <-unsent; errno != syscall.EINTR {
		t.Errorf("unsent: %v", errno)
	}
	change, question := request(c, 2, opMakeDir, "change"), request(c, 3, opRead, "question")
	host := connected(t, c, 1)
	host.next()
	host.next()
	c.interrupt(3) // the host is there, so the answer is near
	select {
	case errno := <-question:
		t.Errorf("given up: %v", errno)
	default:
	}
	host.link.Close()
	c.mu.Lock()
	link := c.link
	c.mu.Unlock()
	if link != nil {
		c.lost(link)
	}
	c.interrupt(2) // it may have happened
	c.interrupt(3)
	if errno := <-question; errno != syscall.EINTR {
		t.Errorf("question: %v", errno)
	}
	host = connected(t, c, 2)
	host.answer(host.next(), 0, nil)
	if errno := <-change; errno != 0 {
		t.Errorf("change: %v", errno)
	}
}

func TestAnotherVersionIsRefused(t *testing.T) {
	ours, theirs := net.Pipe()
	go theirs.Write(message(nil).u32(volumeHelloSize).u32(volumeVersion + 1).u64(1))
	if err := newCalls().connect(ours); err == nil {
		t.Error("connected")
	}
}

func TestNodesKeepTheirPaths(t *testing.T) {
	all := newNodes()
	root, _ := all.get(rootNode)
	dir := all.found(root, "a", volumeEntry{identity: 10})
	file := all.found(dir, "f", volumeEntry{identity: 11})
	if file.path() != "a/f" || root.path() != "" || root.of("x").path != "x" || dir.of("x").path != "a/x" {
		t.Errorf("paths %q %q", file.path(), dir.of("x").path)
	}
	dir.move(root, "b")
	if file.path() != "b/f" || root.children["a"] != nil {
		t.Errorf("after a rename: %q", file.path())
	}
	// Another guest has renamed it: the same file is found by another name.
	if same := all.found(root, "g", volumeEntry{identity: 11}); same != file || file.path() != "g" {
		t.Errorf("found again: %v %q", same == file, file.path())
	}
	all.forget(file.id, 1)
	if n, errno := all.get(file.id); errno != 0 || n != file {
		t.Error("forgotten too early")
	}
	all.forget(file.id, 1)
	if _, errno := all.get(file.id); errno != syscall.ESTALE {
		t.Error("not forgotten")
	}
	if again := all.found(root, "g", volumeEntry{identity: 11}); again.id == file.id {
		t.Error("the kernel's number was given twice")
	}
	all.forget(rootNode, 100)
	if _, errno := all.get(rootNode); errno != 0 {
		t.Error("the root was forgotten")
	}
}

func TestEntriesAndAttributes(t *testing.T) {
	b := message(nil).u64(1).u64(2).u32(0o100644).u32(3).u32(4).u32(5).u64(6).u64(7).u64(1_000_000_008).u64(9).u64(10)
	e, ok := parseEntry(b)
	if !ok || e.identity != 1 || e.inode != 2 || e.links != 3 || e.gid != 5 || e.blocks != 7 || e.changed != 10 {
		t.Errorf("entry %+v", e)
	}
	if _, ok := parseEntry(b[:entryBytes-1]); ok {
		t.Error("half an entry")
	}
	if len(fuseEntryOut(1, e)) != 128 || len(fuseAttrOut(e)) != 104 || len(fuseOpenOut(nil, 1)) != 16 {
		t.Error("sizes")
	}
	attr := fuseAttrOut(e)[16:]
	if le.Uint64(attr[24:]) != 1 || le.Uint32(attr[48:]) != 8 || le.Uint32(attr[60:]) != 0o100644 {
		t.Errorf("attributes % x", attr)
	}
	e.accessed = -1
	if attr := fuseAttrOut(e)[16:]; int64(le.Uint64(attr[24:])) != -1 || le.Uint32(attr[48:]) != 999_999_999 {
		t.Errorf("before 1970: % x", attr)
	}
}

func TestListingsFitTheirRoom(t *testing.T) {
	page := message(nil).u8(1)
	for _, name := range []string{"one", "twelve-bytes"} {
		page = page.u64(5).u8(8).text(name)
	}
	l := &listing{}
	if !l.add(page) || l.all || len(l.names) != 2 {
		t.Fatalf("listing %+v", l)
	}
	if got := l.from(0, 1000); len(got) != 32+40 || le.Uint64(got[8:]) != 1 || string(got[24:27]) != "one" {
		t.Errorf("% x", got)
	}
	if got := l.from(0, 71); len(got) != 32 {
		t.Errorf("%d bytes in too little room", len(got))
	}
	if got := l.from(1, 1000); string(got[24:36]) != "twelve-bytes" {
		t.Errorf("% x", got)
	}
	if (&listing{}).add(page[:len(page)-1]) || (&listing{}).add(nil) {
		t.Error("took half a page")
	}
}

func TestKernelMessages(t *testing.T) {
	if out, errno := fuseInitOut(make([]byte, 64)); errno != syscall.EPROTO || out != nil {
		t.Error("another version's kernel")
	}
	in := make([]byte, 64)
	le.PutUint32(in, fuseMajor)
	le.PutUint32(in[8:], 1<<30)
	le.PutUint32(in[12:], ^uint32(0))
	out, errno := fuseInitOut(in)
	if errno != 0 || len(out) != 64 || le.Uint32(out[8:]) != maxVolumeData || le.Uint32(out[20:]) != maxVolumeData {
		t.Errorf("% x, %v", out, errno)
	}
	if flags := le.Uint32(out[12:]); flags&fuseAutoInval == 0 || flags&(1<<16) != 0 { // no write-back cache
		t.Errorf("flags %x", flags)
	}
	answer := fuseAnswer(9, syscall.ENOENT, []byte("ignored"))
	if len(answer) != fuseOutHeader || int32(le.Uint32(answer[4:])) != -int32(syscall.ENOENT) {
		t.Errorf("% x", answer)
	}
	if _, ok := parseFuse(make([]byte, fuseInHeader)); ok {
		t.Error("a length that is none")
	}
	if two, ok := texts([]byte("a\x00b/c\x00rest"), 2); !ok || two[1] != "b/c" {
		t.Errorf("%q", two)
	}
	if _, ok := texts([]byte("a"), 1); ok {
		t.Error("no end")
	}
}

func TestTheRouteRefusesWhatItCannotMount(t *testing.T) {
	f := newFixture(t)
	f.want(f.do("POST", "/volume", "", ""), 400, "ramet-volume")
	f.want(f.do("POST", "/volume?id=v&path=relative", "", ""), 400, "absolute")
}

func TestOthersMountsGoAtInit(t *testing.T) {
	f := newFixture(t)
	control, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	mine, others := volumeMount{"v1", "/nowhere/mine"}, volumeMount{"v2", "/nowhere/others"}
	v := &f.agent.volumes
	v.mounts[mine] = &mountedVolume{control: control, ended: make(chan struct{})}
	v.mounts[others] = &mountedVolume{control: control, ended: make(chan struct{})}
	f.want(f.do("POST", "/init", "", `{}`), 204, "")
	if len(v.mounts) != 2 {
		t.Error("unmounted unasked")
	}
	f.want(f.do("POST", "/init", "", `{"volumes":[{"id":"v1","path":"/nowhere/mine"}]}`), 204, "")
	if len(v.mounts) != 1 || v.mounts[mine] == nil {
		t.Errorf("left: %v", v.mounts)
	}
}

// The kernel's side is played by a pipe: what a server writes is read from it.
func TestAServerAsksTheHostForWhatTheKernelWants(t *testing.T) {
	pair, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_SEQPACKET, 0)
	if err != nil {
		t.Fatal(err)
	}
	var once sync.Once
	end := func() { once.Do(func() { syscall.Close(pair[1]) }) }
	t.Cleanup(func() { end(); syscall.Close(pair[0]) })
	s := &volumeServer{device: pair[0], calls: newCalls(), nodes: newNodes(), lists: map[uint64]*listing{}}
	host := connected(t, s.calls, 1)
	kernel := func(opcode uint32, unique, nodeID uint64, body string) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.handle(fuseRequest{opcode: opcode, unique: unique, node: nodeID, uid: 1000, body: []byte(body)})
	}
	answer := func() (int32, []byte) {
		b := make([]byte, 4096)
		n, err := syscall.Read(pair[1], b)
		if err != nil || n < fuseOutHeader {
			t.Fatalf("answer: %d %v", n, err)
		}
		return int32(le.Uint32(b[4:])), b[fuseOutHeader:n]
	}
	entry := message(nil).u64(77).u64(2).u32(0o100644).u32(1).u32(0).u32(0).u64(6).u64(8).u64(0).u64(0).u64(0)

	kernel(fuseLookup, 1, rootNode, "file\x00")
	asked := host.next()
	if asked.op != opStat || string(asked.body) != string(message(nil).place(place{path: "file"}).u64(0)) {
		t.Errorf("lookup asks %v % x", asked.op, asked.body)
	}
	host.answer(asked, 0, entry)
	errno, body := answer()
	id := le.Uint64(body)
	if errno != 0 || id != 2 {
		t.Fatalf("lookup: %d, node %d", errno, id)
	}

	kernel(fuseOpen, 2, id, "\x00\x00\x00\x00\x00\x00\x00\x00")
	if errno, _ := answer(); errno != 0 {
		t.Errorf("open: %d", errno)
	}
	kernel(fuseUnlink, 3, rootNode, "file\x00")
	if asked = host.next(); asked.op != opHide {
		t.Errorf("what is open is removed by %v", asked.op)
	}
	host.answer(asked, 0, nil)
	answer()
	read := string(make([]byte, 16)) + "\x06\x00\x00\x00" + string(make([]byte, 20))
	kernel(fuseRead, 4, id, read)
	asked = host.next()
	where := message(nil).place(place{hidden: true, path: "000000000000004d"}).u64(77).u64(0).u32(6)
	if string(asked.body) != string(where) {
		t.Errorf("read asks % x", asked.body)
	}
	host.answer(asked, 0, []byte("longer than asked for"))
	if errno, _ := answer(); errno != -int32(syscall.EIO) {
		t.Errorf("a host that says too much: %d", errno)
	}
	kernel(fuseRelease, 5, id, string(make([]byte, 24)))
	if asked = host.next(); asked.op != opUnlink {
		t.Errorf("closed, it is removed by %v", asked.op)
	}
	answer()

	kernel(fuseMknod, 6, rootNode, "\x00\x20\x00\x00"+string(make([]byte, 12))+"device\x00")
	if errno, _ := answer(); errno != -int32(syscall.EPERM) {
		t.Errorf("a device: %d", errno)
	}
	kernel(fuseLookup, 7, 999, "x\x00")
	if errno, _ := answer(); errno != -int32(syscall.ESTALE) {
		t.Errorf("an unknown node: %d", errno)
	}
	kernel(9999, 8, rootNode, "")
	if errno, _ := answer(); errno != -int32(syscall.ENOSYS) {
		t.Errorf("an unknown request: %d", errno)
	}
	kernel(fuseWrite, 9, id, "short")
	if errno, _ := answer(); errno == 0 {
		t.Error("half a request")
	}
}
