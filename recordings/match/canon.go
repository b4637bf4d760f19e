package match

import (
	"bytes"
	"errors"
	"slices"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"

	"mcpdbg/framing"
)

// maxDepth is the deepest nesting that is made canonical.
const maxDepth = framing.VerbatimDepth

// ErrNotCanonical says that a value is no JSON text in valid UTF-8, or nested
// deeper than 200 levels. What was made of it is its bytes as they are.
var ErrNotCanonical = errors.New("not made canonical: no valid JSON, or nested too deep")

// AppendCanonical appends a JSON value in the one spelling that all equal
// values share: no white space, names of objects sorted by their bytes (equal
// names stay in their order), numbers by value with no digit lost, strings with
// no more escapes than needed. If value can't be read so its bytes are
// appended, with ErrNotCanonical.
func AppendCanonical(dst, value []byte) ([]byte, error) {
	c := canon{src: value, dst: dst}
	return c.whole()
}

// A canon makes one value canonical. The bytes of src are valid JSON when its
// methods run, so none of them looks for mistakes.
type canon struct {
	src     []byte
	i       int
	dst     []byte
	members []span // of the objects that are open, a stack
	scratch []byte

	// With a filter, path is where the value that is read stands, and filter gets
	// each value made canonical: what it returns stands instead, nil nowhere.
	filter func(path []string, value []byte) []byte
	path   []string
}

// A span is a member of an object in dst: the end of its name and of itself.
type span struct{ start, name, end int }

func (c *canon) whole() ([]byte, error) {
	m := framing.Scan(c.src)
	if !m.Valid() || m.Depth > maxDepth {
		return append(c.dst, c.src...), ErrNotCanonical
	}
	c.space()
	c.value()
	return c.dst, nil
}

func (c *canon) space() {
	for c.i < len(c.src) && (c.src[c.i] == ' ' || c.src[c.i] == '\t' || c.src[c.i] == '\r' || c.src[c.i] == '\n') {
		c.i++
	}
}

func (c *canon) value() {
	switch b := c.src[c.i]; b {
	case '{':
		c.object()
	case '[':
		c.array()
	case '"':
		c.dst = appendString(c.dst, c.str())
	case 't', 'f', 'n':
		n := len("true")
		if b == 'f' {
			n = len("false")
		}
		c.dst = append(c.dst, c.src[c.i:c.i+n]...)
		c.i += n
	default:
		start := c.i
		for c.i < len(c.src) && bytes.IndexByte([]byte("+-.eE0123456789"), c.src[c.i]) >= 0 {
			c.i++
		}
		c.dst = framing.AppendNumber(c.dst, c.src[start:c.i])
	}
	c.space()
}

// str reads a string and returns it with its quotes.
func (c *canon) str() []byte {
	start := c.i
	for c.i++; c.src[c.i] != '"'; c.i++ {
		if c.src[c.i] == '\\' {
			c.i++
		}
	}
	c.i++
	return c.src[start:c.i]
}

