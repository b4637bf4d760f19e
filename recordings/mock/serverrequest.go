package mock

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"time"

	"mcpdbg/framing"
	"mcpdbg/recordings/match"
	"mcpdbg/session"
)

// A serverRequest is not answered yet.
type serverRequest struct {
	row      int
	method   string
	recorded []byte // the raw id in the recording
	id       []byte // the raw id now
	waiting  *play  // continues with the response
	timer    *time.Timer
}

func (a *serverRequest) stop() {
	if a.timer != nil {
		a.timer.Stop()
	}
}

// Further requests of the server are skipped.
const maxServerRequests = 4096

func (p *play) serverRequestRow(row session.Row) move {
	e, err := p.server.rows.look(row)
	if err != nil {
		p.server.unreadable(row, err)
		return onward
	}
	if len(p.server.serverRequests) >= maxServerRequests {
		p.server.opts.Warn("skipped a server request: too many are pending")
		return onward
	}
	a := &serverRequest{row: p.next, method: p.server.rows.method(row), recorded: bytes.Clone(e.Msg.ID.Of(e.Payload))}
	a.id = p.server.serverRequestID(a.recorded)
	p.server.serverRequests[string(a.id)] = a
	p.server.requestsByRow[a.row] = a
	p.serverRequests = append(p.serverRequests, a)
	one := [1]edit{{e.Msg.ID, a.id}}
	return p.writeEntry(&e, one[:])
}

// serverRequestID returns a new id, or with Exact the recorded one if it is free.
func (s *Server) serverRequestID(recorded []byte) []byte {
	if s.opts.Exact && s.serverRequests[string(recorded)] == nil {
		return recorded
	}
	s.lastRequestID++
	return strconv.AppendQuote(nil, "mock-"+strconv.FormatUint(s.lastRequestID, 10))
}

// pendingServerRequest returns the request of the server in a row, if the play must wait
// for its response: its own, or one of another play that has ended.
func (p *play) pendingServerRequest(row int) *serverRequest {
	for _, a := range p.serverRequests {
		if a.row == row && p.server.serverRequests[string(a.id)] == a {
			return a
		}
	}
	if a := p.server.requestsByRow[row]; a != nil && a.waiting == nil {
		return a
	}
	return nil
}

func (s *Server) giveUpServerRequests() {
	for len(s.serverRequests) > 0 {
		for _, a := range s.serverRequests {
			s.unanswered(a, "the client ended without a response to")
		}
	}
}

func (s *Server) serverRequestTimedOut(a *serverRequest) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.serverRequests[string(a.id)] != a || s.over() {
		return
	}
	s.unanswered(a, "no response in "+s.opts.AskTimeout.String()+" to")
	s.flush()
}

// unanswered gives up a request of the server: the play continues without a response.
func (s *Server) unanswered(a *serverRequest, why string) {
	if row, _ := s.rows.row(a.row); row.Paired() { // else it had no response in the recording
		s.report.Silent++
		s.opts.Warn(why + " the server's " + a.method)
	}
	s.close(a)
}

// close removes a request of the server, and continues the play that waits for it.
func (s *Server) close(a *serverRequest) {
	a.stop()
	delete(s.serverRequests, string(a.id))
	if s.requestsByRow[a.row] == a {
		delete(s.requestsByRow, a.row)
	}
	p := a.waiting
	if a.waiting = nil; p == nil {
		return
	}
	p.wait = nil
	if s.opts.Speed > 0 {
		p.due = time.Now()
	}
	p.advance() // from the row of the recorded response
}

func (s *Server) answered(line []byte, m framing.Message) {
	a := s.serverRequests[string(m.ID.Of(line))]
	if a == nil {
		s.bad(fmt.Sprintf("the client sent a response to an unknown request id %.40s", m.ID.Of(line)))
		return
	}
	if pointers := s.differs(a, line, m); len(pointers) > 0 {
		s.report.Differences++
		row, _ := s.rows.row(a.row)
		s.opts.Warn(fmt.Sprintf("the client's response to the server's %s (byte %d of the recording) differs from the recorded one at %s",
			a.method, row.Off, strings.Join(pointers, " ")))
	}
	s.close(a)
}

// differs compares a response with the recorded one.
func (s *Server) differs(a *serverRequest, line []byte, m framing.Message) []string {
	row, _ := s.rows.row(a.row)
	response, ok := s.rows.partner(row)
	if !ok {
		return nil
	}
	e, err := s.rows.look(response)
	if err != nil {
		s.unreadable(response, err)
		return nil
	}
	var pointers []string
	for _, side := range []struct {
		name           string
		recorded, live []byte
	}{
		{"/result", e.Msg.Result.Of(e.Payload), m.Result.Of(line)},
		{"/error", e.Msg.Error.Of(e.Payload), m.Error.Of(line)},
	} {
		if (side.recorded == nil) != (side.live == nil) {
			pointers = append(pointers, side.name)
			continue
		}
		for _, p := range match.Differences(side.recorded, side.live) {
			pointers = append(pointers, side.name+p)
		}
	}
	return pointers
}
