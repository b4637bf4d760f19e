package mock

import (
	"fmt"

	"mcpdbg/session"
)

// farewellWindow is how many rows before the end of a process are looked at for
// the moment when its client began to end it.
const farewellWindow = 4096

// isStopping tells whether a state entry says that the client ends the server.
func (s *Server) isStopping(row session.Row) bool {
	e, err := s.rows.look(row)
	var body session.StateBody
	return err == nil && e.DecodeBody(&body) == nil && body.Of == 0 && body.State == string(session.Stopping)
}

// exitRow is the end of the recorded process, which is an end only if all is to
// be the same.
func (s *Server) exitRow(p *play, row session.Row) move {
	if !s.opts.Exact {
		return onward
	}
	return s.writeMine(p, row, s.mine(p), func(p *play, row session.Row) move {
		e, err := s.rows.look(row)
		var body session.ExitedBody
		if err != nil || e.DecodeBody(&body) != nil {
			s.unreadable(row, err)
			return over
		}
		s.lastWords(p)
		end := Ending{Signal: body.Signal}
		if body.Code != nil {
			end.Code = *body.Code
		}
		s.end(end)
		return over
	})
}

// lastWords writes the lines that were complete only when the recorded process
// had ended: a last line without its newline is written behind its end.
func (s *Server) lastWords(p *play) {
	for i := p.next + 1; s.rows.wait(s.ctx, i); i++ {
		row, _ := s.rows.row(i)
		if row.Run != s.table.run || row.Kind == session.KindClosed || row.Kind == session.KindFailed {
			return
		}
		if row.Kind == session.KindStdout || row.Kind == session.KindStderr {
			s.write(p, row, nil)
		}
	}
}

// farewell plays what the recorded server did when its client had ended; nil if
// the recording does not tell.
func (s *Server) farewell() *play {
	end := s.first
	for end < s.rows.src.Len() || s.rows.wait(s.ctx, end) { // to the end of the run
		last, _ := s.rows.row(s.rows.src.Len() - 1)
		if last.Run == s.table.run {
			end = s.rows.src.Len()
			continue
		}
		end = s.endOfRun(end)
		break
	}
	for i := end - 1; i >= max(s.first, end-farewellWindow); i-- {
		row, _ := s.rows.row(i)
		if row.Kind == session.KindState && s.isStopping(row) {
			p := s.newPlay()
			p.from, p.next, p.past, p.alone, p.leaving, p.t = i, i+1, true, yes, true, row.T
			return p
		}
	}
	return nil
}

// endOfRun finds the first row that is not of the served process, by halves:
// the runs of rows do not fall.
func (s *Server) endOfRun(from int) int {
	low, high := from, s.rows.src.Len()
	for low < high {
		mid := (low + high) / 2
		if row, _ := s.rows.row(mid); row.Run > s.table.run {
			high = mid
		} else {
			low = mid + 1
		}
	}
	return low
}

// tellUnanswered tells that a request stays without an answer, as it did when it
// was recorded.
func (s *Server) tellUnanswered(p *play) {
	row, _ := s.rows.row(p.from)
	method := s.rows.method(row)
	if method == methodListen || s.opts.Exact { // where it is what is wanted
		return
	}
	text := fmt.Sprintf("%s is not answered: it was not when it was recorded", method)
	if row.State == session.ReqCancelled {
		text = fmt.Sprintf("%s is not answered: it was cancelled when it was recorded", method)
	}
	s.opts.Tell(text)
}
