package jsontree

// skipper finds the end of a container or a string without parsing its contents. It can
// stop anywhere and continue later.
type skipper struct {
	pos      int
	depth    int
	commas   int // on the first level
	inString bool
}

func newSkipper(doc []byte, p int) skipper {
	if doc[p] == '"' {
		return skipper{pos: p + 1, inString: true}
	}
	return skipper{pos: p + 1, depth: 1}
}

// advance continues for at most budget bytes, which it subtracts, and reports whether the
// end was found; pos is then after it.
func (s *skipper) advance(doc []byte, budget *int) (done bool, err *SyntaxError) {
	start := s.pos
	limit := s.pos + min(max(*budget, 0), len(doc)-s.pos)
	done = s.run(doc, limit)
	*budget -= s.pos - start
	if !done && s.pos >= len(doc) {
		return false, syntaxError(len(doc), unexpectedEnd)
	}
	return done, nil
}

func (s *skipper) run(doc []byte, limit int) (done bool) {
	for s.pos < limit {
		if s.inString {
			s.pos = findQuote(doc, s.pos, limit)
			if s.pos == limit {
				return false
			}
			s.pos++
			s.inString = false
			if s.depth == 0 {
				return true
			}
			continue
		}
		c := doc[s.pos]
		s.pos++
		switch c {
		case '"':
			s.inString = true
		case '{', '[':
			s.depth++
		case ',':
			if s.depth == 1 {
				s.commas++
			}
		case '}', ']':
			s.depth--
			if s.depth == 0 {
				return true
			}
		}
	}
	return false
}
