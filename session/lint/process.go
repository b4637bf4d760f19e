package lint

import (
	"fmt"
	"slices"
	"strings"

	"mcpdbg/framing"
	"mcpdbg/session"
	"mcpdbg/session/executor"
	"mcpdbg/session/mcp"
)

const (
	// The times of PRC01, and that of PRC05: those of the shutdown ladder.
	lingers     = 2_000_000
	lingersLong = 5_000_000
	// outlivedAfter is how long after the exit bytes may come that were still in
	// the pipe; heldAfter is how long the streams may stay open.
	outlivedAfter = 100_000
	heldAfter     = 1_000_000
	// exitGrace is how long after an exit the entry may come that tells of the
	// step which caused it; stepSlack is what the times of the two may differ by.
	exitGrace = 1_000_000
	stepSlack = 50_000
	// bufferedFor is how long before the end of stdin a request has to have been
	// sent for its answer to have been held back; flushes is how soon after it the
	// answer has to come, and flushesWithin the same as a part of that wait. One
	// that is only slow may answer then too, but not often.
	bufferedFor   = 500_000
	flushes       = 500_000
	flushesWithin = 20
	slowAnswer    = 5_000_000
)

// processRun is what is known of the life of one process.
type processRun struct {
	firstAsk  *place // the first request to it
	probed    bool   // which was a probe, and there was no other one
	answers   int
	waitedAt  int64 // when the first answer came that was still waited for
	eof       place // where its stdin was closed
	eofAt     int64
	lossy     bool  // output is lost: answers may be in it
	eofSlack  int64 // by how much it may have been earlier
	pid       int
	clues     session.EndClues // who may have ended it
	signalled bool             // INT, TERM or KILL was sent before its exit
	termAt    int64            // when TERM was

	exit     place
	exitedAt int64
	how      session.ExitedBody
	known    bool // whatever caused the exit is in the log
	over     bool // its streams have ended
	lost     bool // it is not known how it ended

	lingered, ignored, outlived bool // found
	judged, settled             bool // the exit; what it left
}

// happened looks at an entry that carries no stream bytes. A body that does not
// decode says nothing.
func (l *Linter) happened(at place, row session.Row, e *session.Entry) {
	switch row.Kind {
	case session.KindStart:
		l.endRun()
		l.run.start(row)
		var b session.StartBody
		if e.DecodeBody(&b) == nil {
			l.run.process.pid = b.PID
		}
	case session.KindState:
		var b session.StateBody
		if e.DecodeBody(&b) == nil {
			l.stateChanged(at, b)
		}
	case session.KindPhase:
		var b session.PhaseBody
		if e.DecodeBody(&b) == nil {
			l.stepTaken(at, b)
		}
	case session.KindAct:
		var b session.ActBody
		if e.DecodeBody(&b) == nil {
			l.run.process.acted(at, b)
		}
	case session.KindWrite:
		var b session.WriteBody
		if e.DecodeBody(&b) == nil && !l.wasAnswer(at, b.Of) {
			l.run.ids.drop(b.Of)
		}
	case session.KindGap:
		var b session.GapBody
		if e.DecodeBody(&b) == nil {
			l.lostOutput(b)
		}
	case session.KindExited:
		var b session.ExitedBody
		if e.DecodeBody(&b) == nil {
			l.exited(at, b)
		}
	case session.KindClosed:
		l.stopJoining()
		l.run.process.over = true
		l.settleProcess()
	case session.KindFailed:
		l.stopJoining()
		l.run.process.over, l.run.process.lost = true, true
		l.settleProcess()
	case session.KindEnd:
		l.endRun()
	}
}

// wasAnswer reports whether entry n, in the same log as at, holds an answer. Of
// those a flood may fail to write thousands.
func (l *Linter) wasAnswer(at place, n uint64) bool {
	if at.n != uint64(at.row)+1 || n == 0 || n > at.n {
		return false // the log has holes
	}
	var row [1]session.Row
	return l.src.Rows(int(n)-1, row[:]) == 1 && (row[0].Msg == framing.Response || row[0].Msg == framing.ErrorResponse)
}

func (l *Linter) stateChanged(at place, b session.StateBody) {
	switch {
	case b.State == session.ReqTimedOut.String() && b.ID != nil:
		l.timedOut(newIDKey(false, b.ID))
	case b.State == string(session.Stopping) && l.run.process.exitedAt == never:
		l.run.process.clues.State(b, at.t)
		l.run.process.stdinClosed(at, at.t, 0)
	}
}

// acted looks at what a person did.
func (p *processRun) acted(at place, b session.ActBody) {
	p.clues.Act(b, p.pid, at.t)
	if b.Act == executor.StepCloseStdin.String() {
		p.stdinClosed(at, at.t, 0)
	}
}

