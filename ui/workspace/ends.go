package workspace

import (
	"sort"

	"mcpdbg/session"
	"mcpdbg/session/exchange"
	"mcpdbg/session/executor"
	"mcpdbg/session/tap"
)

// A ProcessEnd is the end of a process, and the start of the next one if there is one: one
// row of the calls.
type ProcessEnd struct {
	Row        int                 // of the exit, or of the loss of the connection
	PID        int                 // 0 if unknown
	By         executor.EndedBy    // the party that ended it
	Exit       session.ExitedBody  // unless Lost is set
	Lost       *session.FailedBody // the connection was lost, or the start failed
	Unanswered int                 // calls without a response
	closed     int                 // row of the end of its streams, which tells that,
	exitedBy   executor.EndedBy    // and until then the party
	Restart    *tap.Restarted      // that a tap did; nil without one, and until it has ended
	restarted  int                 // row of that note

	Next  exchange.Event // the start of the next process
	Ready exchange.Event // of that process
	// NextPID is 0 if unknown.
	NextPID int
}

// Asked reports whether a person, mcpdbg for them, or the client ended the process.
func (e *ProcessEnd) Asked() bool {
	return e.By == executor.EndedByPerson || e.By == executor.EndedByShutdown || e.By == executor.EndedByClient
}

// ended takes in an event of the life of a process.
func (x *Exchanges) ended(number uint32, row *session.Row) {
	p := x.Process()
	if p == nil {
		return
	}
	last := len(x.exits) - 1
	switch row.Kind {
	case session.KindExited:
		x.exits = append(x.exits, ProcessEnd{Row: int(number), PID: p.Start.PID, By: p.By(), exitedBy: p.By(), Exit: p.Exit})
	case session.KindFailed:
		loss := p.Loss
		x.exits = append(x.exits, ProcessEnd{Row: int(number), PID: p.Start.PID, Lost: &loss, Unanswered: x.lostCalls()})
	case session.KindClosed:
		if last >= 0 {
			end := &x.exits[last]
			end.Unanswered, end.By, end.closed = x.lostCalls(), p.By(), int(number)
			if end.Asked() {
				x.lostCall = 0
			}
		}
	case session.KindStart:
		if last >= 0 {
			x.exits[last].Next, x.exits[last].NextPID = p.Begun, p.Start.PID
		}
	case session.KindState:
		if last >= 0 && x.exits[last].Next.Seen && !x.exits[last].Ready.Seen {
			x.exits[last].Ready = p.Ready
		}
	}
}

// lostCalls returns how many calls the last event ended without a response.
func (x *Exchanges) lostCalls() (n int) {
	for _, lost := range x.Lost() {
		if lost.FromClient && !lost.Handshake && lost.State == session.ReqLost { // others were given up before
			n++
			x.Unanswered++
			x.lostCall = int(lost.Request.Row) + 1
		}
	}
	return n
}

// TakeLost returns the row of the last call that a crash or a lost connection left without
// a response since it was called last; ok is false if there is none.
func (w *Workspace) TakeLost() (number int, ok bool) {
	x := w.Whole.Index.Exchanges
	number, x.lostCall = x.lostCall-1, 0
	return number, number >= 0
}

// ProcessEnd returns the end of a process in a row.
func (x *Exchanges) ProcessEnd(number int) (ProcessEnd, bool) {
	i := sort.Search(len(x.exits), func(i int) bool { return x.exits[i].Row >= number })
	if i == len(x.exits) || x.exits[i].Row != number {
		return ProcessEnd{}, false
	}
	return x.exits[i], true
}

// endBefore returns the row of the end of a process that the start at a row follows.
func (x *Exchanges) endBefore(start int) (number int, ok bool) {
	i := sort.Search(len(x.exits), func(i int) bool { return x.exits[i].Row >= start }) - 1
	if i < 0 || x.exits[i].Next.Row != start {
		return 0, false
	}
	return x.exits[i].Row, true
}

// endsUpTo returns the ends as they were when the log had a number of rows.
func (x *Exchanges) endsUpTo(rows int) []ProcessEnd {
	n := sort.Search(len(x.exits), func(i int) bool { return x.exits[i].Row >= rows })
	cut := append([]ProcessEnd(nil), x.exits[:n]...)
	if n > 0 {
		last := &cut[n-1]
		if last.closed >= rows {
			last.Unanswered, last.closed, last.By = 0, 0, last.exitedBy
		}
		if last.Next.Row >= rows {
			last.Next, last.NextPID = exchange.Event{}, 0
		}
		if last.Ready.Row >= rows {
			last.Ready = exchange.Event{}
		}
		if last.restarted >= rows {
			last.Restart = nil
		}
	}
	return cut
}
