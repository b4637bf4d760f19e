package rule

import (
	"fmt"
	"slices"
	"strings"

	"mcpdbg/framing"
	"mcpdbg/internal/wording"
	"mcpdbg/session"
	"mcpdbg/session/diagnosis"
	"mcpdbg/session/diagnosis/message"
	"mcpdbg/session/executor"
	"mcpdbg/session/mcp"
)

const (
	// Times of PRC01 and PRC05 in microseconds: those of the shutdown sequence.
	lingers     = 2_000_000
	lingersLong = 5_000_000
	// outlivedAfter is how long after the exit bytes from the pipe may still arrive;
	// heldAfter is how long the streams may stay open.
	outlivedAfter = 100_000
	heldAfter     = 1_000_000
	// exitGrace is how long after an exit the entry of the step that caused it may
	// follow; stepSlack is how much the times of the two may differ.
	exitGrace = 1_000_000
	stepSlack = 50_000
	// bufferedFor is the minimum time between the first request and the end of stdin
	// for a response to count as buffered. The response must come within flushes
	// after it, and within 1/flushesWithin of that time: a server that is only slow
	// rarely responds so soon.
	bufferedFor   = 500_000
	flushes       = 500_000
	flushesWithin = 20
	slowAnswer    = 5_000_000
)

// processRun is the lifecycle of one process.
type processRun struct {
	firstReq  *message.Place // the first request to the server
	probed    bool           // it was a probe, and no other request followed
	answers   int
	waitedAt  int64         // time of the first response that was still pending
	eof       message.Place // where stdin was closed
	eofAt     int64
	lossy     bool  // output was lost, which may contain responses
	eofSlack  int64 // how much earlier it may have been
	pid       int
	clues     session.EndClues // what may have ended it
	signalled bool             // INT, TERM or KILL was sent before the exit
	termAt    int64            // when TERM was sent

	exit     message.Place
	exitedAt int64
	how      session.ExitedBody
	known    bool // the cause of the exit is in the log by now
	over     bool // the streams have ended
	lost     bool // the connection was lost: exit status unknown

	lingered, ignored, outlived bool // reported
	judged, settled             bool // the exit; the requests it left
}

// happened checks an entry that carries no stream bytes. It ignores a body that
// does not decode.
func (l *Checker) happened(at message.Place, row session.Row, e *session.Entry) {
	switch row.Kind {
	case session.KindStart:
		l.endRun()
		var b session.StartBody
		known := e.DecodeBody(&b) == nil
		l.past.Start(b.Argv)
		l.noteGaps()
		l.earlier = l.earlier.plus(l.run.contents)
		l.run.start(l, row, true)
		if known {
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
			l.written = b.Act == session.ActRaw
		}
	case session.KindWrite:
		var b session.WriteBody
		if e.DecodeBody(&b) == nil && !l.wasAnswer(at, b.Of) {
			l.run.ids.drop(b.Of)
			l.run.lifecycle.Lost()
		}
	case session.KindGap:
		var b session.GapBody
		if e.DecodeBody(&b) == nil {
			l.lostOutput(at, b)
		}
	case session.KindNote:
		var b session.NoteBody
		if e.DecodeBody(&b) == nil {
			l.noted(at, b)
		}
	case session.KindExited:
		var b session.ExitedBody
		if e.DecodeBody(&b) == nil {
			l.exited(at, b)
		}
	case session.KindClosed:
		l.run.stdout.stopJoining()
		l.run.process.over = true
		l.settleProcess()
	case session.KindFailed:
		l.run.stdout.stopJoining()
		l.run.process.over, l.run.process.lost = true, true
		l.settleProcess()
	case session.KindEnd:
		l.endRun()
	}
}

// wasAnswer reports whether entry n is a response of ours. In a flood thousands of
// those may fail to be written.
func (l *Checker) wasAnswer(at message.Place, n uint64) bool {
	if at.N != uint64(at.Row)+1 || n == 0 || n > at.N {
		return false // the log has gaps
	}
	row, ok := session.RowAt(l.src, int(n)-1)
	return ok && (row.Msg == framing.Response || row.Msg == framing.ErrorResponse)
}

// noted handles a note that says something about the server.
func (l *Checker) noted(at message.Place, b session.NoteBody) {
	switch b.Code {
	case executor.NoticeLeftover:
		l.run.process.outlived = true // not reported: others have the streams too
	case session.NoteStartAgain:
		l.run.replaced = l.run.replaced || l.run.process.exitedAt == never
	case session.NoteUnset:
		l.report(prc10, at, b.Text)
	}
}

func (l *Checker) stateChanged(at message.Place, b session.StateBody) {
	switch {
	case b.State == session.ReqTimedOut.String() && b.ID != nil:
		l.timedOut(l.run.ids.key(false, b.ID))
	case b.State == string(session.Stopping) && l.run.process.exitedAt == never:
		l.run.process.clues.State(b, at.T)
		l.run.process.stdinClosed(at, at.T, 0)
	}
}

