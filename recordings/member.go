package recordings

import (
	"errors"
	"math"
	"time"
	"unicode/utf8"

	"mcpdbg/framing"
)

// MaxTime is the largest time of an entry, in microseconds: 292 years. A line with a
// larger one is not an entry. Times can be added and converted to a time.Duration.
const MaxTime = math.MaxInt64 / int64(time.Microsecond)

var errMalformed = errors.New("not an entry of a recording")

// members reads the members of a line's object in order. After an error nothing
// else can be read.
type members struct {
	b   []byte
	i   int
	bad bool
}

// fail marks the line as malformed.
func (m *members) fail() { m.bad, m.i = true, len(m.b) }

func (m *members) space() {
	for m.i < len(m.b) && (m.b[m.i] == ' ' || m.b[m.i] == '\t') {
		m.i++
	}
}

// take skips space and then c.
func (m *members) take(c byte) {
	if m.space(); m.i >= len(m.b) || m.b[m.i] != c {
		m.fail()
		return
	}
	m.i++
}

// next reads the name of the next member, up to its value. ok is false after the
// last one.
func (m *members) next(first bool) (name []byte, ok bool) {
	if first {
		m.take('{')
	} else {
		if m.space(); m.i < len(m.b) && m.b[m.i] == '}' {
			m.i++
			return nil, false
		}
		m.take(',')
	}
	if m.space(); first && m.i < len(m.b) && m.b[m.i] == '}' {
		m.i++
		return nil, false
	}
	name = m.str()
	m.take(':')
	m.space()
	return name, !m.bad
}

// str reads a string and returns its inside without unescaping it.
func (m *members) str() []byte {
	m.take('"')
	begin := m.i
	for m.i < len(m.b) {
		switch m.b[m.i] {
		case '"':
			m.i++
			return m.b[begin : m.i-1]
		case '\\':
			m.i += 2
		default:
			m.i++
		}
	}
	m.fail()
	return nil
}

// number reads an unsigned integer.
func (m *members) number() uint64 {
	n, begin := uint64(0), m.i
	for m.i < len(m.b) && m.b[m.i]-'0' <= 9 {
		if n > (math.MaxUint64-9)/10 {
			m.fail()
			return 0
		}
		n = n*10 + uint64(m.b[m.i]-'0')
		m.i++
	}
	if m.i == begin {
		m.fail()
	}
	return n
}

// time reads an integer that may be negative and is at most MaxTime either way.
func (m *members) time() int64 {
	sign := int64(1)
	if m.i < len(m.b) && m.b[m.i] == '-' {
		sign = -1
		m.i++
	}
	n := m.number()
	if n > uint64(MaxTime) {
		m.fail()
	}
	return sign * int64(n)
}

// skip skips a value of any kind without validating it.
func (m *members) skip() []byte {
	begin, depth := m.i, 0
	for m.i < len(m.b) {
		switch m.b[m.i] {
		case '"':
			m.str()
			if depth == 0 {
				return m.b[begin:m.i]
			}
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth == 0 {
				return m.b[begin:m.i]
			}
			if depth--; depth == 0 {
				m.i++
				return m.b[begin:m.i]
			}
		case ',':
			if depth == 0 {
				return m.b[begin:m.i]
			}
		}
		m.i++
	}
	m.fail()
	return nil
}

// unescape appends the bytes that the inside of a JSON string represents. A lone
// surrogate, which no valid recording has, becomes U+FFFD. It stops at an invalid
// or incomplete escape and returns how far it came. dst may be the beginning of
// src, because the result is never longer.
func unescape(dst, src []byte) (out []byte, read int) {
	for i := 0; i < len(src); {
		if src[i] != '\\' {
			dst = append(dst, src[i])
			i++
			continue
		}
		r, n := framing.Escape(src[i:])
		if n == 0 {
			return dst, i
		}
		dst = utf8.AppendRune(dst, r)
		i += n
	}
	return dst, len(src)
}
