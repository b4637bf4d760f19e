package cause

import (
	"encoding/json"
	"slices"

	"mcpdbg/framing"
	"mcpdbg/session"
	"mcpdbg/session/diagnosis"
	"mcpdbg/session/executor"
	"mcpdbg/session/mcp"
)

const (
	// maxBody is the largest entry that is read whole, in bytes.
	maxBody = 1 << 20
	// lastWords is the number of stderr lines that are kept for quoting: the error
	// message may precede a long stack trace.
	lastWords = 64
	// maxOrphans is how many unmatched responses are read for a missing id.
	maxOrphans = 64
)

// An event is a position in the log. The zero value means that it has not occurred.
type event struct {
	seen bool
	row  int
	t    int64
}

// facts are the facts about the process that was started last, derived from the
// log alone.
type facts struct {
	src     session.Source
	last    int64 // time of the last row
	read    int   // number of entries read
	methods methods
	one     [1]session.Row
	ends    []diagnosis.End // of earlier processes
	attempt int             // number of processes that were ready and then replaced
	run
}

// run holds the facts that a new start resets.
type run struct {
	state session.State

	failed   event // failure of the start
	failure  session.StateBody
	begun    event // start of the process
	number   uint16
	start    session.StartBody
	env      session.EnvBody
	readyAt  event
	exitedAt event
	exited   session.ExitedBody
	closedAt event
	lostAt   event // connection lost: exit status unknown
	lost     session.FailedBody
	linkAt   event // the last change of the connection
	link     session.LinkBody

	ending  ending
	waiting event // bytes without a newline
	partial session.WaitingBody

	first      event  // the first line on stdout
	latest     event  // the last one
	answered   int    // number of our requests answered
	answeredAt int64  // time of the last response
	handshake  event  // the last response to initialize or server/discover
	echo       event  // a handshake request that was sent back
	refused    bool   // handshake is an error response
	version    string // revision in the last response to initialize
	orphans    tally
	noIDs      tally // errors with id null, after lines that are not malformed
	malformed  int   // lines sent that are not a message, or batches: each may be answered with id null
	twice      tally
	batches    tally
	stray      strays
	gap        tally
	gapBytes   uint64
	leftover   bool // startup files left processes that have the streams too
	survivors  event
	left       session.ProcBody

	asked  requests // ours
	asking requests // the server's
	words  ring     // the last stderr lines
	quoted quotes   // cache of lastWords
}

// A tally counts rows of a kind and keeps the first and the last.
type tally struct {
	n    int
	row  int
	last int
}

func (t *tally) add(row int) {
	if t.n == 0 {
		t.row = row
	}
	t.n, t.last = t.n+1, row
}

func newFacts(src session.Source) facts {
	return facts{src: src}
}

// take handles the next row.
func (f *facts) take(number int, row session.Row) {
	f.last = row.T
	if row.Kind.IsStream() && !f.begun.seen {
		return // not of a process
	}
	switch row.Kind {
	case session.KindStdin:
		if row.Msg == framing.Request || row.Flags&session.FlagBatch != 0 {
			f.asked.add(f, number, row)
		}
		if row.Msg == framing.NotJSON || row.Msg == framing.Other || row.Msg == framing.Batch {
			f.malformed++
		}
	case session.KindStdout:
		f.output(number, row)
	case session.KindStderr:
		f.words.add(number)
	default:
		f.happened(number, row)
	}
}

// output handles a line of stdout.
func (f *facts) output(number int, row session.Row) {
	f.latest = event{true, number, row.T}
	if !f.first.seen {
		f.first = f.latest
	}
	if f.waiting.seen {
		f.completed(row)
	}
	touchesGap := f.stray.afterGap
	f.stray.afterGap = touchesGap && row.Flags&session.FlagPart != 0
	if row.State == session.ReqUnread && !touchesGap {
		f.stray.add(f, number, row)
	}
	switch row.Msg {
	case framing.NotJSON, framing.Other:
		if !touchesGap {
			f.stray.add(f, number, row)
		}
		return
	case framing.Batch:
		f.batches.add(number)
		if row.Paired() || row.State == session.ReqUnmatched {
			f.answer(number, row)
		}
	case framing.Request:
		f.asking.add(f, number, row)
		if !f.echo.seen && f.methods.isHandshake(f.src, row.Method) {
			f.echo = event{true, number, row.T}
		}
	case framing.Response, framing.ErrorResponse:
		f.answer(number, row)
	}
	f.stray.interrupted()
}

