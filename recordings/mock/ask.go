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

// An ask is a request of the server that the client has not answered.
type ask struct {
	row      int
	method   string
	recorded []byte // its raw id in the recording
	id       []byte // and now
	waiting  *play  // the play that goes on with the answer
	timer    *time.Timer
}

func (a *ask) stop() {
	if a.timer != nil {
		a.timer.Stop()
	}
}

// maxAsks is how many requests of the server may be open; further ones are left
// out.
const maxAsks = 4096

// askRow writes a request of the server, with an id of its own.
func (s *Server) askRow(p *play, row session.Row) move {
	e, err := s.rows.look(row)
	if err != nil {
		s.unreadable(row, err)
		return onward
	}
	if len(s.asks) >= maxAsks {
		s.opts.Tell("left out a request of the server: too many are open")
		return onward
	}
	a := &ask{row: p.next, method: s.rows.method(row), recorded: bytes.Clone(e.Msg.ID.Of(e.Payload))}
	a.id = s.askID(a.recorded)
	s.asks[string(a.id)] = a
	s.asked[a.row] = a
	p.asks = append(p.asks, a)
	one := [1]edit{{e.Msg.ID, a.id}}
	return s.writeEntry(p, &e, one[:])
}

// askID is the id for a request of the server: a new one, unless all bytes are
// to be the same and the recorded one is free.
func (s *Server) askID(recorded []byte) []byte {
	if s.opts.Exact && s.asks[string(recorded)] == nil {
		return recorded
	}
	s.lastAsk++
	return strconv.AppendQuote(nil, "mock-"+strconv.FormatUint(s.lastAsk, 10))
}

// openAsk is the request of the server of a row, if its answer is to be waited
// for: the play's own, or one of another play that has ended.
func (s *Server) openAsk(p *play, row int) *ask {
	for _, a := range p.asks {
		if a.row == row && s.asks[string(a.id)] == a {
			return a
		}
	}
	if a := s.asked[row]; a != nil && a.waiting == nil {
		return a
	}
	return nil
}

// await makes a play wait for the client's answer.
func (s *Server) await(p *play, a *ask) {
	p.wait, a.waiting = a, p
	a.timer = time.AfterFunc(s.opts.AskTimeout, func() { s.askTimedOut(a) })
}

// giveUpAsks gives up the answers of a client that has ended.
func (s *Server) giveUpAsks() {
	for len(s.asks) > 0 {
		for _, a := range s.asks {
			s.unanswered(a, "the client ended without an answer to")
		}
	}
}

func (s *Server) askTimedOut(a *ask) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.asks[string(a.id)] != a || s.over() {
		return
	}
	s.unanswered(a, "no answer in "+s.opts.AskTimeout.String()+" to")
	s.flush()
}

// unanswered gives up a request of the server: what follows it comes.
func (s *Server) unanswered(a *ask, why string) {
	if row, _ := s.rows.row(a.row); row.Pair != 0 { // else it was not answered when recorded
		s.report.Silent++
		s.opts.Tell(why + " the server's " + a.method)
	}
	s.close(a)
}

// close forgets a request of the server, and goes on with who waits for it.
func (s *Server) close(a *ask) {
	a.stop()
	delete(s.asks, string(a.id))
	if s.asked[a.row] == a {
		delete(s.asked, a.row)
	}
	p := a.waiting
	if a.waiting = nil; p == nil {
		return
	}
	p.wait = nil
	if s.opts.Speed > 0 {
		p.due = time.Now()
	}
	s.advance(p) // from the row of the recorded answer on
}

// answered takes an answer of the client to a request of the server.
func (s *Server) answered(line []byte, m framing.Message) {
	a := s.asks[string(m.ID.Of(line))]
	if a == nil {
		s.bad(fmt.Sprintf("the client answered the id %.40s, which nobody asked", m.ID.Of(line)))
		return
	}
	if pointers := s.differs(a, line, m); len(pointers) > 0 {
		s.report.Differences++
		row, _ := s.rows.row(a.row)
		s.opts.Tell(fmt.Sprintf("the client's answer to the server's %s (byte %d of the recording) differs from the recorded one at %s", a.method, row.Off, strings.Join(pointers, " ")))
	}
	s.close(a)
}

// differs compares an answer with the recorded one.
func (s *Server) differs(a *ask, line []byte, m framing.Message) []string {
	row, _ := s.rows.row(a.row)
	answer, ok := s.rows.row(int(row.Pair) - 1)
	if row.Pair == 0 || !ok {
		return nil
	}
	e, err := s.rows.look(answer)
	if err != nil {
		s.unreadable(answer, err)
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
		for _, p := range match.Differ(side.recorded, side.live) {
			pointers = append(pointers, side.name+p)
		}
	}
	return pointers
}
