package jsontree

import (
	"bytes"
	"fmt"

	"mcpdbg/framing"
)

// A SyntaxError describes why and where a document is not JSON.
type SyntaxError struct {
	Offset int
	// Reason is what was expected there.
	Reason string
}

// Error implements error.
func (e *SyntaxError) Error() string {
	return fmt.Sprintf("not JSON at byte %d: %s", e.Offset, e.Reason)
}

func syntaxError(offset int, reason string) *SyntaxError {
	return &SyntaxError{Offset: offset, Reason: reason}
}

const unexpectedEnd = "unexpected end"

func skipSpace(doc []byte, p int) int {
	for p < len(doc) && (doc[p] == ' ' || doc[p] == '\n' || doc[p] == '\t' || doc[p] == '\r') {
		p++
	}
	return p
}

func closer(open byte) byte {
	if open == '{' {
		return '}'
	}
	return ']'
}

// findQuote returns the closing quote of the string that contains p, or limit if it is
// not before it.
func findQuote(doc []byte, p, limit int) int {
	for p < limit {
		i := bytes.IndexByte(doc[p:limit], '"')
		if i < 0 {
			return limit
		}
		p += i
		if !escaped(doc, p) {
			return p
		}
		p++
	}
	return limit
}

// escaped reports whether an odd number of backslashes precedes p, in a string.
func escaped(doc []byte, p int) bool {
	n := 0
	for n < p && doc[p-n-1] == '\\' {
		n++
	}
	return n%2 == 1
}

// scanString returns the end of the string at p, checking its escapes (RFC
// 8259, section 7).
func scanString(doc []byte, p int) (int, *SyntaxError) {
	for p++; p < len(doc); p++ {
		switch c := doc[p]; {
		case c == '"':
			return p + 1, nil
		case c < ' ':
			return p, syntaxError(p, "control character in a string")
		case c == '\\':
			n := escapeLen(doc, p)
			if n == 0 {
				return p, syntaxError(p, "unknown escape")
			}
			p += n - 1
		}
	}
	return p, syntaxError(len(doc), unexpectedEnd+" of string")
}

// escapeLen returns the length of the escape at p, or zero if it is invalid.
func escapeLen(doc []byte, p int) int {
	_, n := framing.Escape(doc[p:min(p+len(`\u0000`), len(doc))])
	return n
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func scanPlain(doc []byte, p int) (int, *SyntaxError) {
	for _, word := range []string{"true", "false", "null"} {
		if bytes.HasPrefix(doc[p:], []byte(word)) {
			return p + len(word), nil
		}
	}
	if c := doc[p]; c == '-' || isDigit(c) {
		return scanNumber(doc, p)
	}
	return p, syntaxError(p, "expected a value")
}

// scanNumber follows RFC 8259, section 6.
func scanNumber(doc []byte, p int) (int, *SyntaxError) {
	digits := func() bool {
		start := p
		for p < len(doc) && isDigit(doc[p]) {
			p++
		}
		return p > start
	}
	at := func(set string) bool { return p < len(doc) && bytes.IndexByte([]byte(set), doc[p]) >= 0 }

	if at("-") {
		p++
	}
	if at("0") {
		p++
	} else if !digits() {
		return p, syntaxError(p, "expected a digit")
	}
	if at(".") {
		p++
		if !digits() {
			return p, syntaxError(p, "expected a digit")
		}
	}
	if at("eE") {
		p++
		if at("+-") {
			p++
		}
		if !digits() {
			return p, syntaxError(p, "expected a digit")
		}
	}
	return p, nil
}

// scanKey returns the key at p, with its quotes, and the beginning of its value.
func scanKey(doc []byte, p int) (keyEnd, value int, err *SyntaxError) {
	if p >= len(doc) {
		return p, p, syntaxError(p, unexpectedEnd)
	}
	if doc[p] != '"' {
		return p, p, syntaxError(p, "expected a key")
	}
	quote := findQuote(doc, p+1, len(doc))
	if quote == len(doc) {
		return p, p, syntaxError(len(doc), unexpectedEnd+" of key")
	}
	colon := skipSpace(doc, quote+1)
	if colon >= len(doc) || doc[colon] != ':' {
		return p, p, syntaxError(colon, "expected ':'")
	}
	return quote + 1, skipSpace(doc, colon+1), nil
}

// validate checks a whole document. Open containers are on an explicit stack: each level
// costs one byte.
func validate(doc []byte) *SyntaxError {
	var stack []byte
	p := skipSpace(doc, 0)
	for {
		if p >= len(doc) {
			return syntaxError(p, unexpectedEnd)
		}
		var err *SyntaxError
		switch c := doc[p]; c {
		case '{', '[':
			inner := skipSpace(doc, p+1)
			if inner < len(doc) && doc[inner] == closer(c) {
				p = inner + 1
				break
			}
			stack = append(stack, c)
			if p, err = nextItem(doc, inner, c); err != nil {
				return err
			}
			continue
		case '"':
			p, err = scanString(doc, p)
		default:
			p, err = scanPlain(doc, p)
		}
		if err != nil {
			return err
		}
		if p, stack, err = closeAll(doc, p, stack); err != nil || stack == nil {
			return err
		}
	}
}

// closeAll moves from the end of a value to the beginning of the next. With a nil stack
// the document ends here.
func closeAll(doc []byte, p int, stack []byte) (int, []byte, *SyntaxError) {
	for {
		p = skipSpace(doc, p)
		if len(stack) == 0 {
			if p < len(doc) {
				return p, nil, syntaxError(p, "text after the document")
			}
			return p, nil, nil
		}
		open := stack[len(stack)-1]
		switch {
		case p >= len(doc):
			return p, nil, syntaxError(p, unexpectedEnd)
		case doc[p] == closer(open):
			stack = stack[:len(stack)-1]
			p++
		case doc[p] == ',':
			value, err := nextItem(doc, skipSpace(doc, p+1), open)
			return value, stack, err
		default:
			return p, nil, syntaxError(p, fmt.Sprintf("expected ',' or '%c'", closer(open)))
		}
	}
}

// nextItem returns where the value of the item at p begins, after checking a key.
func nextItem(doc []byte, p int, open byte) (int, *SyntaxError) {
	if open == '[' {
		return p, nil
	}
	if p < len(doc) && doc[p] == '"' {
		if _, err := scanString(doc, p); err != nil {
			return p, err
		}
	}
	_, value, err := scanKey(doc, p)
	return value, err
}
