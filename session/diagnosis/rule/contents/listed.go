package contents

import (
	"fmt"

	"mcpdbg/session/diagnosis/message"
	"mcpdbg/session/mcp"
)

// An unannouncedList is a list of tools that differs from the one before it, until
// its announcement comes.
type unannouncedList struct {
	check  messageChecker
	detail string
	due    int64
}

func (c *Checker) listResult(s *messageChecker, kind listKind, request *message.Request, r *result) {
	g := c.lists.begin(s.revision, request.At.Row, kind)
	if !isArray(r.items) {
		return
	}
	page := g
	if page == nil {
		page = &listing{names: make(map[uint64]bool), changes: c.lists.changes[kind]}
	}
	for item := range message.Elements(r.items) {
		if isObject(item) {
			c.item(s, kind, item, page, g != nil)
		}
	}
	if g == nil {
		return
	}
	c.lists.end(g, r.nextCursor)
	if g.overflow && g.complete {
		c.skipped++
	}
	if kind != toolList {
		return
	}
	if g.complete && g.size > maxListSize {
		s.found(tol13, "/tools", fmt.Sprintf("%d tools in %d KiB: about %d,000 tokens of each conversation", g.items, g.size>>10, g.size/bytesPerToken/1000))
	}
	if g.complete {
		c.compareLists(s, g)
	}
}

func (c *Checker) item(s *messageChecker, kind listKind, item []byte, page *listing, listed bool) {
	var t toolParts
	var id, meta, annotations, icons []byte
	key := mcp.Lists[kind].Key
	for member, value := range message.Members(item) {
		if string(member) == key {
			id = value
		}
		switch string(member) {
		case "_meta":
			meta = value
		case "annotations":
			annotations = value
		case "icons":
			icons = value
		case "inputSchema":
			t.input = value
		case "outputSchema":
			t.output = value
		}
	}
	name, _ := textOf(id)
	s.name = clip(string(name))
	defer func() { s.name = "" }()
	page.size += len(item)
	s.meta(meta)
	s.iconsOf(icons)
	if kind != toolList {
		s.annotations(annotations)
	}
	if isText(id) && kind != templateList && page.add(c.lists.hash(name)) && c.lists.changes[kind] == page.changes {
		s.found(tol01, "/"+key, fmt.Sprintf("another %s of the list has the same %s: %s", noun[kind], key, message.Excerpt(name)))
	}
	switch kind {
	case toolList:
		c.tool(s, name, t, listed)
	case resourceList:
		s.uri("/uri", id)
	case templateList:
		s.template("/uriTemplate", id)
	}
}

// maxListSize is the size of a list of tools above which it is reported, in bytes. A
// token of a model is about bytesPerToken.
const (
	maxListSize   = 100 << 10
	bytesPerToken = 4
)

func (c *Checker) compareLists(s *messageChecker, g *listing) {
	before := c.lists.previous
	if !before.known || g.overflow || before.revision != s.revision {
		return
	}
	if before.items == g.items && before.set == g.set {
		if before.order != g.order {
			s.found(tol12, "/tools", "the same tools are in another order than in the list before")
		}
		return
	}
	// In the modern era only those who listen get announcements.
	if before.changes == c.lists.changes[toolList] && c.lists.announces && mcp.IsLegacy(s.revision) {
		c.lists.pending = unannouncedList{check: *s, due: s.at.T + settles,
			detail: fmt.Sprintf("%d tools; the list before had %d other or not all of them, and no list_changed was sent", g.items, before.items)}
		c.lists.pending.check.path = nil
	}
}
