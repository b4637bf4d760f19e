package recordings

import (
	"errors"
	"math"
	"unicode/utf16"
	"unicode/utf8"
)

var errMalformed = errors.New("not an entry of a recording")

// members reads the members of the object that a line is, from the first on.
// After an error nothing else can be read.
type members struct {
	b   []byte
	i   int
	bad bool
}

// fail notes that the line is malformed.
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

// next reads the name of the next member, up to its value. It is not ok after
// the last one.
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

// str reads a string and returns its inside, escapes as they are.
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

// time reads an integer that may be negative.
func (m *members) time() int64 {
	sign := int64(1)
	if m.i < len(m.b) && m.b[m.i] == '-' {
		sign = -1
		m.i++
	}
	n := m.number()
	if n > math.MaxInt64 {
		m.fail()
	}
	return sign * int64(n)
}

// skip skips a value of any kind. What is inside is not looked at closely.
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

// unescape appends the bytes that the inside of a JSON string stands for. A
// lone surrogate, which no recording has, becomes U+FFFD. It stops where src
// does not go on, or at an escape that is none, and tells how far it came; dst
// may be the beginning of src, for it never gets longer.
func unescape(dst, src []byte) (out []byte, read int) {
	i := 0
	for i < len(src) {
		c := src[i]
		if c != '\\' {
			dst = append(dst, c)
			i++
			continue
		}
		if i+1 >= len(src) {
			return dst, i
		}
		switch src[i+1] {
		case '"', '\\', '/':
			dst = append(dst, src[i+1])
		case 'b':
			dst = append(dst, '\b')
		case 'f':
			dst = append(dst, '\f')
		case 'n':
			dst = append(dst, '\n')
		case 'r':
			dst = append(dst, '\r')
		case 't':
			dst = append(dst, '\t')
		case 'u':
			r, n := unicodeEscape(src[i:])
			if n == 0 {
				return dst, i
			}
			dst = utf8.AppendRune(dst, r)
			i += n
			continue
		default:
			return dst, i
		}
		i += 2
	}
	return dst, i
}

// unicodeEscape reads a \u escape, or two if they are a pair of surrogates, and
// tells how long it is; 0 if it is none.
func unicodeEscape(s []byte) (rune, int) {
	r, ok := hex4(s)
	if !ok {
		return 0, 0
	}
	if !utf16.IsSurrogate(r) {
		return r, 6
	}
	if low, ok := hex4(s[6:]); ok {
		if pair := utf16.DecodeRune(r, low); pair != utf8.RuneError {
			return pair, 12
		}
	}
	return utf8.RuneError, 6
}

// hex4 reads the \uXXXX at the beginning of s.
func hex4(s []byte) (r rune, ok bool) {
	if len(s) < 6 || s[0] != '\\' || s[1] != 'u' {
		return 0, false
	}
	for _, c := range s[2:6] {
		switch {
		case c >= '0' && c <= '9':
			c -= '0'
		case c|0x20 >= 'a' && c|0x20 <= 'f':
			c = c | 0x20 - 'a' + 10
		default:
			return 0, false
		}
		r = r<<4 | rune(c)
	}
	return r, true
}
