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

// A play writes what was recorded from one message of the client on: see the
// package's comment for what belongs to it. It is advanced with the Server's
// lock held.
type play struct {
	from   int // the row of that message; -1: the start
	next   int // the row to look at
	answer int // the row of the answer; -1: none was recorded

	request bool   // the message is a request
	id      []byte // its raw id, as the client gave it now
	token   []byte // its raw progress token; nil: none
	theirs  []byte // the recorded one, once somebody asked; empty: none
	past    bool   // it is answered, or it is no request
	leaving bool   // the recorded client began to end the server
	inner   []int  // rows of answers to requests that were sent after it
	alone   answer // no other request was open then
	behind  bool   // the client's next request has come: only changes are still of the play

	t      int64         // recorded time of what was done last
	due    time.Time     // when that was done now
	wrote  int           // how many lines
	first  plainAnswer   // if an answer was the first of them
	paused int           // the row whose pause is over, or goes on
	told   bool          // a notification was the last line
	rested time.Duration // pauses of its rhythm so far
	timer  *time.Timer
	asks   []*ask // its requests of the server
	wait   *ask   // whose answer it waits for
	kept   bool   // it waits, and owns its bytes
}

// An answer to a question that costs something.
type answer uint8

const (
	unknown answer = iota
	yes
	no
)

// A move is what a play does after a row.
type move uint8

const (
	onward  move = iota // to the next row
	blocked             // it waits
	over                // nothing of what follows belongs to it
)

// newPlay returns a play to fill in.
func (s *Server) newPlay() *play {
	p := s.idle
	if s.idle = nil; p == nil {
		p = new(play)
	}
	*p = play{inner: p.inner[:0], theirs: p.theirs[:0], asks: p.asks[:0], first: plainAnswer{message: p.first.message[:0]}, answer: -1, paused: -1}
	return p
}

// begin plays up to where it has to wait, or to the end.
func (s *Server) begin(p *play) {
	if s.opts.Speed > 0 {
		p.due = time.Now()
	}
	s.advance(p)
}

// advance goes on with a play. One that has to wait is kept until it is over.
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

// keep notes a play that waits.
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

// forget is the opposite of keep.
func (s *Server) forget(p *play) {
	delete(s.plays, string(p.id))
	delete(s.quiet, p)
}

// played ends a play.
func (s *Server) played(p *play) {
	if p.request && !p.past {
		s.report.Unanswered++
		s.tellUnanswered(p)
	}
	s.keepPlain(p)
	if p.kept {
		s.forget(p)
		s.settle()
		return
	}
	s.idle = p
}

// stop gives up what the play waits for.
func (p *play) stop() {
	if p.timer != nil {
		p.timer.Stop()
	}
	if p.wait != nil {
		p.wait.waiting = nil
	}
}

// step looks at the next row.
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

// loose tells whether the play ends with whatever happens next: nothing that
// comes later is known to be of it.
func (p *play) loose() bool { return p.past || p.answer < 0 }

// clientRow passes a recorded message of the client.
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
		if row, answer := s.rows.answered(s.ctx, p.next); answer >= 0 && s.rows.method(row) != methodListen {
			p.open(answer)
		}
	case framing.Notification:
		if p.loose() {
			return over
		}
	case framing.Response, framing.ErrorResponse:
		if a := s.openAsk(p, int(row.Pair)-1); a != nil && !s.eof {
			s.await(p, a)
			return blocked
		}
		p.t = row.T
	}
	return onward
}

// serverRow writes a line of the recorded server, if it belongs to the play.
func (s *Server) serverRow(p *play, row session.Row) move {
	if row.Flags&session.FlagProbe != 0 {
		return onward
	}
	switch row.Msg {
	case framing.Response, framing.ErrorResponse:
		return s.answerRow(p, row)
	case framing.Notification:
		switch method := s.rows.method(row); {
		case method == mcp.MethodProgress:
			return s.progressRow(p, row)
		case s.isChange(method):
			return s.writeMine(p, row, p.past, s.noteRow)
		}
		return s.writeMine(p, row, s.mine(p), s.noteRow)
	case framing.Request:
		return s.writeMine(p, row, s.mineToAsk(p), s.askRow)
	}
	return s.plainRow(p, row)
}

