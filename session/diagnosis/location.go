package diagnosis

import "strings"

// A Location is where in the contents of a message a problem is. The zero value is
// the whole line. Its texts may come from the server.
type Location struct {
	Method string // of the message, or of the request that it answers
	Name   string // of the tool, prompt or resource that the problem is about
	// Pointer is a JSON Pointer (RFC 6901) into the result or params, or, if Name is
	// set, into the named item, such as /inputSchema/type. An index of an array is *,
	// so that the same problem of many elements is one problem with a count.
	Pointer string
}

// String formats the location, such as "tools/list: echo /inputSchema/type".
func (l Location) String() string {
	about := strings.TrimSpace(l.Name + " " + l.Pointer)
	switch {
	case l.Method == "":
		return about
	case about == "":
		return l.Method
	}
	return l.Method + ": " + about
}
