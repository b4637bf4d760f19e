package workspace

import (
	"mcpdbg/framing"
	"mcpdbg/session"
	"mcpdbg/session/summary"
)

// A Said is a message in short.
type Said struct {
	Call string // named by a request, such as a tool
	Text string // its arguments, or the result
	ID   string // as in the message; empty if missing or unreadable
	Size int64  // of the message, in bytes
	Lost bool   // it cannot be read

	number int // of its row, plus one, or 0
}

// maxSaidID is how many bytes of an id are kept.
const maxSaidID = 40

// Summaries are of the messages on the screen: each is read once while it is visible. The
// zero value is empty.
type Summaries struct {
	cache [512]Said // by row number
	buf   [summary.Limit + 1<<10]byte
}

// Of summarizes the message of a row. The result is valid until the next call.
func (s *Summaries) Of(source session.Source, number int, row session.Row) *Said {
	m := &s.cache[number%len(s.cache)]
	if m.number == number+1 {
		return m
	}
	*m = Said{number: number + 1}
	e, err := session.EntryInto(source, row, summary.Limit, s.buf[:0])
	if err != nil {
		m.Lost = true
		return m
	}
	method := source.Method(row.Method)
	m.Size = e.FullSize
	if !e.Cut {
		id := e.Msg.ID.Of(e.Payload)
		m.ID = string(id[:min(len(id), maxSaidID)])
	}
	switch row.Msg {
	case framing.Response, framing.ErrorResponse:
		m.Text = summary.Response(method, e.Payload, e.FullSize)
	default:
		m.Call, m.Text = summary.Call(method, e.Payload), summary.Request(method, e.Payload)
	}
	return m
}

// Clear forgets all messages, as after renumbering.
func (s *Summaries) Clear() { clear(s.cache[:]) }
