package exchange

import (
	"mcpdbg/session"
	"mcpdbg/session/mcp"
)

// A methodKind is how the messages of a method are treated.
type methodKind uint8

const (
	unread methodKind = iota // its name was not read so far
	other
	readsTask
	steersTask // its refusal does not end the task
	tellsTask
	progresses
	cancels
	begins // the handshake
	pings
)

func kindOfName(name string) methodKind {
	switch {
	case name == mcp.MethodTasksUpdate, name == mcp.MethodTasksCancel:
		return steersTask
	case mcp.IsTaskMethod(name):
		return readsTask
	case name == mcp.MethodTaskStatus, name == mcp.MethodTasks:
		return tellsTask
	case name == mcp.MethodProgress:
		return progresses
	case name == mcp.MethodCancelled:
		return cancels
	case name == mcp.MethodInitialize, name == mcp.MethodDiscover:
		return begins
	case name == mcp.MethodPing:
		return pings
	}
	return other
}

// kindOf returns the kind of a method of a log. kinds has those that are known, by method.
func kindOf(src session.Source, kinds *[]methodKind, method uint16) methodKind {
	if missing := int(method) + 1 - len(*kinds); missing > 0 {
		*kinds = append(*kinds, make([]methodKind, missing)...)
	}
	kind := &(*kinds)[method]
	if *kind == unread {
		*kind = kindOfName(src.Method(method))
	}
	return *kind
}

func (f *Follower) kindOf(method uint16) methodKind { return kindOf(f.src, &f.kinds, method) }

// A handshake is that of one process: it begins with its first server/discover or
// initialize, and goes on over pings until another request is sent.
type handshake struct{ begun, over bool }

// request takes in a request of the client and reports whether it belongs to the
// handshake.
func (h *handshake) request(kind methodKind) bool {
	if kind != begins {
		h.over = h.over || h.begun && kind != pings
		return false
	}
	h.begun = true
	return !h.over
}
