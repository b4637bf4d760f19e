package mock

import (
	"bytes"
	"context"
	"slices"
	"time"

	"mcpdbg/framing"
	"mcpdbg/session"
	"mcpdbg/session/mcp"
)

// A play writes the output recorded after one message of the client: see the package
// documentation. It is advanced with the Server's lock held.
type play struct {
	from     int // of that message; -1: the start
	next     int
	response int // its row; -1: none was recorded

	request bool     // the message is a request
	id      []byte   // current and raw
	token   []byte   // the raw progress token; nil: none
	theirs  []byte   // the recorded one, once it was needed; empty: none
	past    bool     // it is answered, or is not a request
	leaving bool     // the recorded client began to stop the server
	inner   []int    // responses to requests that were sent after it, by row
	alone   tristate // whether no other request was pending then
	behind  bool     // the client's next request was sent: only changes still belong to the play

	t              int64     // recorded, of the last action
	due            time.Time // now, of the last action
	wrote          int
	first          plainResponse // if the first line was a response
	paused         int           // the last row with a pause
	afterNote      bool
	rested         time.Duration // pauses of its rhythm so far
	timer          *time.Timer
	serverRequests []*serverRequest // that belong to it
	wait           *serverRequest   // for its response
	kept           bool             // it waits and owns its bytes
}

type tristate uint8

const (
	unknown tristate = iota
	yes
	no
)

type move uint8

const (
	onward  move = iota // continue with the next row
	blocked             // the play waits
	over                // nothing that follows belongs to the play
)

func (s *Server) newPlay() *play {
	p := s.idle
	if s.idle = nil; p == nil {
		p = new(play)
	}
	*p = play{inner: p.inner[:0], theirs: p.theirs[:0], serverRequests: p.serverRequests[:0], first: plainResponse{message: p.first.message[:0]}, response: -1, paused: -1}
	return p
}

// begin runs a play until it has to wait, or to its end.
func (s *Server) begin(p *play) {
	if s.opts.Speed > 0 {
		p.due = time.Now()
	}
	s.advance(p)
}

// advance continues a play. One that has to wait is kept until it is over.
func (s *Server) advance(p *play) {
	for !s.over() {
		switch s.step(p) {
		case onward:
			p.next++
		case blocked:
			s.keep(p)
			return
		case over:
			s.played(p)
			return
		}
	}
}

func (s *Server) keep(p *play) {
	if p.kept {
		return
	}
	p.kept = true
	if !p.request {
		s.quiet[p] = true
		return
	}
	p.id, p.token = bytes.Clone(p.id), bytes.Clone(p.token)
	s.plays[string(p.id)] = p
}

func (s *Server) forget(p *play) {
	delete(s.plays, string(p.id))
	delete(s.quiet, p)
}

func (s *Server) played(p *play) {
	if p.request && !p.past {
		s.report.Unanswered++
		s.reportUnanswered(p)
	}
	s.keepPlain(p)
	if p.kept {
		s.forget(p)
		s.settle()
		return
	}
	s.idle = p
}

func (p *play) stop() {
	if p.timer != nil {
		p.timer.Stop()
	}
	if p.wait != nil {
		p.wait.waiting = nil
	}
}

func (s *Server) step(p *play) move {
	row, ok := s.rows.row(p.next)
	if !ok && s.rows.wait(s.ctx, p.next) {
		row, ok = s.rows.row(p.next)
	}
	if !ok || row.Run != s.table.run {
		return over
	}
	switch row.Kind {
	case session.KindStdin:
		return s.clientRow(p, row)
	case session.KindStdout:
		return s.serverRow(p, row)
	case session.KindStderr:
		return s.plainRow(p, row)
	case session.KindExited:
		return s.exitRow(p, row)
	case session.KindState:
		return s.stateRow(p, row)
	case session.KindClosed, session.KindFailed:
		return over
	}
	return onward
}

// loose reports whether the play ends with the next event: nothing after that is known to
// belong to it.
func (p *play) loose() bool { return p.past || p.response < 0 }

func (s *Server) clientRow(p *play, row session.Row) move {
	if row.Flags&session.FlagProbe != 0 {
		return onward
	}
	switch row.Msg {
	case framing.Request:
		if p.loose() {
			if !p.past || s.opts.Exact {
				return over
			}
			p.behind = true
			return onward
		}
		if row, response := s.rows.answered(s.ctx, p.next); response >= 0 && s.rows.method(row) != mcp.MethodListen {
			p.open(response)
		}
	case framing.Notification:
		if p.loose() {
			return over
		}
	case framing.Response, framing.ErrorResponse:
		request, _ := row.Partner()
		if a := s.pendingServerRequest(p, request); a != nil && !s.eof {
			s.await(p, a)
			return blocked
		}
		p.t = row.T
	}
	return onward
}

// serverRow writes a line of the recorded server if it belongs to the play.
func (s *Server) serverRow(p *play, row session.Row) move {
	if row.Flags&session.FlagProbe != 0 {
		return onward
	}
	switch row.Msg {
	case framing.Response, framing.ErrorResponse:
		return s.responseRow(p, row)
	case framing.Notification:
		switch method := s.rows.method(row); {
		case method == mcp.MethodProgress:
			return s.progressRow(p, row)
		case s.isChange(method):
			return s.writeOwned(p, row, p.past, s.noteRow)
		}
		return s.writeOwned(p, row, s.owns(p), s.noteRow)
	case framing.Request:
		return s.writeOwned(p, row, s.ownsServerRequest(p), s.serverRequestRow)
	}
	return s.plainRow(p, row)
}