// lostOutput notes output that is not in the log. No answer that is missing from
// then on is the server's fault, and neither are the lines that the loss has cut.
func (l *Linter) lostOutput(b session.GapBody) {
	if len(b.Streams) > 0 && !slices.Contains(b.Streams, executor.Stdout.String()) {
		return
	}
	l.run.process.lossy = true
	l.run.ids.forgive()
	l.run.stdout.gap()
}

// stdinClosed notes the first end of stdin.
func (p *processRun) stdinClosed(at place, t, slack int64) {
	if t < p.eofAt {
		p.eof, p.eofAt, p.eofSlack = at, t, slack
	}
}

// stepTaken looks at a step of an ending. Its entry comes when the wait after
// it is over, often behind the exit that it caused.
func (l *Linter) stepTaken(at place, b session.PhaseBody) {
	p := &l.run.process
	p.clues.Phase(b, at.t)
	if b.Error != "" { // it could not be taken, which says nothing of the server
		return
	}
	begin := at.t - b.Took
	before := p.exitedAt == never || begin <= p.exitedAt+stepSlack
	switch b.Phase {
	case executor.StepCloseStdin.String():
		if before {
			p.stdinClosed(at, begin, stepSlack)
		}
		if p.exitedAt == never && b.Took >= lingers {
			l.lingers(at, Warning, b.Took)
		}
	case executor.StepInterrupt.String():
		p.signalled = p.signalled || before
	case executor.StepTerm.String():
		if before && p.termAt == 0 {
			p.signalled, p.termAt = true, begin
		}
		if p.exitedAt == never && b.Took >= lingers {
			l.ignoresTerm(at)
		}
	case executor.StepKill.String():
		if before && p.termAt > 0 && begin-p.termAt >= lingers {
			l.ignoresTerm(at)
		}
		p.signalled = p.signalled || before
	default:
		return
	}
	if p.exitedAt != never {
		p.known = true
		l.settleProcess()
	}
}

func (l *Linter) lingers(at place, severity Severity, after int64) {
	if p := &l.run.process; !p.lingered {
		p.lingered = true
		l.reportAs(prc01, severity, at, fmt.Sprintf("still running %.1f s after the end of stdin", float64(after)/1e6))
	}
}

func (l *Linter) ignoresTerm(at place) {
	if p := &l.run.process; !p.ignored {
		p.ignored = true
		l.report(prc05, at, "still running 2 s after SIGTERM")
	}
}

// exited looks at the leader's exit.
func (l *Linter) exited(at place, b session.ExitedBody) {
	p := &l.run.process
	if p.exitedAt != never {
		return
	}
	p.exit, p.exitedAt, p.how = at, at.t, b
	switch executor.ParseEndedBy(b.By) {
	case executor.EndedUnknown, executor.EndedByUs, executor.EndedByPerson: // the steps that were taken follow
	default:
		p.known = true
		defer l.settleProcess()
	}
	if after := at.t - p.eofAt; p.eofAt != never && after >= lingers && !p.signalled {
		severity := Warning
		if after >= lingersLong {
			severity = Error
		}
		l.lingers(at, severity, after)
	}
}

// outlived looks at output behind the exit.
func (l *Linter) outlived(at place) {
	p := &l.run.process
	if p.exitedAt == never || p.outlived || at.seq <= p.exit.seq || at.t-p.exitedAt < outlivedAfter {
		return
	}
	p.outlived = true
	l.report(prc06, at, fmt.Sprintf("output %.1f s after the server's exit", float64(at.t-p.exitedAt)/1e6))
}

// due is when the next grace is over.
func (p *processRun) due() int64 {
	t := int64(never)
	switch {
	case p.lost:
	case p.exitedAt == never && p.eofAt != never && !p.lingered && !p.signalled:
		t = p.eofAt + lingersLong
	case p.exitedAt != never && !p.known:
		t = p.exitedAt + exitGrace
	case p.exitedAt != never && !p.over && !p.outlived:
		t = p.exitedAt + heldAfter
	}
	return t
}

// processDue finds what is due by now.
func (l *Linter) processDue() {
	p := &l.run.process
	if p.exitedAt == never {
		l.lingers(p.eof, Error, lingersLong)
		return
	}
	if !p.known {
		p.known = true
		l.settleProcess()
	}
	if !p.over && !p.outlived && l.now >= p.exitedAt+heldAfter {
		p.outlived = true
		l.report(prc06, p.exit, "the server has exited, and its streams are still open after 1 s")
	}
}

// endProcess settles what is not settled: nothing more comes of the process.
func (l *Linter) endProcess() {
	p := &l.run.process
	if p.exitedAt != never {
		p.known, p.over = true, true
		l.settleProcess()
	}
}

// settleProcess judges an ending: the exit when its cause is known, what it left
// undone when the last bytes are there too.
func (l *Linter) settleProcess() {
	p := &l.run.process
	if p.lost || p.exitedAt == never || !p.known {
		return
	}
	by := p.clues.By(p.how, p.exitedAt)
	if !p.judged {
		p.judged = true
		l.judgeExit(by)
	}
	if p.over && !p.settled {
		p.settled = true
		l.dropped(by)
		l.buffered()
	}
}