// completed resets waiting if a row ends with the newline.
func (f *facts) completed(row session.Row) {
	if e, ok := f.entry(row, quoteBytes); !ok || e.EOL != framing.NoEOL {
		f.waiting = event{}
	}
}

func (f *facts) answer(number int, row session.Row) {
	switch row.State {
	case session.ReqUnmatched:
		noID, code := false, 0
		if f.malformed > 0 || f.orphans.n < maxOrphans {
			noID, code = f.hasNoID(row)
		}
		switch {
		case noID && f.malformed > 0:
			f.malformed--
		case noID && code == mcp.CodeParse:
			f.noIDs.add(number)
		default:
			f.orphans.add(number)
		}
	case session.ReqDuplicate:
		f.twice.add(number)
	default:
		f.answered, f.answeredAt = f.answered+1, row.T
		if f.methods.isHandshake(f.src, row.Method) {
			f.handshakeAnswer(number, row)
		}
	}
}

// hasNoID reports whether an error response has the id null, as for a request that the
// server could not read, and returns its code.
func (f *facts) hasNoID(row session.Row) (noID bool, code int) {
	e, ok := f.entry(row, 0)
	if !ok || e.Msg.Kind != framing.ErrorResponse || string(e.Msg.ID.Of(e.Payload)) != "null" {
		return false, 0
	}
	var failure session.RPCError
	if json.Unmarshal(e.Msg.Error.Of(e.Payload), &failure) != nil {
		return true, 0
	}
	return true, failure.Code
}

// handshakeAnswer handles a response to a handshake request.
func (f *facts) handshakeAnswer(number int, row session.Row) {
	f.handshake, f.refused, f.version = event{true, number, row.T}, row.Flags&session.FlagError != 0, ""
	if f.refused || f.src.Method(row.Method) != mcp.MethodInitialize {
		return
	}
	e, ok := f.entry(row, 0)
	var result struct {
		ProtocolVersion string `json:"protocolVersion"`
	}
	if ok && json.Unmarshal(e.Msg.Result.Of(e.Payload), &result) == nil {
		f.version = result.ProtocolVersion
	}
}

// happened handles an entry that carries no stream bytes.
func (f *facts) happened(number int, row session.Row) {
	at := event{true, number, row.T}
	switch row.Kind {
	case session.KindState:
		if b, ok := body[session.StateBody](f, row); ok && b.Of == 0 {
			f.enter(b, at)
		}
	case session.KindStart:
		b, _ := body[session.StartBody](f, row)
		f.keepEnd()
		f.run = run{state: f.state, begun: at, number: row.Run, start: b}
	case session.KindEnv:
		f.env, _ = body[session.EnvBody](f, row)
	case session.KindPhase:
		if b, ok := body[session.PhaseBody](f, row); ok {
			f.ending.step(number, b, row.T)
		}
	case session.KindAct:
		if b, ok := body[session.ActBody](f, row); ok {
			f.ending.clues.Act(b, f.start.PID, row.T)
		}
	case session.KindNote:
		b, ok := body[session.NoteBody](f, row)
		f.leftover = f.leftover || ok && b.Code == executor.NoticeLeftover
	case session.KindWaiting:
		if b, ok := body[session.WaitingBody](f, row); ok {
			f.waiting, f.partial = at, b
		}
	case session.KindExited:
		f.exitedAt = at
		f.exited, _ = body[session.ExitedBody](f, row)
	case session.KindClosed:
		f.closedAt = at
	case session.KindFailed:
		f.lostAt = at
		f.lost, _ = body[session.FailedBody](f, row)
	case session.KindLink:
		if b, ok := body[session.LinkBody](f, row); ok {
			f.linkAt, f.link = at, b
		}
	case session.KindGap:
		if b, ok := body[session.GapBody](f, row); ok {
			f.lostBytes(number, b)
		}
	case session.KindProc:
		if b, ok := body[session.ProcBody](f, row); ok && b.Survivors && len(b.Tree) > 0 {
			f.survivors, f.left = at, b
		}
	}
}

