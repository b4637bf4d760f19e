package export

import (
	"bytes"
	"context"
	"encoding/base64"
	"iter"
	"strings"
	"unicode/utf8"

	"mcpdbg/framing"
	"mcpdbg/session"
)

// A Selection is what of a recording is exported.
type Selection struct {
	Source session.Source
	// Include decides on rows by their number; nil takes all.
	Include func(number int, row session.Row) bool
}

// An item is one row of a selection, with its entry.
type item struct {
	number int // of the row, from 0
	row    session.Row
	entry  session.Entry // good until the next item
}

// items reads the rows of a selection. With limit > 0 at most about as many
// bytes of a payload are read. It ends with an error, of the context or of
// reading.
func (s Selection) items(ctx context.Context, limit int) iter.Seq2[item, error] {
	return func(yield func(item, error) bool) {
		rows := make([]session.Row, 256)
		var buf []byte
		for from := 0; ; {
			n := s.Source.Rows(from, rows)
			if n == 0 {
				return
			}
			for i, row := range rows[:n] {
				if ctx.Err() != nil {
					yield(item{}, context.Cause(ctx))
					return
				}
				if s.Include != nil && !s.Include(from+i, row) || row.Flags&session.FlagUnkept != 0 {
					continue
				}
				if need := int(row.Len); limit <= 0 && need > cap(buf) && need <= 1<<20 {
					buf = make([]byte, 0, max(need, 64<<10))
				}
				e, err := session.EntryInto(s.Source, row, limit, buf)
				if !yield(item{from + i, row, e}, err) || err != nil {
					return
				}
			}
			from += n
		}
	}
}

// partner is the row that a row is paired with.
func (s Selection) partner(row session.Row) (session.Row, bool) {
	var one [1]session.Row
	if row.Pair == 0 || s.Source.Rows(int(row.Pair-1), one[:]) == 0 {
		return session.Row{}, false
	}
	return one[0], true
}

// direction is the word for the stream of an entry, "" for none.
func direction(kind session.Kind) string {
	switch kind {
	case session.KindStdin:
		return "out"
	case session.KindStdout:
		return "in"
	case session.KindStderr:
		return "err"
	}
	return ""
}

// lines are the lines of an entry: of stdin there may be several in one.
func lines(e *session.Entry) [][]byte {
	if e.Kind != session.KindStdin || bytes.IndexByte(e.Payload, '\n') < 0 || isMessage(e) {
		return [][]byte{e.Payload}
	}
	return bytes.Split(e.Payload, []byte("\n"))
}

// goesOn tells whether the last line of an entry goes on in a later one.
func goesOn(e *session.Entry) bool {
	return e.More || e.Kind == session.KindStdin && e.EOL == framing.NoEOL
}

// isMessage tells whether the payload of an entry is one JSON text.
func isMessage(e *session.Entry) bool {
	return !e.More && e.Msg.Valid() && e.Kind != session.KindStderr
}

// isError tells whether something went wrong: to a probe an error is an answer.
func isError(row session.Row) bool {
	return row.Flags&session.FlagError != 0 && row.Flags&session.FlagProbe == 0
}

// A form is how the bytes of a line are written.
type form string

const (
	formMessage form = "message" // JSON as it is
	formText    form = "text"
	formBase64  form = "base64"
)

// formOf decides how a line is written. JSON too deep for other tools is text.
func formOf(e *session.Entry, line []byte) form {
	switch {
	case !utf8.Valid(line):
		return formBase64
	case e.More || e.Kind == session.KindStderr || bytes.IndexByte(line, '\n') >= 0:
		return formText
	}
	if m := framing.Scan(line); m.Verbatim || m.Kind == framing.Batch && m.Depth <= framing.VerbatimDepth {
		return formMessage
	}
	return formText
}

func encode64(b []byte) string { return base64.StdEncoding.EncodeToString(b) }

// commandLine is how the server was started.
func commandLine(h session.Header) string { return strings.Join(h.Argv, " ") }