func (p *processRun) acted(at message.Place, b session.ActBody) {
	p.clues.Act(b, p.pid, at.T)
	if b.Act == executor.StepCloseStdin.String() {
		p.stdinClosed(at, at.T, 0)
	}
}

// lostOutput notes output that is not in the log. Missing responses and truncated
// lines around it are not the server's fault.
func (l *Checker) lostOutput(at message.Place, b session.GapBody) {
	l.run.lifecycle.Lost()
	if len(b.Streams) > 0 && !slices.Contains(b.Streams, executor.Stdout.String()) {
		return
	}
	l.missed(at)
}

// missed notes that messages before an entry are not in the log.
func (l *Checker) missed(at message.Place) {
	l.run.process.lossy = true
	l.run.ids.forgive(at.T)
	l.run.stdout.gap()
}

// numbered looks for missing parts of the recording: the number of an entry after the end
// of a part. Requests and responses may be in them.
func (l *Checker) numbered(at message.Place, kind session.Kind) {
	if l.parted > 0 && at.N > l.parted+1 {
		l.run.lifecycle.Lost()
		l.missed(at)
		l.run.ids.overflow = true
	}
	l.parted = 0
	if kind == session.KindPart {
		l.parted = at.N
	}
}

// stdinClosed notes when stdin was first closed.
func (p *processRun) stdinClosed(at message.Place, t, slack int64) {
	if t < p.eofAt {
		p.eof, p.eofAt, p.eofSlack = at, t, slack
	}
}

