package formats

import (
	"bytes"
	"context"
	"encoding/base64"
	"iter"
	"strings"
	"unicode/utf8"

	"mcpdbg/framing"
	"mcpdbg/session"
	"mcpdbg/session/elements"
	"mcpdbg/session/exchange"
)

// A Selection is the part of a recording that is exported.
type Selection struct {
	Source session.Source
	// Include reports whether a row is exported; nil exports all.
	Include func(number int, row session.Row) bool
	// Omits, if set, gets the number of entries that a page or report has no room for.
	Omits func(entries int)
}

func (s Selection) omits(entries int) {
	if s.Omits != nil && entries > 0 {
		s.Omits(entries)
	}
}

// An item is one row of a selection, with its entry.
type item struct {
	number int
	row    session.Row
	entry  session.Entry // valid until the next item
}

// longestKept is the largest buffer that is kept for the next entry, in bytes.
const longestKept = 1 << 20

// items reads at most about limit bytes of each payload if limit > 0. It stops at the
// first error.
func (s Selection) items(ctx context.Context, limit int) iter.Seq2[item, error] {
	return func(yield func(item, error) bool) {
		var buf []byte
		entries := session.InOrder(s.Source)
		for number, row := range session.RowsFrom(s.Source, 0) {
			if ctx.Err() != nil {
				yield(item{}, context.Cause(ctx))
				return
			}
			if s.Include != nil && !s.Include(number, row) || row.Flags&session.FlagDropped != 0 {
				continue
			}
			if need := int(row.Len); limit <= 0 && need > cap(buf) && need <= longestKept {
				buf = make([]byte, 0, max(need, 64<<10))
			}
			e, err := entries.EntryInto(row, limit, buf)
			if !yield(item{number, row, e}, err) || err != nil {
				return
			}
		}
	}
}

func (s Selection) partner(row session.Row) (session.Row, bool) {
	return session.PartnerOf(s.Source, row)
}

// took returns how long the side took that answers the request of an item, or until that
// was cancelled, and for how long it waited for the other one, in microseconds.
func (s Selection) took(times *exchange.Table, it item) (us, waited int64, ok bool) {
	number, request := it.number, it.row
	if cancelled, ok := times.TimesCancelled(number, request); ok {
		us, waited = cancelled.Answering(request.Kind)
		return us, waited, true
	}
	partner, ok := s.partner(it.row)
	if !ok {
		return 0, 0, false
	}
	response := partner
	if it.row.Msg != framing.Request {
		number, _ = it.row.Partner()
		request, response = partner, it.row
	}
	us, waited = times.Times(number, request, response).Answering(request.Kind)
	return us, waited, true
}

// "" without one
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

// Entries of stdin may have several.
func lines(e *session.Entry) [][]byte {
	if e.Kind != session.KindStdin || bytes.IndexByte(e.Payload, '\n') < 0 || isMessage(e) {
		return [][]byte{e.Payload}
	}
	return bytes.Split(e.Payload, []byte("\n"))
}

// continues reports whether the last line of an entry continues in a later one.
func continues(e *session.Entry) bool {
	return e.More || e.Kind == session.KindStdin && e.EOL == framing.NoEOL
}

func isMessage(e *session.Entry) bool {
	return !e.More && e.Msg.Valid() && e.Kind != session.KindStderr
}

// An error response to a probe is not an error.
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

// JSON that is too deep for other tools is text.
func formOf(e *session.Entry, line []byte) form {
	m, known := e.Msg, e.Msg.Valid() && !e.Cut && len(line) == len(e.Payload)
	switch {
	case !known && !utf8.Valid(line):
		return formBase64
	case e.More || e.Kind == session.KindStderr || bytes.IndexByte(line, '\n') >= 0:
		return formText
	case !known:
		m = framing.Scan(line)
	}
	if m.Verbatim || m.Kind == framing.Batch && m.Depth <= framing.VerbatimDepth {
		return formMessage
	}
	return formText
}

func encode64(b []byte) string { return base64.StdEncoding.EncodeToString(b) }

func commandLine(h session.Header) string { return strings.Join(h.Argv, " ") }

// messages reads the rows of a selection like items, and of a batch its elements, each as
// an item of its own with its own partner.
func (s Selection) messages(ctx context.Context, source *elements.Source) iter.Seq2[item, error] {
	return func(yield func(item, error) bool) {
		s.Source = source
		for it, err := range s.items(ctx, 0) {
			if err != nil || it.row.Msg != framing.Batch {
				it.row = source.Paired(it.number, it.row)
				if !yield(it, err) {
					return
				}
				continue
			}
			for _, number := range source.Numbers(it.number) {
				row, ok := session.RowAt(source, number)
				if !ok {
					continue
				}
				e, err := source.Entry(row, 0)
				if !yield(item{number, row, e}, err) || err != nil {
					return
				}
			}
			source.Forget()
		}
	}
}
