package framing

// value skips one value of any kind, with depth levels open around it. The bits of
// s.stack record which levels are objects, so that nesting needs no recursion and no
// allocation.
func (s *scanner) value(i, depth int) int {
	b := s.line
	base := depth
	closing := byte(0) // the closing bracket of the innermost open level
	for {
		if i >= len(b) {
			return s.fail(i, depth)
		}
		switch c := b[i]; c {
		case '"':
			i = s.str(i + 1)
		case '{', '[':
			level := depth - base
			if level >= len(s.stack)*64 || depth >= MaxDepth {
				s.found |= ProblemTooDeep
				return s.fail(i, depth)
			}
			s.push(level, c == '{')
			closing = c + 2 // both pairs are two apart in ASCII
			depth++
			s.deepest = max(s.deepest, depth)
			i = s.space(i + 1)
			if i < len(b) && b[i] == closing {
				break // empty: closed below
			}
			if c == '{' {
				if _, i = s.key(i); i < 0 {
					return s.fail(s.bad, depth)
				}
			}
			continue
		case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
			i = s.number(i)
		case 't':
			i = s.literal(i, "true")
		case 'f':
			i = s.literal(i, "false")
		case 'n':
			i = s.literal(i, "null")
		default:
			return s.fail(i, depth)
		}
		if i < 0 {
			return s.fail(s.bad, depth)
		}

		// A value has ended. Close the levels that end with it.
		for {
			if depth == base {
				return i
			}
			i = s.space(i)
			if i >= len(b) {
				return s.fail(i, depth)
			}
			if b[i] != closing {
				break
			}
			i++
			depth--
			closing = s.closing(depth - base - 1)
		}
		if b[i] != ',' {
			return s.fail(i, depth)
		}
		i = s.space(i + 1)
		if closing == '}' {
			if _, i = s.key(i); i < 0 {
				return s.fail(s.bad, depth)
			}
		}
	}
}

func (s *scanner) push(level int, object bool) {
	bit := uint64(1) << (level & 63)
	if object {
		s.stack[level>>6] |= bit
	} else {
		s.stack[level>>6] &^= bit
	}
}

// closing returns the closing bracket of the level, 0 for the outermost one.
func (s *scanner) closing(level int) byte {
	switch {
	case level < 0:
		return 0
	case s.stack[level>>6]&(1<<(level&63)) != 0:
		return '}'
	}
	return ']'
}

// key skips a member's name, its colon and the space around them, and returns where the
// name ends and the value begins.
func (s *scanner) key(i int) (end, value int) {
	b := s.line
	if i >= len(b) || b[i] != '"' {
		return 0, s.fail(i, 0)
	}
	end = s.str(i + 1)
	if end < 0 {
		return 0, -1
	}
	i = s.space(end)
	if i >= len(b) || b[i] != ':' {
		return 0, s.fail(i, 0)
	}
	return end, s.space(i + 1)
}

// Few messages have any white space, so only the test for it is small enough to be
// inlined, and not the loop.
func (s *scanner) space(i int) int {
	if i < len(s.line) && s.line[i] <= ' ' {
		return s.spaces(i)
	}
	return i
}

//go:noinline
func (s *scanner) spaces(i int) int {
	for ; i < len(s.line); i++ {
		switch s.line[i] {
		case ' ':
		case '\t', '\n', '\r':
			s.found |= ProblemControl
		default:
			return i
		}
	}
	return i
}

func (s *scanner) literal(i int, word string) int {
	for j := 0; j < len(word); j++ {
		if i+j >= len(s.line) || s.line[i+j] != word[j] {
			return s.fail(i+j, 0)
		}
	}
	return i + len(word)
}

// RFC 8259, section 6.
func (s *scanner) number(i int) int {
	b := s.line
	if b[i] == '-' {
		i++
	}
	switch {
	case i < len(b) && b[i] == '0':
		i++
	default:
		if i = s.digits(i); i < 0 {
			return -1
		}
	}
	if i < len(b) && b[i] == '.' {
		if i = s.digits(i + 1); i < 0 {
			return -1
		}
	}
	if i < len(b) && b[i]|0x20 == 'e' {
		i++
		if i < len(b) && (b[i] == '+' || b[i] == '-') {
			i++
		}
		return s.digits(i)
	}
	return i
}

func (s *scanner) digits(i int) int {
	b := s.line
	start := i
	for i < len(b) && b[i]-'0' <= 9 {
		i++
	}
	if i == start {
		return s.fail(i, 0)
	}
	return i
}