// stepTaken handles a step of the shutdown sequence. Its entry follows the wait
// after it, often later than the exit that it caused.
func (l *Checker) stepTaken(at message.Place, b session.PhaseBody) {
	p := &l.run.process
	p.clues.Phase(b, at.T)
	if b.Error != "" { // a failed step says nothing about the server
		return
	}
	begin := at.T - b.Took
	before := p.exitedAt == never || begin <= p.exitedAt+stepSlack
	switch b.Phase {
	case executor.StepCloseStdin.String():
		if before {
			p.stdinClosed(at, begin, stepSlack)
		}
		if p.exitedAt == never && b.Took >= lingers {
			l.lingers(at, diagnosis.Warning, b.Took)
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

func (l *Checker) lingers(at message.Place, severity diagnosis.Severity, after int64) {
	if p := &l.run.process; !p.lingered {
		p.lingered = true
		l.reportAs(prc01, severity, at, fmt.Sprintf("still running %.1f s after stdin was closed", float64(after)/1e6))
	}
}

func (l *Checker) ignoresTerm(at message.Place) {
	if p := &l.run.process; !p.ignored {
		p.ignored = true
		l.report(prc05, at, "still running 2 s after SIGTERM")
	}
}

func (l *Checker) exited(at message.Place, b session.ExitedBody) {
	p := &l.run.process
	if p.exitedAt != never {
		return
	}
	p.exit, p.exitedAt, p.how = at, at.T, b
	exit := b.Exit()
	if why := session.EndUnknown(&exit); why != "" {
		l.found.unknownEnd(wording.Clip([]byte(why), maxWords, wording.Ellipsis))
	}
	switch executor.ParseEndedBy(b.By) {
	case executor.EndedUnknown, executor.EndedByShutdown, executor.EndedByPerson, executor.EndedByClient: // the entries of the steps follow
	default:
		p.known = true
		defer l.settleProcess()
	}
	if after := at.T - p.eofAt; p.eofAt != never && after >= lingers && !p.signalled {
		severity := diagnosis.Warning
		if after >= lingersLong {
			severity = diagnosis.Error
		}
		l.lingers(at, severity, after)
	}
}

func (l *Checker) outlived(at message.Place) {
	p := &l.run.process
	if p.exitedAt == never || p.outlived || at.Seq <= p.exit.Seq || at.T-p.exitedAt < outlivedAfter {
		return
	}
	p.outlived = true
	l.report(prc06, at, fmt.Sprintf("output %.1f s after the server's exit", float64(at.T-p.exitedAt)/1e6))
}

// ended reports whether the process has exited, or nothing more can come from it.
func (p *processRun) ended() bool { return p.exitedAt != never || p.over }

// due returns when the next grace period is over.
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
func (l *Checker) processDue() {
	p := &l.run.process
	if p.exitedAt == never {
		l.lingers(p.eof, diagnosis.Error, lingersLong)
		return
	}
	if !p.known {
		p.known = true
		l.settleProcess()
	}
	if !p.over && !p.outlived && l.now >= p.exitedAt+heldAfter {
		p.outlived = true
		l.report(prc06, p.exit, "streams still open 1 s after the server's exit")
	}
}

// endProcess settles a process from which nothing more can come.
func (l *Checker) endProcess() {
	p := &l.run.process
	if p.exitedAt != never {
		p.known, p.over = true, true
		l.settleProcess()
	}
}

// settleProcess judges the exit once its cause is known, and the unanswered
// requests once the last bytes have arrived too.
func (l *Checker) settleProcess() {
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

// judgeExit checks how the process ended. If the guard or the watchdog ended it,
// that is not a problem of the server.
func (l *Checker) judgeExit(by executor.EndedBy) {
	p := &l.run.process
	failed := p.how.Signal != "" || p.how.Code != nil && *p.how.Code != 0
	switch {
	case !failed:
	case by == executor.EndedByServer, by == executor.EndedBySignal:
		l.reportAs(prc03, p.unlessProbed(prc03.Severity), p.exit, p.describeExit(by)+l.lastWords())
	case requested(by) && p.how.Signal == "" && !p.signalled:
		l.report(prc02, p.exit, p.describeExit(by))
	}
}

// requested reports whether the server ended because it was asked to.
func requested(by executor.EndedBy) bool {
	return by == executor.EndedByShutdown || by == executor.EndedByPerson || by == executor.EndedByClient
}

// unlessProbed lowers the severity of an exit after a probe without a response. A
// server from before 2026 may exit on an unknown request, and work when it is
// initialized: that only affects clients that probe.
func (p *processRun) unlessProbed(s diagnosis.Severity) diagnosis.Severity {
	if p.probed && p.answers == 0 && p.how.Signal == "" {
		return min(s, diagnosis.Warning)
	}
	return s
}

// dropped checks the requests that the exit left unanswered: PRC08 if the server
// exited because stdin was closed, PRC04 if it exited by itself. Requests that wait
// long by design are pending at most exits.
func (l *Checker) dropped(by executor.EndedBy) {
	p := &l.run.process
	left := slices.DeleteFunc(l.run.ids.unanswered(), func(r *request) bool {
		return r.handshake && l.run.knownModern() || mcp.WaitsLong(r.sent.Method)
	})
	if requested(by) { // late ones were already reported
		left = slices.DeleteFunc(left, func(r *request) bool { return r.late })
	}
	if len(left) == 0 || p.signalled {
		return
	}
	detail := fmt.Sprintf("%s, first: %s in entry %d", wording.Plural(len(left), "request"), excerpt([]byte(left[0].sent.Method)), left[0].sent.At.N)
	switch {
	case requested(by) && p.eofAt <= p.exitedAt+stepSlack:
		l.report(prc08, p.exit, detail)
	case by == executor.EndedByServer:
		l.reportAs(prc04, p.unlessProbed(prc04.Severity), p.exit, detail)
		for _, r := range left {
			if !r.late {
				l.reportAs(rpc19, p.unlessProbed(diagnosis.Error), r.sent.At, fmt.Sprintf("%s: the server exited: %s", excerpt([]byte(r.sent.Method)), p.describeExit(by)))
			}
		}
	}
}

// buffered checks for responses that came only when stdin was closed. A pending
// response that came before may be the reason why stdin was closed.
func (l *Checker) buffered() {
	p, out := &l.run.process, &l.run.stdout
	if p.eofAt == never || p.answers == 0 || p.firstReq == nil || p.lossy {
		return
	}
	wait, after := p.eofAt-p.firstReq.T, out.firstAt-p.eofAt
	if p.waitedAt <= p.eofAt || wait < bufferedFor || after < -p.eofSlack || after > min(flushes, wait/flushesWithin) {
		return
	}
	l.report(prc07, *p.firstReq, fmt.Sprintf("no response for %.1f s, then all of them (%d) when stdin was closed", float64(wait)/1e6, p.answers))
}

func (p *processRun) sentRequest(m *message.Message) {
	if m.FromServer {
		return
	}
	p.probed = p.firstReq == nil && string(m.Of(m.Method)) == mcp.MethodDiscover
	if p.firstReq == nil {
		at := m.At
		p.firstReq = &at
	}
}

// answered notes a response of the server, and whether it was still pending.
func (l *Checker) answered(m *message.Message, pending bool) {
	p := &l.run.process
	if pending {
		p.waitedAt = min(p.waitedAt, m.At.T)
	}
	if p.answers++; p.answers > 1 || p.firstReq == nil || p.lossy {
		return
	}
	if took := m.At.T - p.firstReq.T; took > slowAnswer {
		l.report(prc09, m.At, fmt.Sprintf("%.1f s after the first request", float64(took)/1e6))
	}
}

// describeExit describes how the process ended, and what ended it.
func (p *processRun) describeExit(by executor.EndedBy) string {
	exit := p.how.Exit()
	exit.By, exit.Signal = by, excerpt([]byte(exit.Signal))
	return session.DescribeEnd(exit)
}

// maxWords is how many bytes of a last stderr line are quoted: more than of other texts,
// since the reason often comes after a path or a time.
const maxWords = 1 << 10

func (l *Checker) lastWords() string {
	var words []string
	for _, row := range l.run.stderr.tail {
		if row.Kind != session.KindStderr {
			continue
		}
		if e, err := l.src.Entry(row, 2*maxWords); err == nil {
			words = append(words, wording.Clip(e.Payload, maxWords, wording.Ellipsis))
		}
	}
	if len(words) == 0 {
		return ""
	}
	return "; stderr: " + strings.Join(words, " | ")
}
