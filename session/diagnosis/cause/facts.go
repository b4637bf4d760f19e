package cause

import (
	"encoding/json"
	"slices"

	"mcpdbg/framing"
	"mcpdbg/session"
	"mcpdbg/session/diagnosis"
	"mcpdbg/session/exchange"
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

// facts are the facts about the process that was started last, derived from the
// log alone.
type facts struct {
	src    session.Source
	cursor *session.Cursor
	follow *exchange.Follower
	*exchange.Process
	last int64 // time of the last row
	read int   // number of entries read
	one  [1]session.Row
	ends []diagnosis.End // of earlier processes
	run
}

// run holds further facts, which a new start resets.
type run struct {
	ending ending

	first      exchange.Event // the first line on stdout
	latest     exchange.Event // the last one
	answered   int            // number of our requests answered
	answeredAt int64          // time of the last response
	orphans    tally
	noIDs      tally // errors with id null, after lines that are not malformed
	malformed  int   // lines sent that are not a message, or batches: each may be answered with id null
	twice      tally
	batches    tally
	stray      strays
	gap        tally
	gapBytes   uint64
	leftover   bool // startup files left processes that have the streams too
	survivors  exchange.Event
	left       session.ProcBody

	lost   [2][]request // ours and the server's that ended without a response
	words  ring         // the last stderr lines
	quoted quotes       // cache of lastWords
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
	f := facts{src: src, cursor: session.NewCursor(src), follow: exchange.NewFollower(src)}
	f.cursor.Limit = maxBody
	f.Process = f.follow.Process()
	return f
}

// add adds the current row of the cursor.
func (f *facts) add() {
	number, row := f.cursor.Row()
	f.last = row.T
	switch {
	case row.Kind == session.KindStdin && row.Flags&session.FlagPart != 0, row.Flags&session.FlagBatch != 0, !row.Kind.IsStream():
		f.read++ // by the follower
	}
	starts := f.starts(row)
	if starts {
		f.keepEnd()
	}
	steps, _ := f.follow.Add(f.cursor)
	if starts {
		f.run = run{}
		return
	}
	if !f.Begun.Seen {
		if !row.Kind.IsStream() {
			f.happened(number, row)
		}
		return // output of an earlier process
	}
	for _, x := range f.follow.Lost() {
		f.lose(x)
	}
	switch row.Kind {
	case session.KindStdin:
		if row.Msg == framing.NotJSON || row.Msg == framing.Other || row.Msg == framing.Batch {
			f.malformed++
		}
	case session.KindStdout:
		f.output(number, *row, steps)
	case session.KindStderr:
		f.words.add(number)
	default:
		f.happened(number, row)
	}
}

// starts reports whether a row begins the life of another process.
func (f *facts) starts(row *session.Row) bool {
	switch row.Kind {
	case session.KindStart:
		return true
	case session.KindState:
		b, ok := body[session.StateBody](f, row)
		return ok && b.Of == 0 && session.State(b.State) == session.Starting
	}
	return false
}

func (f *facts) output(number int, row session.Row, steps []exchange.Step) {
	f.latest = exchange.Event{Seen: true, Row: number, T: row.T}
	if !f.first.Seen {
		f.first = f.latest
	}
	touchesGap := f.stray.afterGap
	f.stray.afterGap = touchesGap && row.Flags&session.FlagPart != 0
	noise := row.Msg == framing.NotJSON || row.Msg == framing.Other
	if (noise || row.State == session.ReqUnread) && !touchesGap {
		f.stray.add(f, number, row)
	}
	switch row.Msg {
	case framing.NotJSON, framing.Other:
		return
	case framing.Batch:
		f.batches.add(number)
	}
	for _, s := range steps {
		switch s.Kind {
		case exchange.Answers:
			f.answered, f.answeredAt = f.answered+1, row.T
		case exchange.Duplicate:
			if !s.Reused {
				f.twice.add(number)
			}
		case exchange.Unmatched:
			f.unmatched(number, row)
		}
	}
	f.stray.interrupted()
}

// unmatched handles a response to no request.
func (f *facts) unmatched(number int, row session.Row) {
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

// happened handles an entry that carries no stream bytes.
func (f *facts) happened(number int, row *session.Row) {
	switch row.Kind {
	case session.KindPhase:
		if b, ok := body[session.PhaseBody](f, row); ok {
			f.ending.step(number, b, row.T)
		}
	case session.KindNote:
		b, ok := body[session.NoteBody](f, row)
		f.leftover = f.leftover || ok && b.Code == executor.NoticeLeftover
	case session.KindGap:
		if b, ok := body[session.GapBody](f, row); ok {
			f.lostBytes(number, b)
		}
	case session.KindProc:
		if b, ok := body[session.ProcBody](f, row); ok && b.Survivors && len(b.Tree) > 0 {
			f.survivors, f.left = exchange.Event{Seen: true, Row: number, T: row.T}, b
		}
	}
}

// lostBytes handles a gap. Lines truncated by it are not the server's fault.
func (f *facts) lostBytes(number int, b session.GapBody) {
	f.gap.add(number)
	f.gapBytes += b.Bytes
	if len(b.Streams) == 0 || slices.Contains(b.Streams, executor.Stdout.String()) {
		f.stray.gap()
	}
}

// by returns the party that ended the process. It is unknown while it runs.
func (w *view) by() executor.EndedBy {
	by := w.By()
	if w.Exit.By == "" && by == executor.EndedByServer && w.gaveUp() {
		return executor.EndedByShutdown
	}
	return by
}

// endedByItself reports whether the process has ended and neither we nor the
// guard or watchdog ended it. The end of a client of an engine does not count: the
// server may still run.
func (w *view) endedByItself() bool {
	switch w.by() {
	case executor.EndedByServer, executor.EndedBySignal:
		return true
	case executor.EndedUnknown:
		return w.Exit.Why == "" && w.unasked()
	}
	return false
}

// unreachable reports whether only the client of an engine is known to have ended, and
// we had not begun to end it.
func (w *view) unreachable() bool {
	return w.by() == executor.EndedUnknown && w.Exit.Why != "" && w.unasked()
}

func (w *view) unasked() bool { return w.Exited.Seen && !w.Clues.Begun(w.Exited.T) }

// gaveUp reports whether the handshake failed before the process ended, in which
// case we ended it.
func (w *view) gaveUp() bool {
	if w.Ready.Seen {
		return false
	}
	_, late := w.lateHandshake()
	return late || w.Handshake.Refused && w.Handshake.Initialize || w.wrongVersion()
}

// wrongVersion reports whether the server answered initialize with an unknown
// revision.
func (w *view) wrongVersion() bool {
	return w.Handshake.Revision != "" && !w.Ready.Seen && !mcp.IsLegacy(w.Handshake.Revision)
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

// body reads the body of the current entry, unless it is too long.
func body[B any](f *facts, row *session.Row) (b B, ok bool) {
	if row.Len > maxBody {
		return b, false
	}
	e, err := f.cursor.Entry()
	return b, err == nil && e.DecodeBody(&b) == nil
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