func (s *Server) writeOwned(p *play, row session.Row, owns bool, write func(*play, session.Row) move) move {
	switch {
	case !owns:
		if p.loose() && !p.behind {
			return over
		}
		return onward
	case s.pause(p, row):
		return blocked
	}
	return write(p, row)
}

// Lines that are not messages are written only with Exact.
func (s *Server) plainRow(p *play, row session.Row) move {
	if !s.opts.Exact {
		return onward
	}
	return s.writeOwned(p, row, s.owns(p), func(p *play, row session.Row) move { return s.write(p, row, nil) })
}

func (s *Server) responseRow(p *play, row session.Row) move {
	request, _ := row.Partner()
	switch {
	case p.next == p.response:
		if s.pause(p, row) {
			return blocked
		}
		p.past = true
		s.report.Answered++
		return s.writeResponse(p, row, p.id)
	case row.State == session.ReqUnmatched, row.State == session.ReqDuplicate:
		if row.Paired() && request == p.from && s.opts.Exact {
			return s.writeResponse(p, row, p.id)
		}
		return s.plainRow(p, row)
	case s.rows.method(row) == mcp.MethodListen:
		return s.writeOwned(p, row, s.owns(p), s.listenEnds)
	case p.loose() && !p.leaving:
		return over
	}
	return onward
}

func (s *Server) stateRow(p *play, row session.Row) move {
	if p.leaving || !s.rows.enters(row, session.Stopping) {
		return onward
	}
	if p.leaving = true; p.loose() {
		return over
	}
	return onward // its response comes later
}

// owns reports whether a line without a reference to a request belongs to the play:
// because its request is the latest pending one, or because no request is pending and it
// was the last event. A request that was never answered counts as pending until the next
// event.
func (s *Server) owns(p *play) bool {
	if p.behind {
		return false
	}
	if p.loose() {
		if p.alone == unknown {
			p.alone = no
			if at := max(p.response, p.from); !p.innerBeyond(at) && !s.rows.openBeyond(s.ctx, p.from, at) {
				p.alone = yes
			}
		}
		return p.alone == yes
	}
	return !p.leaving && !p.innerBeyond(p.next)
}

// ownsServerRequest is owns for a request of the server. Its cause must be a request that
// stays pending until the client has responded, if there is one.
func (s *Server) ownsServerRequest(p *play) bool {
	_, until := s.rows.answered(s.ctx, p.next)
	switch {
	case p.behind:
		return false
	case p.loose() || until < 0:
		return s.owns(p)
	case p.response > until:
		return !p.innerBeyond(until)
	}
	return s.owns(p) && !s.rows.openBeyond(s.ctx, p.from, until)
}

// open records the response of a request that was sent after the play's own. Those in the
// past are removed now and then.
func (p *play) open(response int) {
	if len(p.inner) == cap(p.inner) {
		p.inner = slices.DeleteFunc(p.inner, func(response int) bool { return response < p.next })
	}
	p.inner = append(p.inner, response)
}

// innerBeyond reports whether a request that was sent after the play's own was pending
// beyond the row at.
func (p *play) innerBeyond(at int) bool {
	for _, response := range p.inner {
		if response > at {
			return true
		}
	}
	return false
}

// openWindow is how many rows before a message are searched for pending requests.
const openWindow = 1024

// openBeyond reports whether a request that was sent before the row from was pending
// beyond the row at.
func (r *rows) openBeyond(ctx context.Context, from, at int) bool {
	for end := from; end > max(0, from-openWindow); {
		begin := max(0, end-len(r.page))
		for i, row := range r.page[:r.src.Rows(begin, r.page[:end-begin])] {
			if !isRequest(row) || row.Flags&session.FlagProbe != 0 || r.method(row) == mcp.MethodListen {
				continue
			}
			if _, response := r.answered(ctx, begin+i); response > at {
				return true
			}
		}
		end = begin
	}
	return false
}

// pause makes a play wait for the recorded time of a row or, without Speed, for the
// rhythm of its notifications. It reports whether the play must wait.
func (s *Server) pause(p *play, row session.Row) bool {
	if p.paused == p.next {
		return false
	}
	p.paused = p.next
	gap := time.Duration(row.T-p.t) * time.Microsecond
	p.t = row.T
	left := time.Duration(0)
	switch {
	case s.opts.Speed > 0:
		if s.opts.IdleCap > 0 {
			gap = min(gap, s.opts.IdleCap)
		}
		p.due = p.due.Add(time.Duration(float64(gap) / s.opts.Speed))
		left = time.Until(p.due)
	case !s.opts.Exact:
		left = p.rest(gap, row.Msg == framing.Notification)
	}
	if left <= 0 {
		return false
	}
	p.timer = time.AfterFunc(left, func() { s.resume(p) })
	return true
}

func (s *Server) resume(p *play) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if p.timer == nil || s.plays[string(p.id)] != p && !s.quiet[p] {
		return // given up
	}
	p.timer = nil
	s.advance(p)
	s.flush()
}
