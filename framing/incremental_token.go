package framing

import (
	"encoding/binary"
	"math/bits"
)

// The methods below scan from p[i] on and return the index of what follows, -1 if
// the line is refused.

// between scans one byte between the values and names, or the first of one.
func (s *Incremental) between(p []byte, i int) int {
	c := p[i]
	if c == ' ' && s.state != atStart && s.state != atEnd {
		return i + 1
	}
	switch s.state {
	case atStart:
		if c != '{' {
			return -1
		}
		s.digest = append(s.digest, '{')
		return s.push(c, i)
	case atName, atNameOrEnd:
		if c == '}' && s.state == atNameOrEnd {
			return s.pop(p, i)
		}
		if c != '"' {
			return -1
		}
		if s.ofMember() {
			s.begin(i)
		}
		s.state, s.inKey = inText, true
		return i + 1
	case atColon:
		s.state = atValue
		return accept(c == ':', i)
	case atValue, atValueOrEnd:
		if c == ']' && s.state == atValueOrEnd {
			return s.pop(p, i)
		}
		return s.value(c, i)
	case atNext:
		switch {
		case c == ',' && s.isObject():
			s.state = atName
		case c == ',':
			s.state = atValue
		case c == '}' && s.isObject(), c == ']' && !s.isObject():
			return s.pop(p, i)
		default:
			return -1
		}
		return i + 1
	}
	return -1 // after the end
}

// accept returns -1 if not ok.
func accept(ok bool, i int) int {
	if !ok {
		return -1
	}
	return i + 1
}

// ofMember reports whether the innermost level has members of the response or its result.
func (s *Incremental) ofMember() bool { return s.depth == 1 || s.depth == 2 && s.inResult }

func (s *Incremental) isObject() bool {
	level := s.depth - 1
	return s.objects[level>>6]&(1<<(level&63)) != 0
}

// push opens a level with the bracket c.
func (s *Incremental) push(c byte, i int) int {
	if s.depth == VerbatimDepth {
		return -1
	}
	bit := uint64(1) << (s.depth & 63)
	if s.state = atValueOrEnd; c == '{' {
		s.objects[s.depth>>6] |= bit
		s.state = atNameOrEnd
	} else {
		s.objects[s.depth>>6] &^= bit
	}
	s.depth++
	s.deepest = max(s.deepest, s.depth)
	return i + 1
}

// pop closes the innermost level, whose bracket is p[i].
func (s *Incremental) pop(p []byte, i int) int {
	s.depth--
	switch {
	case s.depth == 0:
		s.digest = append(s.digest, '}')
		s.state = atEnd
		return i + 1
	case s.depth == 1 && s.inResult:
		s.digest = append(s.digest, '}')
		s.result[1] = s.base + int64(i) + 1
		s.inResult = false
		s.state = atNext
		return i + 1
	}
	return s.ended(p, i+1)
}

func (s *Incremental) ended(p []byte, i int) int {
	s.state = atNext
	if s.ofMember() && !s.end(p, i) {
		return -1
	}
	return i
}

func (s *Incremental) value(c byte, i int) int {
	result := s.depth == 1 && string(s.name) == `"result"`
	switch {
	case result && c != '{':
		return -1
	case result:
		s.separate('{')
		s.digest = append(s.digest, `"result":{`...)
		s.result[0] = s.base + int64(i)
		s.inResult, s.capture = true, false
		return s.push(c, i)
	case c == '{' || c == '[':
		return s.push(c, i)
	case c == '"':
		s.state, s.inKey = inText, false
	case c == '-':
		s.state = inMinus
	case c == '0':
		s.state = inZero
	case c-'1' < 9:
		s.state = inInteger
	case c == 't':
		s.state, s.word = inLiteral, "true"[1:]
	case c == 'f':
		s.state, s.word = inLiteral, "false"[1:]
	case c == 'n':
		s.state, s.word = inLiteral, "null"[1:]
	default:
		return -1
	}
	return i + 1
}

func (s *Incremental) text(p []byte, i int) int {
	for i <= len(p)-8 {
		stop := stops(binary.LittleEndian.Uint64(p[i:]))
		if stop != 0 {
			i += bits.TrailingZeros64(stop) >> 3
			break
		}
		i += 8
	}
	for ; i < len(p); i++ {
		switch c := p[i]; {
		case c == '"':
			return s.endText(p, i+1)
		case c == '\\':
			s.state = inEscape
			return i + 1
		case c < ' ':
			return -1
		}
	}
	return i
}

func (s *Incremental) endText(p []byte, i int) int {
	if !s.inKey {
		return s.ended(p, i)
	}
	s.state = atColon
	if s.ofMember() && !s.named(p, i) {
		return -1
	}
	return i
}

// inside scans one byte inside an escape, a literal or a number.
func (s *Incremental) inside(p []byte, i int) int {
	c := p[i]
	switch s.state {
	case inEscape:
		switch c {
		case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
			s.state = inText
		case 'u':
			s.state, s.unit = inUnit, 1
		default:
			return -1
		}
		return i + 1
	case inUnit:
		return s.digit(c, i)
	case atLow:
		s.state = atLowMark
		return accept(c == '\\', i)
	case atLowMark:
		s.state, s.unit = inUnit, 1
		return accept(c == 'u', i)
	case inLiteral:
		if c != s.word[0] {
			return -1
		}
		if s.word = s.word[1:]; s.word == "" {
			return s.ended(p, i+1)
		}
		return i + 1
	}
	return s.number(p, i)
}

// digit scans a hexadecimal digit of \u. s.unit has a one before the digits, which shows
// how many there are.
func (s *Incremental) digit(c byte, i int) int {
	one := [1]byte{c}
	v, n := hex4(one[:], 0)
	if n == 0 {
		return -1
	}
	s.unit = s.unit<<4 | v
	if s.unit < 1<<16 {
		return i + 1
	}
	unit := s.unit & 0xffff
	first, second := unit >= 0xd800 && unit < 0xdc00, unit >= 0xdc00 && unit < 0xe000
	if s.high != second {
		return -1 // a lone surrogate
	}
	s.state = inText
	if s.high = first; first {
		s.state = atLow
	}
	return i + 1
}

// number scans one byte of a number, or ends it before p[i].
func (s *Incremental) number(p []byte, i int) int {
	c := p[i]
	isDigit := c-'0' <= 9
	next := s.state
	switch s.state {
	case inMinus:
		if next = inInteger; c == '0' {
			next = inZero
		}
	case inPoint:
		next = inFraction
	case inExponent:
		if next = inPower; c == '+' || c == '-' {
			s.state = inSign
			return i + 1
		}
	case inSign:
		next = inPower
	default: // a complete number
		switch {
		case c == '.' && (s.state == inZero || s.state == inInteger):
			s.state = inPoint
			return i + 1
		case c|0x20 == 'e' && s.state != inPower:
			s.state = inExponent
			return i + 1
		case !isDigit:
			return s.ended(p, i)
		case s.state == inZero:
			return -1
		}
	}
	s.state = next
	return accept(isDigit, i)
}
