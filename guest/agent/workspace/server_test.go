// SPDX-License-Identifier: Apache-2.0

package workspace

import (
	"encoding/json"
	"net/url"
	"os"
	"strconv"
	"strings"
	"testing"
)

func TestPagesAreOfOneState(t *testing.T) {
	g := newGround(t)
	for _, name := range []string{"a", "b/c", "b.d", "e"} {
		g.put(name, name)
	}
	digest, all, _ := g.lines("index", nil)
	var pages []string
	after := ""
	for n := 0; ; n++ {
		_, items, last := g.lines("index", url.Values{"digest": {digest}, "after": {after}, "limit": {"2"}})
		for _, item := range items {
			pages = append(pages, string(item))
			var e entry
			g.must(json.Unmarshal(item, &e))
			after = e.Path
		}
		if !last.More {
			break
		}
		g.put("a", "changed "+strconv.Itoa(n))
		g.put("b/new"+strconv.Itoa(n), "new")
		g.must(os.RemoveAll(g.path("e")))
		g.index()
	}
	if len(pages) != len(all) {
		t.Fatalf("%d entries in pages, %d at once", len(pages), len(all))
	}
	for i := range all {
		if string(all[i]) != pages[i] {
			t.Fatalf("%s, not %s", pages[i], all[i])
		}
	}
}

func TestChangesBetweenEarlierStates(t *testing.T) {
	g := newGround(t)
	g.put("a", "1")
	one, _ := g.index()
	g.put("a", "2")
	two, _ := g.index()
	g.put("a", "1")
	g.put("b", "b")
	three, _ := g.index()
	g.wantChanges(one, "created b")
	g.wantChanges(two, "modified a [content]", "created b")
	_, items, _ := g.lines("changes", url.Values{"from": {three}, "to": {one}})
	if len(items) != 1 || !strings.Contains(string(items[0]), "deleted") {
		t.Fatalf("%s", items)
	}
	g.must(os.Remove(g.path("b")))
	if again, _ := g.index(); again != one {
		t.Fatal("a state that is as before has another digest")
	}
	g.want(410, "not known any more", "GET", "changes", url.Values{"from": {strings.Repeat("00", 32)}}, "")
}

func TestRead(t *testing.T) {
	g := newGround(t)
	g.put("a", "0123456789")
	at := func(offset, length string) url.Values {
		return url.Values{"path": {"a"}, "offset": {offset}, "length": {length}}
	}
	for _, c := range [][3]string{{"", "", "0123456789"}, {"2", "3", "234"}, {"8", "5", "89"}, {"10", "1", ""}, {"99", "", ""}} {
		if status, text := g.ask("GET", "read", at(c[0], c[1]), ""); status != 200 || text != c[2] {
			t.Fatalf("%d %q, want %q", status, text, c[2])
		}
	}
	g.want(400, "number", "GET", "read", at("-1", ""), "")
	g.must(os.Mkdir(g.path("d"), 0o755))
	g.want(409, "directory", "GET", "read", url.Values{"path": {"d"}}, "")
}

func TestBadRequests(t *testing.T) {
	g := newGround(t)
	g.want(404, "no such endpoint", "GET", "nothing", nil, "")
	g.want(404, "no such endpoint", "DELETE", "index", nil, "")
	g.want(400, "digest", "GET", "index", url.Values{"digest": {"00"}}, "")
	g.want(400, "from", "GET", "changes", nil, "")
	g.want(400, "number", "GET", "index", url.Values{"limit": {"0"}}, "")
	g.want(400, "number", "GET", "events", url.Values{"since": {"x"}}, "")
	real := g.root
	for _, root := range []string{"", "relative", "/a/../b", real + "/"} {
		g.root = root
		g.want(400, "root", "GET", "index", nil, "")
	}
	g.root = real + "/none"
	g.want(404, "does not exist", "GET", "index", nil, "")
	g.must(os.Symlink(real, real+"/link"))
	g.root = real + "/link"
	g.want(409, "symbolic link", "GET", "index", nil, "")
	g.root = real
	g.must(os.Remove(real + "/link"))
	g.must(os.RemoveAll(real))
	g.want(404, "does not exist", "GET", "index", nil, "")
	g.must(os.Mkdir(real, 0o755))
	g.put("a", "new")
	if _, all := g.index(); len(all) != 1 {
		t.Fatalf("%v", all)
	}
}

