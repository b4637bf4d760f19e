package mock

import (
	"mcpdbg/framing"
	"mcpdbg/session/elements"
	"mcpdbg/session/mcp"
)

// Each request of a batch gets a response of its own, which the specification allows.
func (s *Server) batch(line []byte) {
	n := 0
	for span := range framing.Elements(line) {
		n++
		element := span.Of(line)
		s.message(element, framing.Scan(element))
	}
	if n == 0 {
		s.bad("the client sent an empty batch")
		if !s.opts.Exact {
			s.fail([]byte("null"), mcp.CodeInvalidRequest, "a batch must not be empty", nil)
		}
	}
}

// inBatch returns the row of the response to a request if either is in a batch. Such a
// request is answered at once, and with nothing else.
func (s *Server) inBatch(request, response int) (element int, ok bool) {
	if row, found := s.rows.row(response); response >= 0 && response < elements.First && found && row.Msg == framing.Batch && !s.opts.Exact {
		return s.rows.src.ResponseIn(response, request), true
	}
	return response, request >= elements.First
}

func (s *Server) respondFromBatch(request, response int, id []byte) {
	row, ok := s.rows.row(response)
	if !ok || response < 0 || row.Msg != framing.Response && row.Msg != framing.ErrorResponse {
		s.report.Unanswered++
		return
	}
	p := s.newPlay()
	p.request, p.from, p.id, p.past = true, request, id, true
	s.report.Answered++
	p.writeResponse(row, id)
	s.idle = p
}

func (t *table) addBatch(number int) {
	b, _ := t.rows.src.Batch(number)
	left := b.Requests
	for _, element := range t.rows.src.Numbers(number) {
		if row, ok := t.rows.row(element); ok && row.Msg == framing.Request {
			t.addMessage(element, row)
			left--
		}
	}
	t.skipped += uint64(max(left, 0))
}