// writeMine writes a row if it belongs to the play.
func (s *Server) writeMine(p *play, row session.Row, mine bool, write func(*play, session.Row) move) move {
	switch {
	case !mine:
		if p.loose() && !p.behind {
			return over
		}
		return onward
	case s.pause(p, row):
		return blocked
	}
	return write(p, row)
}

// plainRow writes what is no message: only if all bytes are to be the same.
func (s *Server) plainRow(p *play, row session.Row) move {
	if !s.opts.Exact {
		return onward
	}
	return s.writeMine(p, row, s.mine(p), func(p *play, row session.Row) move { return s.write(p, row, nil) })
}

// answerRow is a recorded answer.
func (s *Server) answerRow(p *play, row session.Row) move {
	request := int(row.Pair) - 1
	switch {
	case p.next == p.answer:
		if s.pause(p, row) {
			return blocked
		}
		p.past = true
		s.report.Answered++
		return s.writeAnswer(p, row, p.id)
	case row.State == session.ReqOrphan, row.State == session.ReqDuplicate:
		if row.Pair > 0 && request == p.from && s.opts.Exact {
			return s.writeAnswer(p, row, p.id)
		}
		return s.plainRow(p, row)
	case s.rows.method(row) == methodListen:
		return s.writeMine(p, row, s.mine(p), s.listenEnds)
	case p.loose() && !p.leaving:
		return over
	}
	return onward
}

// stateRow passes what is known of the session.
func (s *Server) stateRow(p *play, row session.Row) move {
	if p.leaving || !s.isStopping(row) {
		return onward
	}
	if p.leaving = true; p.loose() {
		return over
	}
	return onward // its answer is to come
}

// mine tells whether what has no mark of its own belongs to the play: whether
// its request was sent last of those that are open, or none is open and it was
// what happened last. A request that was never answered counts as open until
// something else happens.
func (s *Server) mine(p *play) bool {
	if p.behind {
		return false
	}
	if p.loose() {
		if p.alone == unknown {
			p.alone = no
			if at := max(p.answer, p.from); !p.innerBeyond(at) && !s.rows.openBeyond(s.ctx, p.from, at) {
				p.alone = yes
			}
		}
		return p.alone == yes
	}
	return !p.leaving && !p.innerBeyond(p.next)
}

// mineToAsk is mine for a request of the server. Its cause has to be one that
// is open until the client has answered it; only if there is none it can be any
// that is open.
func (s *Server) mineToAsk(p *play) bool {
	_, until := s.rows.answered(s.ctx, p.next)
	switch {
	case p.behind:
		return false
	case p.loose() || until < 0:
		return s.mine(p)
	case p.answer > until:
		return !p.innerBeyond(until)
	}
	return s.mine(p) && !s.rows.openBeyond(s.ctx, p.from, until)
}

// open notes the answer of a request that was sent after the play's own. Those
// that have come are forgotten now and then.
func (p *play) open(answer int) {
	if len(p.inner) == cap(p.inner) {
		p.inner = slices.DeleteFunc(p.inner, func(answer int) bool { return answer < p.next })
	}
	p.inner = append(p.inner, answer)
}

// innerBeyond tells whether a request that was sent after the play's own was
// open beyond the row at.
func (p *play) innerBeyond(at int) bool {
	for _, answer := range p.inner {
		if answer > at {
			return true
		}
	}
	return false
}

// openWindow is how many rows before a message are looked at for requests that
// are still open.
const openWindow = 1024

// openBeyond tells whether a request that was sent before the row from was open
// beyond the row at.
func (r *rows) openBeyond(ctx context.Context, from, at int) bool {
	for end := from; end > max(0, from-openWindow); {
		begin := max(0, end-len(r.page))
		for i, row := range r.page[:r.src.Rows(begin, r.page[:end-begin])] {
			if !isRequest(row) || row.Flags&session.FlagProbe != 0 || r.method(row) == methodListen {
				continue
			}
			if _, answer := r.answered(ctx, begin+i); answer > at {
				return true
			}
		}
		end = begin
	}
	return false
}

// pause makes a play wait for the recorded time of a row, or without Speed for
// the rhythm of its notifications.
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

// resume goes on with a play whose time has come.
func (s *Server) resume(p *play) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if p.timer == nil || s.plays[string(p.id)] != p && !s.quiet[p] {
		return // it was given up
	}
	p.timer = nil
	s.advance(p)
	s.flush()
}
