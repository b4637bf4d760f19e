package shape

import (
	"bytes"
	"unicode/utf8"

	"mcpdbg/framing"
)

const maxName = 64

// plain returns a string without its escapes; buf is used if there are any. A string that
// is too long for buf is returned as it is.
func plain(raw []byte, buf *[maxName]byte) []byte {
	at := bytes.IndexByte(raw, '\\')
	if at < 0 || len(raw) > len(buf)-8 {
		return raw
	}
	out := append(buf[:0], raw[:at]...)
	for i := at; i < len(raw); {
		if raw[i] != '\\' {
			out = append(out, raw[i])
			i++
			continue
		}
		r, n := framing.Escape(raw[i:])
		if n <= 0 {
			return raw
		}
		out = utf8.AppendRune(out, r)
		i += n
	}
	return out
}

// find returns where the value of the named member of the object at c begins, 0 if
// it has none. Of several members it is the last one.
func find(c framing.Cursor, wanted string) (found int) {
	var buf [maxName]byte
	for c.Token(); c.Item(); c.Value() {
		if string(plain(c.Name(), &buf)) == wanted {
			found = c.At
		}
	}
	return found
}
