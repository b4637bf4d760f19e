package summary

import (
	"bytes"
	"iter"
)

// A reader reads the beginning of a message in one pass, without allocating. It stops
// where the message is cut or its structure is invalid; from there on everything is
// absent. It returns the part of a text before the cut, and does not check what it skips.
type reader struct {
	msg  []byte
	at   int   // position in msg
	full int64 // size of the whole message in bytes; 0: unknown
	end  bool  // nothing more can be read, though the value continues
}

func newReader(msg []byte, full int64) *reader {
	return &reader{msg: msg[:min(len(msg), Limit)], full: full}
}

// kind returns the first byte of the value that follows, '0' for a number; 0 if none
// follows.
func (r *reader) kind() byte {
	switch c := r.next(); c {
	case '{', '[', '"', 't', 'f', 'n':
		return c
	case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		return '0'
	}
	return 0
}

// next skips white space and returns the byte after it, 0 at the end.
func (r *reader) next() byte {
	for ; !r.end && r.at < len(r.msg); r.at++ {
		switch c := r.msg[r.at]; c {
		case ' ', '\t', '\n', '\r':
		default:
			return c
		}
	}
	r.end = true
	return 0
}

func (r *reader) accept(c byte) bool {
	if r.next() != c {
		return false
	}
	r.at++
	return true
}

func (r *reader) skip() {
	switch r.kind() {
	case '{', '[':
		r.skipNested()
	case '"':
		r.str()
	case 0:
		r.end = true
	default:
		r.scalar()
	}
}

func (r *reader) skipNested() {
	depth := 0
	for i := r.at; i < len(r.msg); i++ {
		switch r.msg[i] {
		case '"':
			if i = closingQuote(r.msg, i+1); i < 0 {
				i = len(r.msg)
			}
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				r.at = i + 1
				return
			}
		}
	}
	r.at, r.end = len(r.msg), true
}

// members yields the name of each member of an object, escapes not decoded. The loop may
// read the value, which is skipped otherwise. A value of another kind is left unread, and
// so is the rest after a break.
func (r *reader) members() iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		if !r.accept('{') || r.accept('}') {
			return
		}
		for {
			name := r.str()
			if !name.whole || !r.accept(':') {
				r.end = true
				return
			}
			if !r.item(func() bool { return yield(name.raw) }, '}') {
				return
			}
		}
	}
}

func (r *reader) elements() iter.Seq[int] {
	return func(yield func(int) bool) {
		if !r.accept('[') || r.accept(']') {
			return
		}
		for i := 0; r.next() != 0; i++ {
			if !r.item(func() bool { return yield(i) }, ']') {
				return
			}
		}
	}
}

// item lets read read a value, skips it otherwise, and reports whether another one
// follows.
func (r *reader) item(read func() bool, closing byte) bool {
	r.next()
	at := r.at
	if !read() {
		return false
	}
	if r.at == at {
		r.skip()
	}
	if r.end || r.accept(closing) {
		return false
	}
	more := r.accept(',')
	r.end = r.end || !more
	return more
}

// A str is a JSON string without its quotes, escapes not decoded.
type str struct {
	raw   []byte // nil: absent
	whole bool   // false if only its beginning was read
}

// str reads a string, or its beginning. A value of another kind is left unread.
func (r *reader) str() str {
	if r.next() != '"' {
		return str{}
	}
	from := r.at + 1
	if end := closingQuote(r.msg, from); end >= 0 {
		r.at = end + 1
		return str{r.msg[from:end], true}
	}
	r.at, r.end = len(r.msg), true
	return str{r.msg[from:], false}
}

// closingQuote returns where the string ends whose text begins at i, -1 if it is
// cut.
func closingQuote(b []byte, i int) int {
	for ; i < len(b); i++ {
		n := bytes.IndexByte(b[i:], '"')
		if n < 0 {
			return -1
		}
		from := i
		i += n
		slash := i
		for slash > from && b[slash-1] == '\\' {
			slash--
		}
		if (i-slash)%2 == 0 {
			return i
		}
	}
	return -1
}

// scalar reads a number, true, false or null. A value of another kind is left
// unread.
func (r *reader) scalar() []byte {
	switch r.kind() {
	case '0', 't', 'f', 'n':
	default:
		return nil
	}
	from := r.at
	n := bytes.IndexFunc(r.msg[from:], func(c rune) bool { return c == ',' || c == ']' || c == '}' || c <= ' ' })
	if n < 0 {
		r.at, r.end = len(r.msg), true
		return nil
	}
	r.at += n
	return r.msg[from:r.at]
}

func (r *reader) atom() str {
	if r.kind() == '"' {
		return r.str()
	}
	return str{r.scalar(), true}
}
