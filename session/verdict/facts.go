package verdict

import (
	"encoding/json"
	"slices"

	"mcpdbg/framing"
	"mcpdbg/session"
	"mcpdbg/session/executor"
	"mcpdbg/session/mcp"
)

const (
	// maxBody is how large an entry may be that is read whole.
	maxBody = 1 << 20
	// lastWords is how many of the last stderr lines may be quoted: a stack trace
	// stands below the line that says what happened.
	lastWords = 64
)

// An event is a fact with its place in the log. The zero value is none.
type event struct {
	seen bool
	row  int
	t    int64
}

// facts are what is known of the process that was started last. They are made
// of the log alone.
type facts struct {
	src     session.Source
	last    int64 // time of the last row
	read    int   // entries, so far
	methods methods
	one     [1]session.Row
	run
}

// run are the facts that a new start forgets.
type run struct {
	state session.State

	failed   event // the start
	failure  session.StateBody
	begun    event // there is a process
	start    session.StartBody
	env      session.EnvBody
	readyAt  event
	exitedAt event
	exited   session.ExitedBody
	closedAt event
	lostAt   event // it is not known how it ended
	lost     session.FailedBody
	linkAt   event // the last change of the connection
	link     session.LinkBody

	ending  ending
	waiting event // bytes without a newline
	partial session.WaitingBody

	first      event  // the first line on stdout
	latest     event  // the last one
	answered   int    // of our requests
	answeredAt int64  // the last of them
	handshake  event  // the last answer to initialize or server/discover
	echo       event  // a request of the handshake that came back
	refused    bool   // the answer in handshake was an error
	version    string // the revision that the last answer to initialize names
	orphans    tally
	twice      tally
	batches    tally
	stray      strays
	gap        tally
	gapBytes   uint64
	survivors  event
	left       session.ProcBody

	asked  requests // ours
	asking requests // the server's
	words  ring     // the last lines of stderr
	quoted quotes   // of them, what was read last
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

// take takes the next row.
func (f *facts) take(number int, row session.Row) {
	f.last = row.T
	if row.Kind.IsStream() && !f.begun.seen {
		return // of no process
	}
	switch row.Kind {
	case session.KindStdin:
		if row.Msg == framing.Request || row.Flags&session.FlagBatch != 0 {
			f.asked.add(f, number, row)
		}
	case session.KindStdout:
		f.output(number, row)
	case session.KindStderr:
		f.words.add(number)
	default:
		f.happened(number, row)
	}
}

// output takes a line of stdout.
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
	switch row.Msg {
	case framing.NotJSON, framing.Other:
		if !touchesGap {
			f.stray.add(f, number, row)
		}
		return
	case framing.Batch:
		f.batches.add(number)
		if row.Pair > 0 || row.State == session.ReqOrphan {
			f.answer(number, row)
		}
	case framing.Request:
		f.asking.add(f, number, row)
		if !f.echo.seen && f.methods.shakesHands(f.src, row.Method) {
			f.echo = event{true, number, row.T}
		}
	case framing.Response, framing.ErrorResponse:
		f.answer(number, row)
	}
	f.stray.interrupted()
}

// completed forgets the bytes without a newline if a row brings it.
func (f *facts) completed(row session.Row) {
	if e, ok := f.entry(row, quoteBytes); !ok || e.EOL != framing.NoEOL {
		f.waiting = event{}
	}
}

func (f *facts) answer(number int, row session.Row) {
	switch row.State {
	case session.ReqOrphan:
		f.orphans.add(number)
	case session.ReqDuplicate:
		f.twice.add(number)
	default:
		f.answered, f.answeredAt = f.answered+1, row.T
		if f.methods.shakesHands(f.src, row.Method) {
			f.shookHands(number, row)
		}
	}
}

// shookHands takes an answer to a request of the handshake.
func (f *facts) shookHands(number int, row session.Row) {
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

// happened takes an entry that carries no stream bytes.
func (f *facts) happened(number int, row session.Row) {
	at := event{true, number, row.T}
	switch row.Kind {
	case session.KindState:
		if b, ok := body[session.StateBody](f, row); ok && b.Of == 0 {
			f.enter(b, at)
		}
	case session.KindStart:
		b, _ := body[session.StartBody](f, row)
		f.run = run{state: f.state, begun: at, start: b}
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

// lostBytes takes a gap. The lines that it cuts are not the server's fault.
func (f *facts) lostBytes(number int, b session.GapBody) {
	f.gap.add(number)
	f.gapBytes += b.Bytes
	if len(b.Streams) == 0 || slices.Contains(b.Streams, executor.Stdout.String()) {
		f.waiting = event{}
		f.stray.gap()
	}
}

// enter takes a state of the session. A start forgets what was before it.
func (f *facts) enter(b session.StateBody, at event) {
	switch state := session.State(b.State); state {
	case session.Starting:
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

// alive tells whether there is a process that has not ended, as far as we know.
func (w *view) alive() bool {
	return w.begun.seen && !w.exitedAt.seen && !w.over()
}

// over tells whether nothing comes from the process any more.
func (w *view) over() bool { return w.closedAt.seen || w.lostAt.seen }

// by is the party that ended the process. It is not known while the process runs.
func (w *view) by() executor.EndedBy {
	if !w.exitedAt.seen {
		return executor.EndedUnknown
	}
	by := w.ending.clues.By(w.exited, w.exitedAt.t)
	if w.exited.By == "" && by == executor.EndedByServer && w.gaveUp() {
		return executor.EndedByUs
	}
	return by
}

// endedByItself reports whether the process has ended, and neither we nor what
// guards it did that.
func (w *view) endedByItself() bool {
	switch w.by() {
	case executor.EndedByServer, executor.EndedBySignal:
		return true
	case executor.EndedUnknown:
		return w.exitedAt.seen && !w.ending.clues.Begun(w.exitedAt.t)
	}
	return false
}

// gaveUp tells whether the handshake ended without success before the process
// did: then it is ended by us.
func (w *view) gaveUp() bool {
	if w.readyAt.seen {
		return false
	}
	_, late := w.lateHandshake()
	return late || w.refused && w.initialized() || w.wrongVersion()
}

// wrongVersion tells whether the server answered initialize with a revision
// that there is none of.
func (w *view) wrongVersion() bool {
	return w.version != "" && !w.readyAt.seen && !mcp.IsLegacy(w.version)
}

// entry reads an entry: limit as for session.Source.
func (f *facts) entry(row session.Row, limit int) (session.Entry, bool) {
	if limit == 0 && row.Len > maxBody {
		return session.Entry{}, false
	}
	f.read++
	e, err := f.src.Entry(row, limit)
	return e, err == nil
}

// row reads a row; there is none before 0.
func (f *facts) row(number int) (session.Row, bool) {
	ok := number >= 0 && f.src.Rows(number, f.one[:]) == 1
	return f.one[0], ok
}

// line reads the beginning of the line of a row.
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
	added int // of all time
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

// methods remembers which method numbers are those of a handshake.
type methods struct {
	known     []bool
	handshake []bool
}

func (m *methods) shakesHands(src session.Source, id uint16) bool {
	for int(id) >= len(m.known) {
		m.known, m.handshake = append(m.known, false), append(m.handshake, false)
	}
	if !m.known[id] {
		name := src.Method(id)
		m.known[id], m.handshake[id] = true, name == mcp.MethodInitialize || name == mcp.MethodDiscover
	}
	return m.handshake[id]
}