// judgeExit judges how the leader ended. An end by the guard or the
// watchdog is not a problem of the server.
func (l *Linter) judgeExit(by executor.EndedBy) {
	p := &l.run.process
	failed := p.how.Signal != "" || p.how.Code != nil && *p.how.Code != 0
	switch {
	case !failed:
	case by == executor.EndedByServer, by == executor.EndedBySignal:
		l.reportAs(prc03, p.unlessProbed(prc03.Severity), p.exit, p.describeExit(by)+l.lastWords())
	case asked(by) && p.how.Signal == "" && !p.signalled:
		l.report(prc02, p.exit, p.describeExit(by))
	}
}

// asked reports whether the server ended as it was asked to.
func asked(by executor.EndedBy) bool {
	return by == executor.EndedByUs || by == executor.EndedByPerson
}

// unlessProbed is the severity of an end without an answer. A server of before
// 2026 may end itself when it is asked for what it does not know, and works when
// it is initialized: that is bad for clients which probe, and for no others.
func (p *processRun) unlessProbed(s Severity) Severity {
	if p.probed && p.answers == 0 && p.how.Signal == "" {
		return min(s, Warning)
	}
	return s
}

// dropped judges the requests that the exit left without an answer: PRC08 if the
// server ended because its stdin had, PRC04 if it ended by itself. Of any other end
// they are the victims.
func (l *Linter) dropped(by executor.EndedBy) {
	p := &l.run.process
	left := slices.DeleteFunc(l.run.ids.unanswered(), func(r request) bool { return r.shakes && mcp.IsModern(l.run.revision) })
	if asked(by) { // of those that are late it was found already
		left = slices.DeleteFunc(left, func(r request) bool { return r.late })
	}
	if len(left) == 0 || p.signalled {
		return
	}
	detail := fmt.Sprintf("%d, the first of them %s in entry %d", len(left), excerpt([]byte(left[0].method)), left[0].at.n)
	switch {
	case asked(by) && p.eofAt <= p.exitedAt+stepSlack:
		l.report(prc08, p.exit, detail)
	case by == executor.EndedByServer:
		l.reportAs(prc04, p.unlessProbed(prc04.Severity), p.exit, detail)
		for _, r := range left {
			if !r.late {
				l.reportAs(rpc19, p.unlessProbed(Error), r.at, fmt.Sprintf("%s: the server ended, %s", excerpt([]byte(r.method)), p.describeExit(by)))
			}
		}
	}
}

// buffered judges answers that came when stdin was closed, and not before. An
// answer that was waited for, and came before, may be what the end came from.
func (l *Linter) buffered() {
	p, out := &l.run.process, &l.run.stdout
	if p.eofAt == never || p.answers == 0 || p.firstAsk == nil || p.lossy {
		return
	}
	wait, after := p.eofAt-p.firstAsk.t, out.firstAt-p.eofAt
	if p.waitedAt <= p.eofAt || wait < bufferedFor || after < -p.eofSlack || after > min(flushes, wait/flushesWithin) {
		return
	}
	l.report(prc07, *p.firstAsk, fmt.Sprintf("nothing for %.1f s, and all answers at the end of stdin: %d", float64(wait)/1e6, p.answers))
}

// asked notes a request to the server.
func (p *processRun) asked(m *message) {
	if m.fromServer {
		return
	}
	p.probed = p.firstAsk == nil && string(m.of(m.Method)) == mcp.MethodDiscover
	if p.firstAsk == nil {
		at := m.at
		p.firstAsk = &at
	}
}

// answered notes an answer of the server, and whether it was still waited for.
func (l *Linter) answered(m *message, waited bool) {
	p := &l.run.process
	if waited {
		p.waitedAt = min(p.waitedAt, m.at.t)
	}
	if p.answers++; p.answers > 1 || p.firstAsk == nil || p.lossy {
		return
	}
	if took := m.at.t - p.firstAsk.t; took > slowAnswer {
		l.report(prc09, m.at, fmt.Sprintf("%.1f s after the first request", float64(took)/1e6))
	}
}

// describeExit returns how the process ended, and who ended it.
func (p *processRun) describeExit(by executor.EndedBy) string {
	exit := p.how.Exit()
	exit.By, exit.Signal = by, excerpt([]byte(exit.Signal))
	return session.DescribeEnd(exit)
}

// lastWords are the last lines on stderr.
func (l *Linter) lastWords() string {
	var words []string
	for _, row := range l.run.stderr.tail {
		if row.Kind != session.KindStderr {
			continue
		}
		if e, err := l.src.Entry(row, 2*maxDetail); err == nil {
			words = append(words, excerpt(e.Payload))
		}
	}
	if len(words) == 0 {
		return ""
	}
	return "; stderr: " + strings.Join(words, " | ")
}
