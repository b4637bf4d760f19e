package jsontree

// skipper finds the end of a container or a string without looking at what is
// in it. It can stop anywhere and go on later.
type skipper struct {
	pos      int
	depth    int
	commas   int // on the first level
	inString bool
}

// newSkipper begins at the bracket or quote at p.
func newSkipper(doc []byte, p int) skipper {
	if doc[p] == '"' {
		return skipper{pos: p + 1, inString: true}
	}
	return skipper{pos: p + 1, depth: 1}
}

// advance goes on for at most budget bytes, which it reduces, and says whether
// the end is found; pos is then behind it.
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
