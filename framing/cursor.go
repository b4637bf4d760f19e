package framing

import (
	"bytes"
	"encoding/binary"
	"iter"
	"math/bits"
)

// A Cursor steps over JSON text without decoding it and without allocating. It is for
// text that is known to be valid, or to be the beginning of valid text, and checks
// nothing. In other text its methods find something, but they never read beyond the end,
// and all that return a token or a value make progress.
type Cursor struct {
	Data []byte
	// At is the offset of the next byte to read. It may be set.
	At int
	// Cut reports whether the end of Data cut off a string, an object or an array. A
	// number at the end counts as whole.
	Cut bool
}

// Peek moves over white space and returns the first byte of the next token without
// reading it, 0 at the end.
func (c *Cursor) Peek() (b byte) {
	if c.At < len(c.Data) {
		b = c.Data[c.At]
	}
	if b <= ' ' {
		return c.peekBehindSpace()
	}
	return b
}

// Most text has no white space, so only the test for it is inlined.
//
//go:noinline
func (c *Cursor) peekBehindSpace() byte {
	for ; c.At < len(c.Data); c.At++ {
		switch b := c.Data[c.At]; b {
		case ' ', '\t', '\n', '\r':
		default:
			return b
		}
	}
	return 0
}

// Accept reads the next byte after white space if it is b, which must not be 0, and
// reports whether it did.
func (c *Cursor) Accept(b byte) bool {
	if c.Peek() != b {
		return false
	}
	c.At++
	return true
}

// Token reads the next token: a string with its quotes, a number or a literal, or any
// other byte, such as a bracket. It is empty only at the end.
func (c *Cursor) Token() []byte {
	first := c.Peek()
	b, from := c.Data, c.At
	i := from + 1
	switch {
	case from == len(b):
		i--
	case first == '"':
		if i = closingQuote(b, i); i < 0 {
			return c.cut(from)
		}
		i++
	case isPlain(first):
		for i < len(b) && isPlain(b[i]) {
			i++
		}
	}
	c.At = i
	return b[from:i]
}

// Tokens iterates over the tokens that are left.
func (c *Cursor) Tokens() iter.Seq[[]byte] {
	return func(yield func(token []byte) bool) {
		for {
			token := c.Token()
			if len(token) == 0 || !yield(token) {
				return
			}
		}
	}
}

// Text reads a string and returns it without its quotes, its escapes not decoded. If
// something else is next, it reads nothing and returns nil.
func (c *Cursor) Text() []byte {
	if c.Peek() != '"' {
		return nil
	}
	from := c.At + 1
	end := closingQuote(c.Data, from)
	if end < 0 {
		return c.cut(from)
	}
	c.At = end + 1
	return c.Data[from:end]
}

// Value reads the next value and returns its bytes, without white space around them.
func (c *Cursor) Value() []byte {
	if first := c.Peek(); first != '{' && first != '[' {
		return c.Token()
	}
	b, depth := c.Data, 0
	for i := c.At; i < len(b); i++ {
		switch b[i] {
		case '"':
			if i = closingQuote(b, i+1); i < 0 {
				return c.cut(c.At)
			}
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				from := c.At
				c.At = i + 1
				return b[from:c.At]
			}
		}
	}
	return c.cut(c.At)
}

// cut returns the rest from an offset on, of data that ends within a value.
func (c *Cursor) cut(from int) []byte {
	c.At, c.Cut = len(c.Data), true
	return c.Data[from:]
}

// Item moves to the next member of an object or element of an array and reports whether
// there is one. The bracket that opens it, or the item before, must have been read; at
// the end Item reads the closing bracket.
func (c *Cursor) Item() bool {
	next := c.Peek()
	if next == ',' {
		c.At++
		next = c.Peek()
	}
	if next == '}' || next == ']' {
		c.At++
		return false
	}
	return c.At < len(c.Data)
}

// Name reads the name of a member and the colon, up to its value. It returns the name
// without its quotes, its escapes not decoded.
func (c *Cursor) Name() []byte {
	if c.Peek() != '"' {
		c.Token()
		return nil
	}
	name := c.Text()
	if c.Peek() == ':' {
		c.At++
	}
	return name
}

// closingQuote returns where the string ends whose text begins at from, -1 if it is cut.
func closingQuote(b []byte, from int) int {
	i := from
	for ; i <= len(b)-8 && i < from+16; i += 8 { // most strings are short
		if stop := stops(binary.LittleEndian.Uint64(b[i:])); stop != 0 {
			if i += bits.TrailingZeros64(stop) >> 3; b[i] == '"' {
				return i
			}
			break
		}
	}
	for ; ; i++ {
		n := bytes.IndexByte(b[i:], '"')
		if n < 0 {
			return -1
		}
		i += n
		backslash := i
		for backslash > from && b[backslash-1] == '\\' {
			backslash--
		}
		if (i-backslash)%2 == 0 {
			return i
		}
	}
}
