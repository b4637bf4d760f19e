package logs

import (
	"mcpdbg/framing"
	"mcpdbg/internal/wording"
	"mcpdbg/session"
	"mcpdbg/session/mcp"
	"mcpdbg/session/summary"
)

// maxCalled is how many bytes the row of a response shows of its call.
const maxCalled = 100

// Calls describe the requests of responses, each once. They are for one goroutine.
type Calls struct {
	source session.Source
	known  [256]call
	buf    []byte
}

type call struct {
	next   int // number of its row plus one; 0: empty
	n      uint64
	method string
	text   string
}

// NewCalls returns the calls of a source.
func NewCalls(src session.Source) *Calls {
	return &Calls{source: src, buf: make([]byte, 0, summary.Limit+4<<10)}
}

// Of returns the entry and the method of the request for the response at a row, and what it
// calls, such as sum k=3333; n is 0 if it is unknown.
func (c *Calls) Of(row session.Row) (n uint64, method, text string) {
	number, ok := row.Partner()
	if !ok || row.Msg != framing.Response && row.Msg != framing.ErrorResponse {
		return 0, "", ""
	}
	known := &c.known[uint(number)%uint(len(c.known))]
	if known.next == number+1 {
		return known.n, known.method, known.text
	}
	request, ok := session.RowAt(c.source, number)
	if !ok || request.Msg != framing.Request {
		return 0, "", ""
	}
	e, err := session.EntryInto(c.source, request, summary.Limit, c.buf)
	if err != nil {
		return 0, "", ""
	}
	method = c.source.Method(request.Method)
	*known = call{number + 1, e.N, method, Called(method, &e)}
	return known.n, known.method, known.text
}

// Called returns what a request calls: a tool with its arguments, or anything else by its
// name, such as a prompt.
func Called(method string, e *session.Entry) string {
	text := summary.Call(method, e.Payload)
	if method == mcp.MethodToolsCall {
		text = summary.Message(framing.Request, method, e.Payload, e.FullSize)
	}
	return wording.Clip(text, maxCalled, "…")
}

// IDOf returns the id of the message of a row, as in it. Of an entry that is cut, it may
// be in the rest.
func IDOf(src session.Source, row session.Row, e *session.Entry) string {
	if !e.Cut {
		return string(e.Msg.ID.Of(e.Payload))
	}
	if id := summary.IDOf(e.Payload); id != nil {
		return string(id)
	}
	request, ok := session.PartnerOf(src, row)
	if !ok || request.Msg != framing.Request {
		request = row
	}
	if whole, err := src.Entry(request, maxIDRead); err == nil && !whole.Cut {
		return string(whole.Msg.ID.Of(whole.Payload))
	}
	return ""
}

// maxIDRead is how many bytes of a message are read for its id.
const maxIDRead = 16 << 20
