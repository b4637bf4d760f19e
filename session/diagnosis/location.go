package diagnosis

import (
	"cmp"
	"strings"
)

// A Location is where in the contents of a message a problem is. The zero value is
// the whole line. Its texts may come from the server.
type Location struct {
	Method string // of the message, or of the request that it answers
	Name   string // of the tool, prompt or resource that the problem is about
	// Pointer is a JSON Pointer (RFC 6901) into the result or params, or, if Name is
	// set, into the named item, such as /inputSchema/type. An index of an array is *,
	// so that the same problem of many elements is one problem with a count.
	Pointer string
	// At is Pointer with the indexes of arrays and the keys of dictionaries, of the first
	// such problem: /content/0/text. It is "" if Pointer has no *.
	At string
}

// Place returns the location without At: that of all problems at the same place.
func (l Location) Place() Location {
	l.At = ""
	return l
}

// String formats the location, such as "tools/list: echo /inputSchema/type".
func (l Location) String() string {
	about := strings.TrimSpace(l.Name + " " + cmp.Or(l.At, l.Pointer))
	switch {
	case l.Method == "":
		return about
	case about == "":
		return l.Method
	}
	return l.Method + ": " + about
}