// lostBytes handles a gap. Lines truncated by it are not the server's fault.
func (f *facts) lostBytes(number int, b session.GapBody) {
	f.gap.add(number)
	f.gapBytes += b.Bytes
	if len(b.Streams) == 0 || slices.Contains(b.Streams, executor.Stdout.String()) {
		f.waiting = event{}
		f.stray.gap()
	}
}

// enter handles a session state. A start resets the facts.
func (f *facts) enter(b session.StateBody, at event) {
	switch state := session.State(b.State); state {
	case session.Starting:
		f.keepEnd()
		f.run = run{state: state}
	case session.Ready:
		f.readyAt = at
	case session.Stopping:
		f.ending.clues.State(b, at.t)
	case session.Failed:
		if !f.lostAt.seen {
			f.failed, f.failure = at, b
		}
	}
	f.state = session.State(b.State)
}

// alive reports whether a process is running, as far as we know.
func (w *view) alive() bool {
	return w.begun.seen && !w.exitedAt.seen && !w.over()
}

// over reports whether no more output can come from the process.
func (w *view) over() bool { return w.closedAt.seen || w.lostAt.seen }

// by returns the party that ended the process. It is unknown while it runs.
func (w *view) by() executor.EndedBy {
	if !w.exitedAt.seen {
		return executor.EndedUnknown
	}
	by := w.ending.clues.By(w.exited, w.exitedAt.t)
	if w.exited.By == "" && by == executor.EndedByServer && w.gaveUp() {
		return executor.EndedByShutdown
	}
	return by
}

// endedByItself reports whether the process has ended and neither we nor the
// guard or watchdog ended it.
func (w *view) endedByItself() bool {
	switch w.by() {
	case executor.EndedByServer, executor.EndedBySignal:
		return true
	case executor.EndedUnknown:
		return w.exitedAt.seen && !w.ending.clues.Begun(w.exitedAt.t)
	}
	return false
}

// gaveUp reports whether the handshake failed before the process ended, in which
// case we ended it.
func (w *view) gaveUp() bool {
	if w.readyAt.seen {
		return false
	}
	_, late := w.lateHandshake()
	return late || w.refused && w.initialized() || w.wrongVersion()
}

// wrongVersion reports whether the server answered initialize with an unknown
// revision.
func (w *view) wrongVersion() bool {
	return w.version != "" && !w.readyAt.seen && !mcp.IsLegacy(w.version)
}

// entry reads an entry; limit is as for session.Source.
func (f *facts) entry(row session.Row, limit int) (session.Entry, bool) {
	if limit == 0 && row.Len > maxBody {
		return session.Entry{}, false
	}
	f.read++
	e, err := f.src.Entry(row, limit)
	return e, err == nil
}

// row reads a row. It is not ok if number is negative or past the end.
func (f *facts) row(number int) (session.Row, bool) {
	ok := number >= 0 && f.src.Rows(number, f.one[:]) == 1
	return f.one[0], ok
}

// line reads the beginning of a row's line.
func (f *facts) line(number int) string {
	row, ok := f.row(number)
	if !ok {
		return ""
	}
	e, ok := f.entry(row, quoteBytes)
	if !ok {
		return ""
	}
	if e.Cut {
		e.Payload = cutRune(e.Payload)
	}
	return string(e.Payload)
}

// body reads the body of an event.
func body[B any](f *facts, row session.Row) (b B, ok bool) {
	e, ok := f.entry(row, 0)
	return b, ok && e.DecodeBody(&b) == nil
}

// ring keeps the numbers of the last rows added.
type ring struct {
	rows  []int
	next  int
	added int // in total
}

func (r *ring) add(row int) {
	r.added++
	if len(r.rows) < lastWords {
		r.rows = append(r.rows, row)
		return
	}
	r.rows[r.next] = row
	r.next = (r.next + 1) % lastWords
}

// all returns the rows, oldest first.
func (r *ring) all() []int {
	return append(slices.Clone(r.rows[r.next:]), r.rows[:r.next]...)
}

// methods caches which method numbers belong to the handshake.
type methods struct {
	known     []bool
	handshake []bool
}

func (m *methods) isHandshake(src session.Source, id uint16) bool {
	for int(id) >= len(m.known) {
		m.known, m.handshake = append(m.known, false), append(m.handshake, false)
	}
	if !m.known[id] {
		name := src.Method(id)
		m.known[id], m.handshake[id] = true, name == mcp.MethodInitialize || name == mcp.MethodDiscover
	}
	return m.handshake[id]
}
