package match

import (
	"bytes"
	"errors"
	"slices"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"mcpdbg/framing"
)

const maxDepth = framing.VerbatimDepth

// ErrNotCanonical means that a value is not valid JSON in UTF-8, or is nested deeper
// than 200 levels. The result then consists of the unchanged bytes.
var ErrNotCanonical = errors.New("not made canonical: invalid JSON or nested too deep")

// AppendCanonical appends a JSON value in the one form that all equal values share:
// without white space, members of objects sorted by the bytes of their names (equal
// names stay in order), numbers by value with no digit lost, strings with no more
// escapes than needed. If value can't be canonicalized, its bytes are appended
// unchanged and the error is ErrNotCanonical.
func AppendCanonical(dst, value []byte) ([]byte, error) {
	c := canon{src: framing.Cursor{Data: value}, dst: dst}
	return c.whole()
}

// A canon's methods run on valid JSON only, so none of them checks for errors.
type canon struct {
	src     framing.Cursor
	dst     []byte
	members []span // of the open objects, a stack
	scratch []byte

	// filter, if not nil, gets the path and the canonical form of each value. Its result
	// replaces the value; nil removes it.
	filter func(path []string, value []byte) []byte
	path   []string
}

// A span is a member of an object in dst: its start, the end of its name, and its end.
type span struct{ start, name, end int }

func (c *canon) whole() ([]byte, error) {
	m := framing.Scan(c.src.Data)
	if !m.Valid() || m.Depth > maxDepth {
		return append(c.dst, c.src.Data...), ErrNotCanonical
	}
	c.value()
	return c.dst, nil
}

func (c *canon) value() {
	switch c.src.Peek() {
	case '{':
		c.object()
	case '[':
		c.array()
	case '"':
		c.dst = appendString(c.dst, c.src.Token())
	case 't', 'f', 'n':
		c.dst = append(c.dst, c.src.Token()...)
	default:
		c.dst = framing.AppendNumber(c.dst, c.src.Token())
	}
}

func (c *canon) array() {
	c.dst = append(c.dst, '[')
	first := len(c.dst)
	c.src.Token()
	for n := 0; c.src.Item(); n++ {
		before := len(c.dst)
		if before > first {
			c.dst = append(c.dst, ',')
		}
		c.enter(func() string { return strconv.Itoa(n) })
		start := len(c.dst)
		c.value()
		if !c.leave(start) {
			c.dst = c.dst[:before]
		}
	}
	c.dst = append(c.dst, ']')
}

func (c *canon) object() {
	c.dst = append(c.dst, '{')
	first, opened := len(c.dst), len(c.members)
	c.src.Token()
	for c.src.Item() {
		m := span{start: len(c.dst)}
		c.dst = appendString(c.dst, c.src.Token())
		m.name = len(c.dst)
		c.dst = append(c.dst, ':')
		c.src.Accept(':')
		c.enter(func() string { return unquote(c.dst[m.start:m.name]) })
		start := len(c.dst)
		c.value()
		if !c.leave(start) {
			c.dst = c.dst[:m.start]
			continue
		}
		m.end = len(c.dst)
		c.members = append(c.members, m)
	}
	c.arrange(first, c.members[opened:])
	c.members = c.members[:opened]
	c.dst = append(c.dst, '}')
}

// enter is called before the value with the given name or index is read.
func (c *canon) enter(token func() string) {
	if c.filter != nil {
		c.path = append(c.path, token())
	}
}

// leave filters the value that starts at start, and reports whether it stays.
func (c *canon) leave(start int) bool {
	if c.filter == nil {
		return true
	}
	value := c.filter(c.path, c.dst[start:])
	c.path = c.path[:len(c.path)-1]
	c.dst = append(c.dst[:start], value...)
	return value != nil
}

// arrange sorts the members of an object, which begin at first without separators, and
// inserts commas.
func (c *canon) arrange(first int, members []span) {
	if len(members) == 0 {
		return
	}
	slices.SortStableFunc(members, func(a, b span) int {
		return bytes.Compare(c.dst[a.start:a.name], c.dst[b.start:b.name])
	})
	c.scratch = append(c.scratch[:0], c.dst[first:]...)
	c.dst = c.dst[:first]
	for i, m := range members {
		if i > 0 {
			c.dst = append(c.dst, ',')
		}
		c.dst = append(c.dst, c.scratch[m.start-first:m.end-first]...)
	}
}

// appendString appends a valid JSON string with only the necessary escapes. A lone
// surrogate stays escaped.
func appendString(dst, quoted []byte) []byte {
	if bytes.IndexByte(quoted, '\\') < 0 {
		return append(dst, quoted...)
	}
	dst = append(dst, '"')
	inner := quoted[1 : len(quoted)-1]
	for i := 0; i < len(inner); {
		r, n := framing.Escape(inner[i:])
		if n == 0 {
			dst = append(dst, inner[i])
			i++
			continue
		}
		dst = appendRune(dst, r)
		i += n
	}
	return append(dst, '"')
}

var shortEscapes = [0x20]byte{'\b': 'b', '\f': 'f', '\n': 'n', '\r': 'r', '\t': 't'}

func appendRune(dst []byte, r rune) []byte {
	const digits = "0123456789abcdef"
	switch {
	case r == '"' || r == '\\':
		return append(dst, '\\', byte(r))
	case r >= 0 && r < 0x20 && shortEscapes[r] != 0:
		return append(dst, '\\', shortEscapes[r])
	case r < 0x20 || utf16.IsSurrogate(r):
		return append(dst, '\\', 'u', digits[r>>12], digits[r>>8&15], digits[r>>4&15], digits[r&15])
	}
	return utf8.AppendRune(dst, r)
}

func isText(quoted []byte, text string) bool {
	if bytes.IndexByte(quoted, '\\') < 0 {
		return string(quoted[1:len(quoted)-1]) == text
	}
	return unquote(quoted) == text
}

// Lone surrogates become the replacement character.
func unquote(quoted []byte) string {
	if len(quoted) < 2 || quoted[0] != '"' {
		return string(quoted) // Diff was called with a value that is not canonical
	}
	text, _ := jsontext.AppendUnquote([]byte(nil), quoted) // the error is about lone surrogates
	return string(text)
}
