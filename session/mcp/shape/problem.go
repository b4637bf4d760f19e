package shape

import (
	"fmt"
	"strings"

	"mcpdbg/framing"
	"mcpdbg/internal/wording"
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
	At      string // Pointer with the indexes and keys; "" if it has none
	Want    string // the expected type, values or name, for WrongType, NotAllowed, Misspelled
	Got     string // the beginning of what is there; it may come from the server
	Type    string // of what is there
	Since   string // revision of what is newer
	// Item is the element of the outermost array that the problem is in, if that is a
	// member of the walked object, such as one tool of a list.
	Item framing.Span
}

// String describes the problem in a phrase, such as "name is missing".
func (p *Problem) String() string {
	name := p.subject()
	switch p.Kind {
	case Missing:
		if p.Want != "" {
			return p.Want + " is missing"
		}
		return name + " is missing"
	case WrongType:
		return fmt.Sprintf("%s is %s, not %s", name, p.Type, p.Want)
	case NotAllowed:
		return fmt.Sprintf("%s is %s, not %s", name, p.Got, p.Want)
	case UnknownType:
		return fmt.Sprintf("%s is %s, which no revision knows", name, p.Got)
	case NewerType:
		return fmt.Sprintf("%s is %s, which is new in %s", name, p.Got, p.Since)
	case Newer:
		return fmt.Sprintf("%s is new in %s", name, p.Since)
	case Misspelled:
		return fmt.Sprintf("%s looks like a misspelled %s", p.Got, p.Want)
	}
	if p.Want != "" {
		return fmt.Sprintf("%s %s is deprecated", name, p.Want)
	}
	return name + " is deprecated"
}

// subject names what the problem is about, from the end of its pointer.
func (p *Problem) subject() string {
	slash := strings.LastIndexByte(p.Pointer, '/')
	outer, last := p.Pointer[:max(slash, 0)], p.Pointer[slash+1:]
	switch last {
	case "*":
		return "an element of " + wording.UnescapePointer(outer[strings.LastIndexByte(outer, '/')+1:])
	case "":
		return "the value"
	}
	return wording.UnescapePointer(last)
}

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

var revisionNames = [...]string{"", mcp.V20241105, mcp.V20250326, mcp.V20250618, mcp.V20251125, mcp.V20260728}
