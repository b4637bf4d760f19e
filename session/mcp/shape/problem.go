package shape

import (
	"fmt"

	"mcpdbg/framing"
	"mcpdbg/session/mcp"
)

// A Kind is the kind of a problem.
type Kind uint8

// The kinds of problems.
const (
	Missing     Kind = iota // a required member is missing
	WrongType               // a value has another type, or a number is out of range
	NotAllowed              // a string is none of those allowed
	UnknownType             // an object has a type that no revision knows
	NewerType               // an object has a type of a newer revision
	Newer                   // a member of a newer revision
	Misspelled              // an unknown member is likely a misspelled one
	Deprecated              // a deprecated member or value
)

// A Problem is one way in which a value does not fit.
type Problem struct {
	Kind Kind
	// Pointer is a JSON Pointer to the value or the missing or misspelled member. An
	// index of an array and a key of a dictionary are *.
	Pointer string
	Want    string // what was expected, for WrongType, NotAllowed, Misspelled
	Got     string // the beginning of what is there; it may come from the server
	Type    string // of what is there
	Since   string // revision of what is newer
	// Item is the element of the outermost array that the problem is in, if that is a
	// member of the walked object, such as one tool of a list.
	Item framing.Span
}

// String describes the problem without its place.
func (p *Problem) String() string {
	switch p.Kind {
	case Missing:
		if p.Want != "" {
			return p.Want + " is missing"
		}
		return "missing"
	case WrongType:
		return fmt.Sprintf("%s, expected %s", p.Type, p.Want)
	case NotAllowed:
		return fmt.Sprintf("%s, expected %s", p.Got, p.Want)
	case UnknownType:
		return "unknown type " + p.Got
	case NewerType:
		return fmt.Sprintf("type %s is new in %s", p.Got, p.Since)
	case Newer:
		return "new in " + p.Since
	case Misspelled:
		return fmt.Sprintf("%q looks like %s", p.Got, p.Want)
	}
	return "deprecated"
}

// typeName describes a value by its type, and a number by its digits.
func typeName(value []byte) string {
	if len(value) == 0 {
		return "nothing"
	}
	switch value[0] {
	case '"':
		return "a string"
	case '{':
		return "an object"
	case '[':
		return "an array"
	case 't', 'f', 'n':
		return string(value[:min(len(value), maxGot)])
	}
	return "the number " + string(value[:min(len(value), maxGot)])
}

// revisionNames are the revisions by their order.
var revisionNames = [...]string{"", mcp.V20241105, mcp.V20250326, mcp.V20250618, mcp.V20251125, mcp.V20260728}
