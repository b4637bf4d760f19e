package mock

import (
	"context"

	"mcpdbg/framing"
	"mcpdbg/session"
	"mcpdbg/session/mcp"
)

const methodListen = "subscriptions/listen"

// rows are the rows of a recording that may still be read. Whoever looks for a
// row that is not there yet waits for it. They belong to one goroutine at a time.
type rows struct {
	src  session.Source
	full <-chan struct{} // closed when no more rows come; nil if none do
	buf  []byte          // for entries that are looked at and forgotten
	one  [1]session.Row  // for row: a variable of its own would be allocated each time
	page [64]session.Row // for those that look at many
}

// An indexing Source adds its rows while it can be read.
type indexing interface {
	// Indexed is closed when all rows are there.
	Indexed() <-chan struct{}
}

func newRows(src session.Source) rows {
	r := rows{src: src}
	if i, ok := src.(indexing); ok {
		r.full = i.Indexed()
	}
	return r
}

// wait waits until the row i is there; false if it never will be.
func (r *rows) wait(ctx context.Context, i int) bool {
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

// complete tells whether all rows are there.
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

// row is the row i, if it is there.
func (r *rows) row(i int) (session.Row, bool) {
	if i < 0 || r.src.Rows(i, r.one[:]) == 0 {
		return session.Row{}, false
	}
	return r.one[0], true
}

// answered is the row i of a request, once it is known what became of it, and
// the number of its answer's row; -1 if it was not answered. One that was
// cancelled, or given up, may still be answered.
func (r *rows) answered(ctx context.Context, i int) (row session.Row, answer int) {
	for {
		next := r.src.Len()
		row, _ = r.row(i)
		switch {
		case row.Pair != 0 && r.wait(ctx, int(row.Pair)-1):
			return row, int(row.Pair) - 1
		case row.State == session.ReqLost, !r.wait(ctx, next):
			row, _ = r.row(i)
			return row, int(row.Pair) - 1
		}
	}
}

// result is the row of the answer to request i, -1 without one, and reports
// whether that is a result.
func (r *rows) result(ctx context.Context, i int) (answer int, ok bool) {
	if _, answer = r.answered(ctx, i); answer < 0 {
		return answer, false
	}
	row, _ := r.row(answer)
	return answer, row.Msg == framing.Response
}

// entry reads the entry of a row into buf, and gives back the larger buf.
func (r *rows) entry(row session.Row, buf []byte) (session.Entry, []byte, error) {
	if cap(buf) < int(row.Len) {
		buf = make([]byte, max(int(row.Len), 4<<10))
	}
	e, err := session.EntryInto(r.src, row, 0, buf)
	return e, buf, err
}

// look reads an entry that is forgotten before the next one is looked at.
func (r *rows) look(row session.Row) (session.Entry, error) {
	e, buf, err := r.entry(row, r.buf)
	if r.buf = buf; cap(buf) > keptBuffer {
		r.buf = nil
	}
	return e, err
}

// keptBuffer is the largest buffer that is kept for the next entry.
const keptBuffer = 1 << 20

func (r *rows) method(row session.Row) string { return r.src.Method(row.Method) }

// isRequest tells whether a row is a request of the client that can be served:
// one that is the whole of its entry.
func isRequest(row session.Row) bool {
	return row.Kind == session.KindStdin && row.Msg == framing.Request && row.Flags&(session.FlagPart|session.FlagBatch|session.FlagUnkept) == 0
}

// isHandshake tells whether a method only says who the client is.
func isHandshake(method string) bool {
	return method == mcp.MethodInitialize || method == mcp.MethodDiscover
}
