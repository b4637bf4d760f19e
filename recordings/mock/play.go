package mock

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"time"

	"mcpdbg/framing"
	"mcpdbg/session"
	"mcpdbg/session/mcp"
)

// A play writes the output recorded after one message of the client: see the package
// documentation. It is advanced with the Server's lock held.
type play struct {
	server   *Server
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
	*p = play{server: s, inner: p.inner[:0], theirs: p.theirs[:0], serverRequests: p.serverRequests[:0], first: plainResponse{message: p.first.message[:0]}, response: -1, paused: -1}
	return p
}

// begin runs a play until it has to wait, or to its end.
func (p *play) begin() {
	if p.server.opts.Speed > 0 {
		p.due = time.Now()
	}
	p.advance()
}

// advance continues a play. One that has to wait is kept until it is over.
func (p *play) advance() {
	for !p.server.over() {
		switch p.step() {
		case onward:
			p.next++
		case blocked:
			p.keep()
			return
		case over:
			p.played()
			return
		}
	}
}

func (p *play) keep() {
	if p.kept {
		return
	}
	p.kept = true
	if !p.request {
		p.server.quiet[p] = true
		return
	}
	p.id, p.token = bytes.Clone(p.id), bytes.Clone(p.token)
	p.server.plays[string(p.id)] = p
}

func (p *play) forget() {
	delete(p.server.plays, string(p.id))
	delete(p.server.quiet, p)
}

func (p *play) played() {
	if p.request && !p.past {
		p.server.report.Unanswered++
		p.reportUnanswered()
	}
	p.keepPlain()
	if p.kept {
		p.forget()
		p.server.settle()
		return
	}
	p.server.idle = p
}

func (p *play) stop() {
	if p.timer != nil {
		p.timer.Stop()
	}
	if p.wait != nil {
		p.wait.waiting = nil
	}
}

func (p *play) step() move {
	row, ok := p.server.rows.row(p.next)
	if !ok && p.server.rows.wait(p.server.ctx, p.next) {
		row, ok = p.server.rows.row(p.next)
	}
	if !ok || row.Run != p.server.table.run {
		return over
	}
	switch row.Kind {
	case session.KindStdin:
		return p.clientRow(row)
	case session.KindStdout:
		return p.serverRow(row)
	case session.KindStderr:
		return p.plainRow(row)
	case session.KindExited:
		return p.exitRow(row)
	case session.KindState:
		return p.stateRow(row)
	case session.KindClosed, session.KindFailed:
		return over
	}
	return onward
}

// loose reports whether the play ends with the next event: nothing after that is known to
// belong to it.
func (p *play) loose() bool { return p.past || p.response < 0 }

func (p *play) clientRow(row session.Row) move {
	if row.Flags&session.FlagProbe != 0 {
		return onward
	}
	switch row.Msg {
	case framing.Request:
		if p.loose() {
			if !p.past || p.server.opts.Exact {
				return over
			}
			p.behind = true
			return onward
		}
		if row, response := p.server.rows.answered(p.server.ctx, p.next); response >= 0 && p.server.rows.method(row) != mcp.MethodListen {
			p.open(response)
		}
	case framing.Notification:
		if p.loose() {
			return over
		}
	case framing.Response, framing.ErrorResponse:
		request, _ := row.Partner()
		if a := p.pendingServerRequest(request); a != nil && !p.server.eof {
			p.wait, a.waiting = a, p
			a.timer = time.AfterFunc(p.server.opts.AskTimeout, func() { p.server.serverRequestTimedOut(a) })
			return blocked
		}
		p.t = row.T
	}
	return onward
}

// serverRow writes a line of the recorded server if it belongs to the play.
func (p *play) serverRow(row session.Row) move {
	if row.Flags&session.FlagProbe != 0 {
		return onward
	}
	switch row.Msg {
	case framing.Response, framing.ErrorResponse:
		return p.responseRow(row)
	case framing.Notification:
		switch method := p.server.rows.method(row); {
		case method == mcp.MethodProgress:
			return p.progressRow(row)
		case p.server.isChange(method):
			return p.writeOwned(row, p.past, p.noteRow)
		}
		return p.writeOwned(row, p.owns(), p.noteRow)
	case framing.Request:
		return p.writeOwned(row, p.ownsServerRequest(), p.serverRequestRow)
	}
	return p.plainRow(row)
}

func (p *play) writeOwned(row session.Row, owns bool, write func(session.Row) move) move {
	switch {
	case !owns:
		if p.loose() && !p.behind {
			return over
		}
		return onward
	case p.pause(row):
		return blocked
	}
	return write(row)
}

