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

// members reads the members of an object in order. After an error nothing else can be
// read.
type members struct {
	b   []byte
	i   int
	bad bool
}

func (m *members) fail() { m.bad, m.i = true, len(m.b) }

func (m *members) space() {
	for m.i < len(m.b) && (m.b[m.i] == ' ' || m.b[m.i] == '\t') {
		m.i++
	}
}

func (m *members) expect(c byte) {
	if m.space(); m.i >= len(m.b) || m.b[m.i] != c {
		m.fail()
		return
	}
	m.i++
}

// next reads a name, up to its value. ok is false after the last member.
func (m *members) next(first bool) (name []byte, ok bool) {
	if first {
		m.expect('{')
	} else {
		if m.space(); m.i < len(m.b) && m.b[m.i] == '}' {
			m.i++
			return nil, false
		}
		m.expect(',')
	}
	if m.space(); first && m.i < len(m.b) && m.b[m.i] == '}' {
		m.i++
		return nil, false
	}
	name = m.str()
	m.expect(':')
	m.space()
	return name, !m.bad
}

// str returns the inside of a string without unescaping it.
func (m *members) str() []byte {
	m.expect('"')
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

// time reads an integer that is at most MaxTime either way.
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

// skip skips a value without validating it.
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

// unescape appends the bytes of the inside of a JSON string; a lone surrogate becomes
// U+FFFD. It stops at an invalid or incomplete escape and returns how far it came. dst
// may be the beginning of src: the result is never longer.
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
