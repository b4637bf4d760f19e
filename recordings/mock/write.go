package mock

import (
	"bytes"
	"fmt"

	"mcpdbg/framing"
	"mcpdbg/session"
	"mcpdbg/session/mcp"
)

func (p *play) write(row session.Row, changes edits) move {
	e, err := p.server.rows.look(row)
	if err != nil {
		p.server.unreadable(row, err)
		return onward
	}
	return p.writeEntry(&e, changes)
}

func (p *play) writeEntry(e *session.Entry, changes edits) move {
	p.wrote++
	p.afterNote = false
	p.server.out.line(e, changes)
	return onward
}

func (s *Server) unreadable(row session.Row, err error) {
	s.opts.Warn(fmt.Sprintf("skipped: %v", err))
}

// writeResponse writes the response of a row with another id.
func (p *play) writeResponse(row session.Row, id []byte) move {
	e, err := p.server.rows.look(row)
	if err != nil {
		p.server.unreadable(row, err)
		return onward
	}
	if p.server.faults.apply(p.server, &e) {
		return over
	}
	if int(e.Msg.ID.End) > len(e.Payload) { // cut off by a fault
		return p.writeEntry(&e, nil)
	}
	one := [1]edit{{e.Msg.ID, id}}
	if p.wrote == 0 && len(e.Payload) <= longestKept {
		p.first.message = append(p.first.message[:0], e.Payload...)
		p.first.id = e.Msg.ID
	}
	return p.writeEntry(&e, one[:])
}

// keepPlain caches the response of a play that wrote nothing else.
func (p *play) keepPlain() {
	if p.wrote != 1 || len(p.first.message) == 0 || !p.request || p.kept {
		return
	}
	if p.server.opts.Exact || p.server.opts.Speed > 0 || len(p.server.faults.all) > 0 {
		return
	}
	p.server.plain.put(p.from, plainResponse{bytes.Clone(p.first.message), p.first.id}, len(p.first.message)+entryCost)
}

func (s *Server) respondPlainly(known plainResponse, id []byte) {
	s.report.Answered++
	one := [1]edit{{known.id, id}}
	s.out.message(known.message, one[:])
}

func (p *play) noteRow(row session.Row) move {
	e, err := p.server.rows.look(row)
	if err != nil {
		p.server.unreadable(row, err)
		return onward
	}
	change, known := p.server.noteEdit(&e)
	if !known && !p.server.opts.Exact {
		return onward
	}
	if change.with == nil {
		return p.writeNotification(&e, nil)
	}
	one := [1]edit{change}
	return p.writeNotification(&e, one[:])
}

// noteEdit replaces the id in a notification about a request by the current one. known is
// false if there is no such request now.
func (s *Server) noteEdit(e *session.Entry) (change edit, known bool) {
	if string(e.Msg.Method.Of(e.Payload)) == mcp.MethodCancelled {
		span := find(e.Payload, e.Msg.Params, "requestId")
		id := span.Of(e.Payload)
		if live := s.listens[string(id)]; live != nil {
			return edit{span, live}, true
		}
		for _, a := range s.serverRequests {
			if bytes.Equal(a.recorded, id) {
				return edit{span, a.id}, true
			}
		}
		return edit{}, false
	}
	if !bytes.Contains(e.Msg.Params.Of(e.Payload), []byte(mcp.MetaSubscriptionID)) {
		return edit{}, true
	}
	span := find(e.Payload, e.Msg.Params, "_meta", mcp.MetaSubscriptionID)
	if span == (framing.Span{}) {
		return edit{}, true
	}
	live := s.listens[string(span.Of(e.Payload))]
	return edit{span, live}, live != nil
}

const maxListens = 4096

// listenEnds writes the response of a subscription, which ends it.
func (p *play) listenEnds(row session.Row) move {
	e, err := p.server.rows.look(row)
	if err != nil {
		p.server.unreadable(row, err)
		return onward
	}
	recorded := string(e.Msg.ID.Of(e.Payload))
	if live := p.server.listens[recorded]; live != nil {
		delete(p.server.listens, recorded)
		p.server.report.Answered++
		one := [1]edit{{e.Msg.ID, live}}
		return p.writeEntry(&e, one[:])
	}
	return onward
}

// progressRow writes progress of the play's own request.
func (p *play) progressRow(row session.Row) move {
	if !p.request || p.token == nil && !p.server.opts.Exact || len(p.recordedToken()) == 0 {
		return onward
	}
	e, err := p.server.rows.look(row)
	if err != nil {
		p.server.unreadable(row, err)
		return onward
	}
	span := find(e.Payload, e.Msg.Params, "progressToken")
	if !bytes.Equal(span.Of(e.Payload), p.theirs) {
		return onward
	}
	if p.pause(row) {
		return blocked
	}
	if p.token == nil {
		return p.writeNotification(&e, nil)
	}
	one := [1]edit{{span, p.token}}
	return p.writeNotification(&e, one[:])
}

// recordedToken returns the progress token of the recorded request, nil if it has none.
// The result is cached.
func (p *play) recordedToken() []byte {
	if len(p.theirs) > 0 {
		if p.theirs[0] == noToken {
			return nil
		}
		return p.theirs
	}
	p.theirs = append(p.theirs[:0], noToken)
	row, _ := p.server.rows.row(p.from)
	e, err := p.server.rows.look(row)
	if err != nil {
		return nil
	}
	token := find(e.Payload, e.Msg.Params, "_meta", "progressToken").Of(e.Payload)
	if len(token) == 0 {
		return nil
	}
	p.theirs = append(p.theirs[:0], token...)
	return p.theirs
}

// No JSON value begins with noToken.
const noToken = 0

type edit struct {
	span framing.Span
	with []byte
}

// edits are in the order of their spans, which do not overlap.
type edits []edit

func (all edits) appendTo(dst, message []byte) []byte {
	at := uint32(0)
	for _, e := range all {
		dst = append(dst, message[at:e.span.Start]...)
		dst = append(dst, e.with...)
		at = e.span.End
	}
	return append(dst, message[at:]...)
}

// moved returns where the byte at off is after the edits: for an edited span its end.
func (all edits) moved(off uint64) uint64 {
	by := 0
	for _, e := range all {
		switch {
		case off >= uint64(e.span.End):
			by += len(e.with) - int(e.span.End-e.span.Start)
		case off > uint64(e.span.Start):
			return uint64(int(e.span.Start) + by + len(e.with))
		}
	}
	return uint64(int(off) + by)
}

// find returns the span of a member's value in a valid JSON object: the last member with
// that name, written without escapes. Further names are those of nested members. The zero
// Span means not found.
func find(message []byte, in framing.Span, names ...string) framing.Span {
	for _, name := range names {
		found := framing.Member(in.Of(message), name)
		if found == (framing.Span{}) {
			return found
		}
		in = framing.Span{Start: in.Start + found.Start, End: in.Start + found.End}
	}
	return in
}