// Lines that are not messages are written only with Exact.
func (p *play) plainRow(row session.Row) move {
	if !p.server.opts.Exact {
		return onward
	}
	return p.writeOwned(row, p.owns(), func(row session.Row) move { return p.write(row, nil) })
}

func (p *play) responseRow(row session.Row) move {
	request, _ := row.Partner()
	switch {
	case p.next == p.response:
		if p.pause(row) {
			return blocked
		}
		p.past = true
		p.server.report.Answered++
		return p.writeResponse(row, p.id)
	case row.State == session.ReqUnmatched, row.State == session.ReqDuplicate:
		if row.Paired() && request == p.from && p.server.opts.Exact {
			return p.writeResponse(row, p.id)
		}
		return p.plainRow(row)
	case p.server.rows.method(row) == mcp.MethodListen:
		return p.writeOwned(row, p.owns(), p.listenEnds)
	case p.loose() && !p.leaving:
		return over
	}
	return onward
}

func (p *play) stateRow(row session.Row) move {
	if p.leaving || !p.server.rows.enters(row, session.Stopping) {
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
func (p *play) owns() bool {
	if p.behind {
		return false
	}
	if p.loose() {
		if p.alone == unknown {
			p.alone = no
			if at := max(p.response, p.from); !p.innerBeyond(at) && !p.server.rows.openBeyond(p.server.ctx, p.from, at) {
				p.alone = yes
			}
		}
		return p.alone == yes
	}
	return !p.leaving && !p.innerBeyond(p.next)
}

// ownsServerRequest is owns for a request of the server. Its cause must be a request that
// stays pending until the client has responded, if there is one.
func (p *play) ownsServerRequest() bool {
	_, until := p.server.rows.answered(p.server.ctx, p.next)
	switch {
	case p.behind:
		return false
	case p.loose() || until < 0:
		return p.owns()
	case p.response > until:
		return !p.innerBeyond(until)
	}
	return p.owns() && !p.server.rows.openBeyond(p.server.ctx, p.from, until)
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
func (p *play) pause(row session.Row) bool {
	if p.paused == p.next {
		return false
	}
	p.paused = p.next
	gap := time.Duration(row.T-p.t) * time.Microsecond
	p.t = row.T
	left := time.Duration(0)
	switch {
	case p.server.opts.Speed > 0:
		if p.server.opts.IdleCap > 0 {
			gap = min(gap, p.server.opts.IdleCap)
		}
		p.due = p.due.Add(time.Duration(float64(gap) / p.server.opts.Speed))
		left = time.Until(p.due)
	case !p.server.opts.Exact:
		left = p.rest(gap, row.Msg == framing.Notification)
	}
	if left <= 0 {
		return false
	}
	p.timer = time.AfterFunc(left, p.resume)
	return true
}

func (p *play) resume() {
	p.server.mu.Lock()
	defer p.server.mu.Unlock()
	if p.timer == nil || p.server.plays[string(p.id)] != p && !p.server.quiet[p] {
		return // given up
	}
	p.timer = nil
	p.advance()
	p.server.flush()
}

const (
	// maxRest is the longest pause before a notification, or before the response after
	// one, without Options.Speed.
	maxRest = 20 * time.Millisecond
	// minGap lets clients read a notification and its response separately.
	minGap = 5 * time.Millisecond
	// maxTotalRest is the total of all pauses of a play after which only minGap is left
	// of them.
	maxTotalRest = time.Second
)

// rest returns the pause before a line that came gap after the previous one: none before
// a response without notifications.
func (p *play) rest(gap time.Duration, notification bool) time.Duration {
	if !notification && !p.afterNote {
		return 0
	}
	rest := min(gap, maxRest)
	if p.rested >= maxTotalRest {
		rest = 0
	}
	if !notification {
		rest = max(rest, minGap)
	}
	p.rested += rest
	return rest
}

func (p *play) writeNotification(e *session.Entry, changes edits) move {
	if p.server.opts.Exact {
		return p.writeEntry(e, changes)
	}
	p.server.out.write()
	p.writeEntry(e, changes)
	p.server.out.write()
	p.afterNote = true
	return onward
}

// A change of the server belongs to no request. Those of a subscription have its id.
func (s *Server) isChange(method string) bool {
	return !s.opts.Exact && len(s.listens) == 0 &&
		(strings.HasSuffix(method, "/list_changed") || method == "notifications/resources/updated")
}
