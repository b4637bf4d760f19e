package contents

import (
	"hash/maphash"
	"math"
	"slices"

	"mcpdbg/session/diagnosis/message"
	"mcpdbg/session/mcp"
)

const (
	// maxAsked is how many list requests may be pending; of more, the pages are
	// checked one by one.
	maxAsked  = 256
	maxListed = 16 << 10
	// settles is how long after a changed list its announcement may follow, in
	// microseconds.
	settles = 2_000_000
)

// A listKind is one of the four lists of a server, in the order of mcp.Lists.
type listKind int

const (
	toolList listKind = iota
	resourceList
	templateList
	promptList
	listKinds
)

func kindOf(method string) listKind {
	return listKind(slices.IndexFunc(mcp.Lists, func(list mcp.List) bool { return list.Method == method }))
}

var noun = [listKinds]string{"tool", "resource", "resource template", "prompt"}

type lists struct {
	seed   maphash.Seed
	asked  map[int]asked // by the row of the request
	latest [listKinds]listing
	tools  tools

	changes   [listKinds]int // how often the server announced another list
	announces bool           // the server declared tools.listChanged
	previous  snapshot       // the complete list of tools before the latest
	pending   unannouncedList
}

type asked struct {
	kind    listKind
	cursor  uint64 // its hash; 0 for the first page
	changes int
}

// A listing is the pages of one list, as far as they came.
type listing struct {
	begun    bool
	revision string
	names    map[uint64]bool // hashes
	overflow bool            // there are too many
	next     uint64          // hash of the cursor of the next page, 0 after the last
	complete bool
	changes  int // announcements before the first page was asked for
	size     int // bytes of its items
	items    int
	order    uint64
	set      uint64
}

// A snapshot is what is kept of an older list of tools.
type snapshot struct {
	known      bool
	revision   string
	order, set uint64
	items      int
	changes    int
}

func (l *lists) hash(text []byte) uint64 { return maphash.Bytes(l.seed, text) | 1 }

func (l *lists) changed(method []byte) {
	switch string(method) {
	case "notifications/tools/list_changed":
		l.changes[toolList]++
		l.pending = unannouncedList{}
	case "notifications/prompts/list_changed":
		l.changes[promptList]++
	case "notifications/resources/list_changed":
		l.changes[resourceList]++
		l.changes[templateList]++
	}
}

func (l *lists) ask(kind listKind, params []byte, row int) {
	if l.asked == nil {
		l.asked = make(map[int]asked)
	}
	if len(l.asked) >= maxAsked {
		clear(l.asked)
	}
	a := asked{kind: kind, changes: l.changes[kind]}
	if cursor := message.Member(params, "cursor"); isText(cursor) {
		a.cursor = l.hash(cursor)
	}
	l.asked[row] = a
}

func (l *lists) declare(capabilities []byte) {
	if !isObject(capabilities) {
		return
	}
	if offered := message.Member(capabilities, "tools"); isObject(offered) {
		l.announces = string(message.Member(offered, "listChanged")) == "true"
	}
}

// begin returns nil for a page that belongs to no known listing: it is checked by itself.
func (l *lists) begin(revision string, row int, kind listKind) *listing {
	a, ok := l.asked[row]
	delete(l.asked, row)
	latest := &l.latest[kind]
	switch {
	case !ok:
		return nil
	case a.cursor == 0:
		if kind == toolList {
			l.remember(latest)
			l.tools.reset()
		}
		*latest = listing{begun: true, revision: revision, names: make(map[uint64]bool), changes: a.changes}
		return latest
	case latest.begun && a.cursor == latest.next:
		return latest
	}
	return nil
}

// remember keeps a complete list of tools for the comparison with the next one.
func (l *lists) remember(latest *listing) {
	if latest.complete && !latest.overflow {
		l.previous = snapshot{known: true, revision: latest.revision, order: latest.order, set: latest.set, items: latest.items, changes: latest.changes}
	}
}

// outdated reports whether the server announced another list of tools since the last one
// was asked for.
func (l *lists) outdated() bool {
	latest := &l.latest[toolList]
	return latest.begun && latest.changes != l.changes[toolList]
}

// current reports whether there is a list of tools, and the server announced no other
// one since it was asked for.
func (l *lists) current() bool {
	latest := &l.latest[toolList]
	return latest.begun && latest.changes == l.changes[toolList]
}

// add adds the name of an item. It reports whether the listing already has it.
func (g *listing) add(name uint64) (known bool) {
	if len(g.names) >= maxListed {
		g.overflow = true
		return false
	}
	known = g.names[name]
	g.names[name] = true
	g.items++
	g.order = (g.order ^ name) * 1099511628211
	g.set += name
	return known
}

func (l *lists) end(g *listing, nextCursor []byte) {
	g.next, g.complete = 0, nextCursor == nil || string(nextCursor) == "null"
	if isText(nextCursor) {
		g.next = l.hash(nextCursor)
	}
}

// due returns when an unannounced change is certain.
func (l *lists) due() int64 {
	if l.pending.detail == "" {
		return math.MaxInt64
	}
	return l.pending.due
}
