package mock

import (
	"context"

	"mcpdbg/framing"
	"mcpdbg/session"
	"mcpdbg/session/elements"
	"mcpdbg/session/mcp"
)

// rows are the rows of a recording that may still be indexed. Methods wait for rows
// that are not available yet. They belong to one goroutine at a time.
type rows struct {
	src  *elements.Source
	full <-chan struct{} // closed when all rows are available; nil if they already are
	buf  []byte          // scratch space for entries
	one  [1]session.Row  // for row: a local variable would be allocated each time
	page [64]session.Row // for reading many rows
}

// An indexing Source adds rows while it can be read.
type indexing interface {
	// Indexed returns a channel that is closed when all rows are available.
	Indexed() <-chan struct{}
}

func newRows(src session.Source) rows {
	r := rows{src: elements.New(src)}
	if i, ok := src.(indexing); ok {
		r.full = i.Indexed()
	}
	return r
}

// wait waits until row i is available; false if it never will be.
func (r *rows) wait(ctx context.Context, i int) bool {
	i = r.src.Parent(i)
	for {
		changed := r.src.Changed()
		switch {
		case i < r.src.Len():
			return true
		case r.complete():
			return i < r.src.Len()
		}
		select {
		case <-changed:
		case <-r.full:
		case <-ctx.Done():
			return false
		}
	}
}

// complete reports whether all rows are available.
func (r *rows) complete() bool {
	if r.full == nil {
		return true
	}
	select {
	case <-r.full:
		return true
	default:
		return false
	}
}

// row returns row i if it is available.
func (r *rows) row(i int) (session.Row, bool) {
	if i < 0 || r.src.Rows(i, r.one[:]) == 0 {
		return session.Row{}, false
	}
	return r.one[0], true
}

// partner returns the partner of a row.
func (r *rows) partner(row session.Row) (session.Row, bool) {
	number, _ := row.Partner()
	return r.row(number)
}

// answered returns row i of a request once its fate is known, and the number of its
// response's row; -1 if there is none. A request that was cancelled or timed out may
// still get a response.
func (r *rows) answered(ctx context.Context, i int) (row session.Row, response int) {
	for {
		next := r.src.Len()
		row, _ = r.row(i)
		response, paired := row.Partner()
		switch {
		case paired && r.wait(ctx, response):
			if r, _ := r.row(response); r.State == session.ReqUnread {
				return row, -1
			}
			return row, response
		case row.State == session.ReqLost, !r.wait(ctx, next):
			row, _ = r.row(i)
			response, _ = row.Partner()
			return row, response
		}
	}
}

// result returns the row of the response to request i, -1 if there is none, and
// reports whether it is a result.
func (r *rows) result(ctx context.Context, i int) (response int, ok bool) {
	if _, response = r.answered(ctx, i); response < 0 {
		return response, false
	}
	row, _ := r.row(response)
	return response, row.Msg == framing.Response
}

// entry reads the entry of a row into buf, and returns a possibly larger buf.
func (r *rows) entry(row session.Row, buf []byte) (session.Entry, []byte, error) {
	if cap(buf) < int(row.Len) {
		buf = make([]byte, max(int(row.Len), 4<<10))
	}
	e, err := session.EntryInto(r.src, row, 0, buf)
	return e, buf, err
}

// look reads an entry that is valid until the next call.
func (r *rows) look(row session.Row) (session.Entry, error) {
	e, buf, err := r.entry(row, r.buf)
	if r.buf = buf; cap(buf) > keptBuffer {
		r.buf = nil
	}
	return e, err
}

// enters reports whether a state entry is about a state of the session.
func (r *rows) enters(row session.Row, state session.State) bool {
	e, err := r.look(row)
	var body session.StateBody
	return err == nil && e.DecodeBody(&body) == nil && body.Of == 0 && body.State == string(state)
}

// keptBuffer is the largest buffer that is kept for the next entry.
const keptBuffer = 1 << 20

func (r *rows) method(row session.Row) string { return r.src.Method(row.Method) }

// isRequest reports whether a row is a client request that can be served: one that
// makes up a whole entry. Requests in batches are served apart.
func isRequest(row session.Row) bool {
	return row.Kind == session.KindStdin && row.Msg == framing.Request && row.Flags&(session.FlagPart|session.FlagBatch|session.FlagDropped) == 0
}

// isHandshake reports whether the params of a method only describe the client.
func isHandshake(method string) bool {
	return method == mcp.MethodInitialize || method == mcp.MethodDiscover
}
