package lifecycle

import (
	"bytes"

	"mcpdbg/session/diagnosis"
	"mcpdbg/session/diagnosis/message"
	"mcpdbg/session/mcp"
)

// emptyPages is after how many empty pages in a row, each with a new cursor, a list
// seems to have no end.
const emptyPages = 3

// A walk is the pages of one list so far. A request without a cursor begins a new one.
type walk struct {
	before map[uint64]uint64 // cursor by the cursor that followed it; 0 for the first page
	empty  int               // pages in a row
}

type pages struct {
	walks map[string]*walk
}

// listMember returns the member of the result that holds the items, "" for a method that
// has no pages.
func listMember(method string) string {
	if method == methodTasksList {
		return "tasks"
	}
	list, _ := mcp.ListOf(method)
	return list.Member
}

func (c *Checker) page(m *message.Message, r *message.Request) {
	items := listMember(r.Method)
	if items == "" {
		return
	}
	if r.Cursor != "" {
		c.bogus(m, r)
	}
	list, next := []byte(nil), []byte(nil)
	result := m.Of(m.Result)
	for name, value := range message.Members(result) {
		switch string(name) {
		case items:
			list = value
		case "nextCursor":
			next = value
		}
	}
	if next == nil {
		delete(c.pages.walks, r.Method)
		return
	}
	where := diagnosis.Location{Method: r.Method, Pointer: "/nextCursor"}
	if !isString(next) {
		c.found(pag01, m.At, where, "the cursor is %s", message.Excerpt(next))
		return
	}
	w := c.walk(r)
	if w.loops(r.Cursor, next) {
		c.found(pag01, m.At, where, "the cursor %s was given before", message.Excerpt(next))
	}
	c.past.issue(hash(next))
	if w.empty++; !empty(list) {
		w.empty = 0
	}
	if w.empty == emptyPages {
		c.found(pag02, m.At, diagnosis.Location{Method: r.Method}, "%d empty pages in a row", emptyPages)
	}
}

func (c *Checker) walk(r *message.Request) *walk {
	w := c.pages.walks[r.Method]
	if w == nil || r.Cursor == "" {
		if c.pages.walks == nil {
			c.pages.walks = make(map[string]*walk)
		}
		w = &walk{before: make(map[uint64]uint64)}
		c.pages.walks[r.Method] = w
	}
	return w
}

// loops adds the next cursor after the page of a cursor, and reports whether it leads
// back to a page of the walk.
func (w *walk) loops(cursor string, next []byte) bool {
	at, follows := uint64(0), hash(next)
	if cursor != "" {
		at = hash([]byte(cursor))
	}
	for page, steps := at, 0; page != 0 && steps <= maxCursors; steps++ {
		if page == follows {
			return true
		}
		page = w.before[page]
	}
	if len(w.before) >= maxCursors {
		return false
	}
	w.before[follows] = at
	return false
}

func empty(token []byte) bool {
	return len(token) > 0 && token[0] == '[' && len(bytes.TrimSpace(token[1:])) == 1
}

func (p *Past) issue(cursor uint64) {
	if p.cursors == nil {
		p.cursors = make(map[uint64]bool)
	}
	if len(p.cursors) < maxCursors {
		p.cursors[cursor] = true
	}
}

// bogus checks the result for a cursor that no server of the log issued. The empty
// cursor may be another way to ask for the first page.
func (c *Checker) bogus(m *message.Message, r *message.Request) {
	p := c.past
	if !c.fromStart() || p.gap || r.Cursor == `""` || r.Cursor[0] != '"' || len(p.cursors) >= maxCursors || p.cursors[hash([]byte(r.Cursor))] {
		return
	}
	c.found(pag03, m.At, diagnosis.Location{Method: r.Method}, "the cursor %s, which the server never issued, has a result", message.Excerpt(r.Cursor))
}
