package mock

import (
	"fmt"

	"mcpdbg/session"
	"mcpdbg/session/mcp"
)

// farewellWindow is how many rows before the end of a process are searched for the time
// when its client began to stop it.
const farewellWindow = 4096

// Only with Exact the recorded exit ends the mock.
func (p *play) exitRow(row session.Row) move {
	if !p.server.opts.Exact {
		return onward
	}
	return p.writeOwned(row, p.owns(), func(row session.Row) move {
		e, err := p.server.rows.look(row)
		var body session.ExitedBody
		if err != nil || e.DecodeBody(&body) != nil {
			p.server.unreadable(row, err)
			return over
		}
		p.lastWords()
		end := Ending{Signal: body.Signal}
		if body.Code != nil {
			end.Code = *body.Code
		}
		p.server.end(end)
		return over
	})
}

// lastWords writes the lines that were recorded after the exit, such as a last line
// without a newline.
func (p *play) lastWords() {
	for i := p.next + 1; p.server.rows.wait(p.server.ctx, i); i++ {
		row, _ := p.server.rows.row(i)
		if row.Run != p.server.table.run || row.Kind == session.KindClosed || row.Kind == session.KindFailed {
			return
		}
		if row.Kind == session.KindStdout || row.Kind == session.KindStderr {
			p.write(row, nil)
		}
	}
}

// farewell returns a play of the recorded server's output after its client had ended, or
// nil.
func (s *Server) farewell() *play {
	end := s.first
	for end < s.rows.src.Len() || s.rows.wait(s.ctx, end) { // to the end of the run
		last, _ := s.rows.row(s.rows.src.Len() - 1)
		if last.Run == s.table.run {
			end = s.rows.src.Len()
			continue
		}
		end = s.table.endOfRun(end)
		break
	}
	for i := end - 1; i >= max(s.first, end-farewellWindow); i-- {
		row, _ := s.rows.row(i)
		if row.Kind == session.KindState && s.rows.enters(row, session.Stopping) {
			p := s.newPlay()
			p.from, p.next, p.past, p.alone, p.leaving, p.t = i, i+1, true, yes, true, row.T
			return p
		}
	}
	return nil
}

// endOfRun searches in binary: the run numbers of rows do not decrease.
func (t *table) endOfRun(from int) int {
	low, high := from, t.rows.src.Len()
	for low < high {
		mid := (low + high) / 2
		if row, _ := t.rows.row(mid); row.Run > t.run {
			high = mid
		} else {
			low = mid + 1
		}
	}
	return low
}

func (p *play) reportUnanswered() {
	row, _ := p.server.rows.row(p.from)
	method := p.server.rows.method(row)
	if method == mcp.MethodListen || p.server.opts.Exact { // which is intended then
		return
	}
	text := fmt.Sprintf("%s is not answered: no response was recorded", method)
	if row.State == session.ReqCancelled {
		text = fmt.Sprintf("%s is not answered: it was cancelled in the recording", method)
	}
	p.server.opts.Warn(text)
}
