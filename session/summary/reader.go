package summary

import (
	"iter"

	"mcpdbg/framing"
)

// A reader reads the beginning of a message in one pass, without allocating. It stops
// where the message is cut or its structure is invalid; from there on everything is
// absent. It returns the part of a text before the cut, and does not check what it skips.
type reader struct {
	framing.Cursor
	full int64 // size of the whole message in bytes; 0: unknown
	end  bool  // nothing more can be read, though the value continues
}

func newReader(msg []byte, full int64) *reader {
	return &reader{Cursor: framing.Cursor{Data: msg[:min(len(msg), Limit)]}, full: full}
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

// next returns the byte that follows, 0 at the end.
func (r *reader) next() byte {
	if r.end {
		return 0
	}
	c := r.Peek()
	r.end = c == 0
	return c
}

func (r *reader) accept(c byte) bool {
	if r.next() != c {
		return false
	}
	r.At++
	return true
}

func (r *reader) skip() {
	switch r.kind() {
	case 0:
		r.end = true
	case '{', '[', '"':
		r.Value()
		r.end = r.Cut
	default:
		r.scalar()
	}
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
	at := r.At
	if !read() {
		return false
	}
	if r.At == at {
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
	text := r.Text()
	r.end = r.Cut
	return str{text, !r.Cut}
}

// scalar reads a number, true, false or null. A value of another kind is left
// unread.
func (r *reader) scalar() []byte {
	switch r.kind() {
	case '0', 't', 'f', 'n':
	default:
		return nil
	}
	token := r.Token()
	if r.At == len(r.Data) {
		r.end = true
		return nil
	}
	return token
}

func (r *reader) atom() str {
	if r.kind() == '"' {
		return r.str()
	}
	return str{r.scalar(), true}
}
