package mock

import (
	"bytes"
	"fmt"

	"mcpdbg/framing"
	"mcpdbg/session"
	"mcpdbg/session/mcp"
)

func (s *Server) write(p *play, row session.Row, changes edits) move {
	e, err := s.rows.look(row)
	if err != nil {
		s.unreadable(row, err)
		return onward
	}
	return s.writeEntry(p, &e, changes)
}

func (s *Server) writeEntry(p *play, e *session.Entry, changes edits) move {
	p.wrote++
	p.afterNote = false
	s.out.line(e, changes)
	return onward
}

func (s *Server) unreadable(row session.Row, err error) {
	s.opts.Warn(fmt.Sprintf("skipped: %v", err))
}

// writeResponse writes the response of a row with another id.
func (s *Server) writeResponse(p *play, row session.Row, id []byte) move {
	e, err := s.rows.look(row)
	if err != nil {
		s.unreadable(row, err)
		return onward
	}
	if s.faults.apply(s, &e) {
		return over
	}
	if int(e.Msg.ID.End) > len(e.Payload) { // cut off by a fault
		return s.writeEntry(p, &e, nil)
	}
	one := [1]edit{{e.Msg.ID, id}}
	if p.wrote == 0 && len(e.Payload) <= longestKept {
		p.first.message = append(p.first.message[:0], e.Payload...)
		p.first.id = e.Msg.ID
	}
	return s.writeEntry(p, &e, one[:])
}

// keepPlain caches the response of a play that wrote nothing else.
func (s *Server) keepPlain(p *play) {
	if p.wrote != 1 || len(p.first.message) == 0 || !p.request || p.kept {
		return
	}
	if s.opts.Exact || s.opts.Speed > 0 || len(s.faults.all) > 0 {
		return
	}
	s.plain.put(p.from, plainResponse{bytes.Clone(p.first.message), p.first.id}, len(p.first.message)+entryCost)
}

func (s *Server) respondPlainly(known plainResponse, id []byte) {
	s.report.Answered++
	one := [1]edit{{known.id, id}}
	s.out.message(known.message, one[:])
}

func (s *Server) noteRow(p *play, row session.Row) move {
	e, err := s.rows.look(row)
	if err != nil {
		s.unreadable(row, err)
		return onward
	}
	change, known := s.noteEdit(&e)
	if !known && !s.opts.Exact {
		return onward
	}
	if change.with == nil {
		return s.writeNotification(p, &e, nil)
	}
	one := [1]edit{change}
	return s.writeNotification(p, &e, one[:])
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
	if !bytes.Contains(e.Msg.Params.Of(e.Payload), []byte(metaSubscription)) {
		return edit{}, true
	}
	span := find(e.Payload, e.Msg.Params, "_meta", metaSubscription)
	if span == (framing.Span{}) {
		return edit{}, true
	}
	live := s.listens[string(span.Of(e.Payload))]
	return edit{span, live}, live != nil
}

// metaSubscription is the _meta key with the id of a subscription.
const metaSubscription = "io.modelcontextprotocol/subscriptionId"

const maxListens = 4096

func (s *Server) listen(row session.Row, id []byte) {
	e, err := s.rows.look(row)
	if err == nil && len(s.listens) < maxListens {
		s.listens[string(e.Msg.ID.Of(e.Payload))] = bytes.Clone(id)
	}
}

// listenEnds writes the response of a subscription, which ends it.
func (s *Server) listenEnds(p *play, row session.Row) move {
	e, err := s.rows.look(row)
	if err != nil {
		s.unreadable(row, err)
		return onward
	}
	recorded := string(e.Msg.ID.Of(e.Payload))
	if live := s.listens[recorded]; live != nil {
		delete(s.listens, recorded)
		s.report.Answered++
		one := [1]edit{{e.Msg.ID, live}}
		return s.writeEntry(p, &e, one[:])
	}
	return onward
}

// progressRow writes progress of the play's own request.
func (s *Server) progressRow(p *play, row session.Row) move {
	if !p.request || p.token == nil && !s.opts.Exact || len(s.recordedToken(p)) == 0 {
		return onward
	}
	e, err := s.rows.look(row)
	if err != nil {
		s.unreadable(row, err)
		return onward
	}
	span := find(e.Payload, e.Msg.Params, "progressToken")
	if !bytes.Equal(span.Of(e.Payload), p.theirs) {
		return onward
	}
	if s.pause(p, row) {
		return blocked
	}
	if p.token == nil {
		return s.writeNotification(p, &e, nil)
	}
	one := [1]edit{{span, p.token}}
	return s.writeNotification(p, &e, one[:])
}

// recordedToken returns the progress token of the recorded request, nil if it has none.
// The result is cached.
func (s *Server) recordedToken(p *play) []byte {
	if len(p.theirs) > 0 {
		if p.theirs[0] == noToken {
			return nil
		}
		return p.theirs
	}
	p.theirs = append(p.theirs[:0], noToken)
	row, _ := s.rows.row(p.from)
	e, err := s.rows.look(row)
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
