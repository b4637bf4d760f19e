package framing

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf16"
	"unicode/utf8"
)

// To test eight bytes at once.
const (
	lowBits  = 0x0101010101010101
	highBits = 0x8080808080808080
)

// str skips a string from after its opening quote to after its closing one.
func (s *scanner) str(i int) int {
	b := s.line
	high := s.high
	for i >= 0 && i <= len(b)-8 {
		w := binary.LittleEndian.Uint64(b[i:])
		high |= w
		stop := stops(w)
		if stop == 0 {
			i += 8
			continue
		}
		at := bits.TrailingZeros64(stop) & 0x38 // of the byte in w, in bits
		i += at >> 3
		switch byte(w >> at) {
		case '"':
			s.high = high
			return i + 1
		case '\\':
			if plainUnit(b[i:]) {
				i += len(`\u0000`)
			} else {
				i = s.escape(i)
			}
		default:
			return s.fail(i, 0)
		}
	}
	s.high = high
	if i < 0 {
		return -1
	}
	return s.strTail(i)
}

// stops marks the bytes of w that end a plain run in a string: quotes, backslashes and
// bytes below 0x20. The top bit of the lowest such byte is set; higher bits are
// meaningless, as a subtraction may have borrowed there. XOR with 2 moves the quote
// (0x22) to 0x20 and space and ! out of its way, so that one comparison with 0x21 finds
// quotes and control bytes.
func stops(w uint64) uint64 {
	quoteOrControl := (w ^ 0x02*lowBits) - 0x21*lowBits
	backslash := (w ^ '\\'*lowBits) - lowBits
	return (quoteOrControl | backslash) &^ w & highBits
}

// Plain returns how many bytes at the beginning of a text a JSON string has as they are:
// those before the first quote, backslash or byte below 0x20.
func Plain(text []byte) int {
	i := 0
	for ; i <= len(text)-8; i += 8 {
		if stop := stops(binary.LittleEndian.Uint64(text[i:])); stop != 0 {
			return i + bits.TrailingZeros64(stop)>>3
		}
	}
	for ; i < len(text); i++ {
		if c := text[i]; c < 0x20 || c == '"' || c == '\\' {
			break
		}
	}
	return i
}

// plainUnit reports whether b begins with an escape of four digits, as texts have many, that
// is not a surrogate: without a branch for each digit.
func plainUnit(b []byte) bool {
	return len(b) >= len(`\u0000`) && b[1] == 'u' && b[2]|0x20 != 'd' && isHex[b[2]]&isHex[b[3]]&isHex[b[4]]&isHex[b[5]] != 0
}

var isHex = func() (is [256]byte) {
	for _, c := range []byte("0123456789abcdefABCDEF") {
		is[c] = 1
	}
	return is
}()

// strTail is like str for the last bytes of a line.
func (s *scanner) strTail(i int) int {
	b := s.line
	for i < len(b) {
		c := b[i]
		s.high |= uint64(c)
		switch {
		case c == '"':
			return i + 1
		case c == '\\':
			if i = s.escape(i); i < 0 {
				return -1
			}
		case c < 0x20:
			return s.fail(i, 0)
		default:
			i++
		}
	}
	return s.fail(i, 0)
}

// escape skips an escape, whose backslash is at i, or two of them if they are a pair of
// surrogates.
func (s *scanner) escape(i int) int {
	b := s.line
	if i+1 >= len(b) {
		return s.fail(i+1, 0)
	}
	switch b[i+1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return i + 2
	case 'u':
		unit, end := hex4(b, i+2)
		if end < i+6 {
			return s.fail(end, 0)
		}
		if unit < 0xd800 || unit > 0xdfff {
			return end
		}
		if unit < 0xdc00 && end+1 < len(b) && b[end] == '\\' && b[end+1] == 'u' {
			// With fewer than four digits the number is too small.
			if low, lowEnd := hex4(b, end+2); low >= 0xdc00 && low <= 0xdfff {
				return lowEnd
			}
		}
		s.found |= ProblemSurrogate
		return end
	}
	return s.fail(i+1, 0)
}

// hex4 returns where it stopped: at i+4, or before it at another byte or at the end of b.
func hex4(b []byte, i int) (v uint32, end int) {
	for end = i; end < i+4 && end < len(b); end++ {
		c := b[end]
		switch {
		case c-'0' <= 9:
			v = v<<4 | uint32(c-'0')
		case c|0x20-'a' <= 5:
			v = v<<4 | uint32(c|0x20-'a'+10)
		default:
			return v, end
		}
	}
	return v, end
}

const maxMemberName = 7

// decodeName decodes the escapes of a valid name into buf. ok is false if there are none,
// or if the result cannot be a member of the envelope because it is too long or has other
// characters.
func decodeName(name []byte, buf *[maxMemberName]byte) (plain []byte, ok bool) {
	n := 0
	for i := 0; i < len(name); n++ {
		if n == len(buf) {
			return nil, false
		}
		if name[i] != '\\' {
			buf[n] = name[i]
			i++
			continue
		}
		if name[i+1] != 'u' {
			return nil, false
		}
		unit, end := hex4(name, i+2)
		if unit >= 0x80 || unit == '\\' {
			return nil, false
		}
		buf[n] = byte(unit)
		i = end
		ok = true
	}
	return buf[:n], ok
}

// Escape reads the escape sequence at the beginning of b, which is part of a JSON
// string. It returns the rune that it represents and its length in bytes; two
// sequences for a pair of surrogates count as one, and a lone surrogate is its own
// rune. The length is 0 if b does not begin with a valid, complete sequence.
func Escape(b []byte) (r rune, n int) {
	if len(b) < 2 || b[0] != '\\' {
		return 0, 0
	}
	switch b[1] {
	case '"', '\\', '/':
		return rune(b[1]), 2
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
		unit, end := hex4(b, 2)
		if end < 6 {
			return 0, 0
		}
		if len(b) >= 12 && b[6] == '\\' && b[7] == 'u' {
			low, end := hex4(b, 8)
			if pair := utf16.DecodeRune(rune(unit), rune(low)); end == 12 && pair != utf8.RuneError {
				return pair, 12
			}
		}
		return rune(unit), 6
	}
	return 0, 0
}