func (c *canon) array() {
	c.dst = append(c.dst, '[')
	first := len(c.dst)
	c.i++
	c.space()
	for n := 0; c.src[c.i] != ']'; n++ {
		if c.src[c.i] == ',' {
			c.i++
			c.space()
		}
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
	c.i++
	c.dst = append(c.dst, ']')
}

func (c *canon) object() {
	c.dst = append(c.dst, '{')
	first, opened := len(c.dst), len(c.members)
	c.i++
	c.space()
	for c.src[c.i] != '}' {
		if c.src[c.i] == ',' {
			c.i++
			c.space()
		}
		m := span{start: len(c.dst)}
		c.dst = appendString(c.dst, c.str())
		m.name = len(c.dst)
		c.dst = append(c.dst, ':')
		c.space()
		c.i++ // the colon
		c.space()
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
	c.i++
	c.arrange(first, c.members[opened:])
	c.members = c.members[:opened]
	c.dst = append(c.dst, '}')
}

// enter notes that a value with a name or number is read next.
func (c *canon) enter(token func() string) {
	if c.filter != nil {
		c.path = append(c.path, token())
	}
}

// leave filters the value that stands from start on, and tells whether it stays.
func (c *canon) leave(start int) bool {
	if c.filter == nil {
		return true
	}
	value := c.filter(c.path, c.dst[start:])
	c.path = c.path[:len(c.path)-1]
	c.dst = append(c.dst[:start], value...)
	return value != nil
}

// arrange sorts the members of an object, which stand one after the other from
// first on, and puts commas between them.
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

// appendString appends a valid JSON string, quotes included, with only those
// escapes that are needed. A lone surrogate stays one.
func appendString(dst, quoted []byte) []byte {
	if bytes.IndexByte(quoted, '\\') < 0 {
		return append(dst, quoted...)
	}
	dst = append(dst, '"')
	inner := quoted[1 : len(quoted)-1]
	for i := 0; i < len(inner); {
		if inner[i] != '\\' {
			dst = append(dst, inner[i])
			i++
			continue
		}
		r, n := escaped(inner[i:])
		dst = appendRune(dst, r)
		i += n
	}
	return append(dst, '"')
}

// escaped reads the escape at the beginning of b, both halves of a pair of
// surrogates included, and returns how long it is.
func escaped(b []byte) (rune, int) {
	if len(b) < 2 || b[1] == 'u' && len(b) < 6 {
		return utf8.RuneError, len(b) // as above
	}
	switch b[1] {
	case 'b':
		return '\b', 2
	case 'f':
		return '\f', 2
	case 'n':
		return '\n', 2
	case 'r':
		return '\r', 2
	case 't':
		return '\t', 2
	case 'u':
		r := hex4(b[2:])
		if utf16.IsSurrogate(r) && len(b) >= 12 && b[6] == '\\' && b[7] == 'u' {
			if both := utf16.DecodeRune(r, hex4(b[8:])); both != utf8.RuneError {
				return both, 12
			}
		}
		return r, 6
	}
	return rune(b[1]), 2
}

func hex4(b []byte) (r rune) {
	n, _ := strconv.ParseUint(string(b[:4]), 16, 16) // valid JSON has four of them
	return rune(n)
}

// shortEscapes are the escapes of control characters that have a letter.
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

// isText tells whether a valid JSON string has a text.
func isText(quoted []byte, text string) bool {
	if bytes.IndexByte(quoted, '\\') < 0 {
		return string(quoted[1:len(quoted)-1]) == text
	}
	return unquote(quoted) == text
}

// unquote returns the text of a valid JSON string; of a lone surrogate it makes
// the replacement character.
func unquote(quoted []byte) string {
	if len(quoted) < 2 || quoted[0] != '"' {
		return string(quoted) // Diff was given something else than canonical values
	}
	inner := quoted[1 : len(quoted)-1]
	if bytes.IndexByte(inner, '\\') < 0 {
		return string(inner)
	}
	text := make([]byte, 0, len(inner))
	for i := 0; i < len(inner); {
		if inner[i] != '\\' {
			text = append(text, inner[i])
			i++
			continue
		}
		r, n := escaped(inner[i:])
		text = utf8.AppendRune(text, r)
		i += n
	}
	return string(text)
}

// member finds where the first member with a name of the object in src stands.
func (c *canon) member(name string) (start, end int, ok bool) {
	c.space()
	if c.src[c.i] != '{' {
		return 0, 0, false
	}
	c.i++
	c.space()
	for c.src[c.i] != '}' {
		if c.src[c.i] == ',' {
			c.i++
			c.space()
		}
		found := isText(c.str(), name)
		c.space()
		c.i++ // the colon
		c.space()
		start := c.i
		c.skip()
		if found {
			return start, c.i, true
		}
		c.space()
	}
	return 0, 0, false
}

// skip goes over one value.
func (c *canon) skip() {
	for depth := 0; ; {
		switch b := c.src[c.i]; b {
		case '"':
			c.str()
		case '{', '[':
			depth++
			c.i++
		case '}', ']':
			depth--
			c.i++
		case ',', ':', ' ', '\t', '\r', '\n':
			c.i++
			continue
		default:
			for c.i < len(c.src) && bytes.IndexByte([]byte("+-.eE0123456789truefalsn"), c.src[c.i]) >= 0 {
				c.i++
			}
		}
		if depth == 0 {
			return
		}
	}
}