func TestTheRing(t *testing.T) {
	var r ring
	for i := 1; i <= mostEvents+5; i++ {
		r.add(actionCreated, strconv.Itoa(i), "", 0, false)
	}
	found, last, _ := r.since(0, 3)
	if last != mostEvents+5 || found[0].Action != actionLost || found[0].Number != 5 || found[1].Path != "6" || len(found) != 3 {
		t.Fatalf("%d %v", last, found)
	}
	found, _, _ = r.since(last-1, 10)
	if len(found) != 1 || found[0].Path != strconv.Itoa(mostEvents+5) {
		t.Fatalf("%v", found)
	}
	if found, _, added := r.since(last, 10); found != nil || added == nil {
		t.Fatal("there is nothing after the last")
	}
}

// events returns short forms of the events until one has a path.
func (g *ground) events(since int64, until string) []string {
	g.Helper()
	var all []string
	for {
		_, items, _ := g.lines("events", url.Values{"since": {strconv.FormatInt(since, 10)}, "wait": {"60"}})
		if len(items) == 0 {
			g.Fatalf("no event of %q, only %q", until, all)
		}
		for _, item := range items {
			var e event
			g.must(json.Unmarshal(item, &e))
			since = e.Number
			all = append(all, strings.TrimSpace(e.Action+" "+e.From+" "+e.Path))
			if e.Path == until {
				return all
			}
		}
	}
}

// Other processes make the changes: those of the agent itself are no events.
func TestEvents(t *testing.T) {
	g := newGround(t)
	g.put("d/old", "1")
	g.index()
	var since int64
	for _, step := range [][3]string{
		{"echo 1 > a", "a", "created  a"},
		{"chmod 600 a", "a", "metadata  a"},
		{"mv a d/b", "d/b", "renamed a d/b"},
		{"mv d e", "e", "renamed d e"},
		{"echo 22 > e/old", "e/old", "modified  e/old"},
		{"mkdir -p e/f/g; echo 3 > e/f/g/new", "e/f/g/new", "created  e/f/g/new"},
		{"rm e/old", "e/old", "deleted  e/old"},
		{"mv e/f ../moved-out-$$; mv ../moved-out-$$ back; echo 4 > back/g/new", "back/g/new", "modified  back/g/new"},
	} {
		g.run("sh", "-c", step[0])
		all := g.events(since, step[1])
		if last := all[len(all)-1]; last != step[2] {
			t.Fatalf("got %q, want %q at the end", all, step[2])
		}
		// The step may have further events, such as that the file was closed.
		g.run("sh", "-c", "echo > mark; rm mark")
		since = g.deleted(since, "mark")
	}
	g.put("mine", "by the agent's process")
	g.run("touch", "last")
	if all := g.events(since, "last"); strings.Contains(strings.Join(all, "\n"), "mine") {
		t.Fatalf("the agent reports its own work: %q", all)
	}
}

// deleted waits until a path is reported as deleted, and returns the number of that event.
func (g *ground) deleted(since int64, path string) int64 {
	g.Helper()
	for {
		_, items, _ := g.lines("events", url.Values{"since": {strconv.FormatInt(since, 10)}, "wait": {"60"}})
		if len(items) == 0 {
			g.Fatalf("%s was not deleted", path)
		}
		for _, item := range items {
			var e event
			g.must(json.Unmarshal(item, &e))
			if since = e.Number; e.Path == path && e.Action == actionDeleted {
				return since
			}
		}
	}
}
