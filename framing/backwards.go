package framing

// lastMembers returns where those members of an object begin that are whole in its last
// bytes, -1 if there are none. It reads from the end on, where the nesting is known: in
// valid JSON a quote that is not escaped begins or ends a string.
func lastMembers(tail []byte) int {
	b := backwards(tail)
	i := b.space(len(b))
	if !b.follows(i, '}') {
		return -1
	}
	first := -1
	for i--; ; i-- {
		if i = b.space(b.value(b.space(i))); !b.follows(i, ':') {
			return first
		}
		if i = b.space(i - 1); !b.follows(i, '"') {
			return first
		}
		if i = b.text(i); i < 0 {
			return first
		}
		first = i
		i = b.space(i)
		switch {
		case b.follows(i, ','):
		case b.follows(i, '{') && b.space(i-1) > 0: // more than one object
			return -1
		default:
			return first
		}
	}
}

// backwards reads JSON from its end. The methods take the offset after a token and return
// the one where it begins, or -1 if it is not whole.
type backwards []byte

func (b backwards) follows(i int, c byte) bool { return i > 0 && b[i-1] == c }

func (b backwards) space(i int) int {
	for i > 0 && (b[i-1] == ' ' || b[i-1] == '\t' || b[i-1] == '\n' || b[i-1] == '\r') {
		i--
	}
	return i
}

func (b backwards) value(i int) int {
	switch {
	case b.follows(i, '"'):
		return b.text(i)
	case b.follows(i, '}'), b.follows(i, ']'):
		return b.nested(i)
	}
	for i > 0 && isPlain(b[i-1]) {
		i--
	}
	if i <= 0 {
		return -1
	}
	return i
}

// isPlain reports whether a byte may be in a number or a literal.
func isPlain(c byte) bool {
	return c-'0' <= 9 || c-'a' < 26 || c == '-' || c == '+' || c == '.' || c == 'E'
}

func (b backwards) nested(i int) int {
	depth := 0
	for i > 0 {
		switch b[i-1] {
		case '"':
			if i = b.text(i); i < 0 {
				return -1
			}
			continue
		case '}', ']':
			depth++
		case '{', '[':
			depth--
		}
		if i--; depth == 0 {
			return i
		}
	}
	return -1
}

func (b backwards) text(i int) int {
	for i -= 2; i >= 0; i-- {
		if b[i] != '"' {
			continue
		}
		before := i
		for before > 0 && b[before-1] == '\\' {
			before--
		}
		switch {
		case before == 0: // there may be more backslashes
			return -1
		case (i-before)%2 == 0:
			return i
		}
		i = before
	}
	return -1
}
