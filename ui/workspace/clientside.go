package workspace

import (
	"bytes"
	"slices"

	"mcpdbg/framing"
	"mcpdbg/session"
)

const (
	// clientNear is how many events are searched for the client's side of a message.
	clientNear = 512
	// clientReads is how many of them are read.
	clientReads = 64
)

// A ClientSide is the client's side of a message of a tap: what it sent, or got, where the
// server's side differs.
type ClientSide struct {
	Kind session.Kind // KindFromClient or KindToClient
	Why  string       // see session.ClientBody
	T    int64
	Line []byte // without its end
	Msg  framing.Message
	Of   *session.Entry // the server's side, or the request that only the client has a response to
	Same bool           // it has the same bytes
}

// ClientSides returns the client's sides of a message and of its partner, request first.
func (p *Projection) ClientSides(number int, row session.Row) (all []ClientSide) {
	if !p.Tap() || !row.Kind.IsStream() || row.Kind == session.KindStderr || row.Msg == framing.NotJSON {
		return nil
	}
	numbers, rows := []int{number}, []session.Row{row}
	if partner, ok := p.Rows.PartnerOf(row); ok {
		at, _ := row.Partner()
		numbers, rows = append(numbers, at), append(rows, partner)
	}
	if len(rows) > 1 && numbers[1] < numbers[0] {
		slices.Reverse(numbers)
		slices.Reverse(rows)
	}
	for i, at := range numbers {
		e, err := p.Source.Entry(rows[i], InlineLimit)
		if err != nil || e.Cut {
			continue
		}
		switch {
		case rows[i].Kind == session.KindStdout:
			all = append(all, p.clientGot(at, &e, false)...)
		case e.Seq == 0:
			if own, again := p.SentByTap(&rows[i], &e); !own && !again {
				all = append(all, p.clientSent(at, &e)...)
			}
		}
		if rows[i].Kind == session.KindStdin && len(rows) == 1 && e.Msg.Kind == framing.Request {
			all = append(all, p.clientGot(at, &e, true)...)
		}
	}
	return all
}

// clientGot returns the last entry about a message that the client got, or did not get, or
// about the response to a request.
func (p *Projection) clientGot(number int, e *session.Entry, response bool) []ClientSide {
	events := p.Index.Events
	from, _ := slices.BinarySearch(events, uint32(p.Index.Exchanges.Parent(number)))
	return p.clientSide(events[from:min(from+clientNear, len(events))], session.KindToClient, e, response, false)
}

// clientSent returns the entry about a message that the client sent.
func (p *Projection) clientSent(number int, e *session.Entry) []ClientSide {
	events := p.Index.Events
	to, _ := slices.BinarySearch(events, uint32(p.Index.Exchanges.Parent(number)))
	near := slices.Clone(events[max(0, to-clientNear):to])
	slices.Reverse(near)
	return p.clientSide(near, session.KindFromClient, e, false, true)
}

// clientSide returns an entry of a kind among events that is about a message, or about the
// response to it: the first one, or the last until the process changes.
func (p *Projection) clientSide(events []uint32, kind session.Kind, e *session.Entry, response, first bool) (found []ClientSide) {
	for reads := 0; len(events) > 0 && reads < clientReads; events = events[1:] {
		row, ok := p.Rows.At(int(events[0]))
		if !ok || row.Kind == session.KindStart && !first {
			break
		}
		if row.Kind != kind || row.Len > InlineLimit {
			continue
		}
		reads++
		var body session.ClientBody
		entry, err := p.Source.Entry(row, 0)
		if err != nil || entry.DecodeBody(&body) != nil {
			continue
		}
		line := bytes.TrimRight(body.Line(), "\r\n")
		if msg := framing.Scan(line); sameMessage(e, line, msg, response) {
			found = []ClientSide{{kind, body.Why, row.T, line, msg, e, bytes.Equal(line, e.Payload)}}
			if first {
				break
			}
		}
	}
	return found
}

// sameMessage reports whether a line is another form of a message, or the response to it.
func sameMessage(e *session.Entry, line []byte, msg framing.Message, response bool) bool {
	answers := msg.Kind == framing.Response || msg.Kind == framing.ErrorResponse
	same := msg.Kind == e.Msg.Kind || answers && (e.Msg.Kind == framing.Response || e.Msg.Kind == framing.ErrorResponse)
	if response {
		same = answers
	}
	return same && bytes.Equal(msg.ID.Of(line), e.Msg.ID.Of(e.Payload)) &&
		(answers || bytes.Equal(msg.Method.Of(line), e.Msg.Method.Of(e.Payload)))
}
