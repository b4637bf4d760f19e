package rule

import (
	"context"
	"math"
	"slices"

	"mcpdbg/session"
	"mcpdbg/session/diagnosis"
	"mcpdbg/session/diagnosis/message"
	"mcpdbg/session/diagnosis/rule/contents"
	"mcpdbg/session/diagnosis/rule/lifecycle"
	"mcpdbg/session/exchange"
)

const (
	// maxLine is the longest line whose contents are checked, in bytes of payload.
	maxLine = 1 << 20
	// maxStderr is how many bytes of a stderr line are checked.
	maxStderr = 64 << 10
	// farRows and farBytes are how far Advance must have to go for two goroutines to share
	// the work.
	farRows  = 4096
	farBytes = 16 << 20
)

// Check checks a log up to its current end, or until ctx ends.
func Check(ctx context.Context, src session.Source) *Checker {
	l := New(src)
	for more := true; more && ctx.Err() == nil; {
		more = l.Advance(ctx, math.MaxInt, math.MaxInt)
	}
	return l
}

// A Checker checks a log that may still grow. One goroutine at a time may call Advance
// and Tick; the other methods may be called from any.
type Checker struct {
	src    session.Source
	cursor *session.Cursor
	follow *exchange.Follower
	found  problems
	next   int // row

	run   run
	past  lifecycle.Past // earlier processes
	names names          // in requests
	row   session.Row
	steps steps
	msg   message.Message // of the row, reused
	// lenient is set for what has only problems of severity Info: a response to a probe, and
	// bytes that a person wrote, perhaps broken on purpose.
	lenient bool
	written bool      // the next message is such bytes
	earlier unchecked // of earlier processes
	parted  uint64    // number of the last entry if a part of the recording ends with it, else 0
	now     int64     // the latest time on the log's clock
	done    bool      // the log is complete and was checked to its end
}

// New returns a checker that starts at the first row of src.
func New(src session.Source) *Checker {
	l := &Checker{src: src, cursor: session.NewCursor(src), follow: exchange.NewFollower(src), names: make(names)}
	l.cursor.Limit = maxLine
	l.cursor.Test = func(e *session.Entry) bool { return !e.Cut && e.Msg.Valid() && certainlyStrict(e.Msg, e.Payload) }
	l.found.resultless = src.Header().Imported.LacksResults()
	l.run.start(l, session.Row{}, false)
	return l
}

// Advance checks up to maxRows new rows, until at least maxBytes of the log were
// read; a row counts for at most about maxLine bytes. It returns early when ctx
// ends. It reports whether there are more rows.
//
// Anything with a grace period (a multi-line message, an exit whose cause may
// follow, a pending response) is found when a later row, the end of a complete
// log, or Tick shows that the period is over.
func (l *Checker) Advance(ctx context.Context, maxRows, maxBytes int) (more bool) {
	defer l.noteGaps()
	if min(maxRows, l.src.Len()-l.next) >= farRows && maxBytes >= farBytes {
		l.cursor.Ahead()
		defer l.cursor.Settle()
	}
	for read := 0; maxRows > 0 && read < maxBytes; maxRows-- {
		if maxRows%64 == 0 && ctx.Err() != nil && l.next < l.src.Len() {
			return true
		}
		if !l.cursor.Next() && (!l.more() || !l.cursor.Next()) {
			return false
		}
		_, row := l.cursor.Row()
		l.look(l.next, *row)
		l.next++
		l.found.setCurrent(l.next)
		read += min(int(row.Len), maxLine)
	}
	l.found.looked(l.next)
	return l.more()
}

func (l *Checker) noteGaps() {
	l.found.noteGaps(l.run.limited(), l.earlier.plus(l.run.contents))
}

// unchecked counts skipped checks: schemas and values, and results of unknown tools.
type unchecked struct{ skipped, unlisted int }

func (u unchecked) plus(c *contents.Checker) unchecked {
	return unchecked{u.skipped + c.Skipped(), u.unlisted + c.Unlisted()}
}

// more reports whether there are rows that are not checked. If there are none, it ends a
// complete log.
func (l *Checker) more() bool {
	state := l.src.Stats().Recording // before the rows, so that none can be added in between
	l.found.looked(l.next)
	if l.next < l.src.Len() {
		return true
	}
	if state.Complete() && !l.done {
		l.done = true
		l.found.end()
		l.endRun()
	}
	return false
}

// Tick sets the current time, in microseconds on the log's clock, and finds what is
// due without waiting for another row. A recording needs no Tick.
func (l *Checker) Tick(now int64) {
	if l.next == l.src.Len() { // otherwise an unchecked row may contain what is due
		l.now = max(l.now, now)
		l.elapse()
	}
}

// Due returns the next time on the log's clock at which Tick may find something. It
// is not ok if nothing is pending. Only the goroutine that calls Advance may call it.
func (l *Checker) Due() (t int64, ok bool) {
	t = l.run.due()
	return t, t < never
}

// Problems returns the problems so far, in the order in which they were found. The
// list only grows, and only Count of its elements changes.
func (l *Checker) Problems() []diagnosis.Problem {
	l.found.mu.Lock()
	defer l.found.mu.Unlock()
	return slices.Clone(l.found.all)
}

// Counts returns the number of problems by severity.
func (l *Checker) Counts() (errors, warnings, infos int) {
	l.found.mu.Lock()
	defer l.found.mu.Unlock()
	c := l.found.counts
	return c[diagnosis.Error], c[diagnosis.Warning], c[diagnosis.Info]
}

// Count returns the number of problems so far.
func (l *Checker) Count() diagnosis.Count {
	errors, warnings, infos := l.Counts()
	return diagnosis.Count{Errors: errors, Warnings: warnings, Remarks: infos}
}

// Progress returns how many rows were checked, and how many of them could not be
// read.
func (l *Checker) Progress() (rows, unread int) {
	l.found.mu.Lock()
	defer l.found.mu.Unlock()
	return l.found.rows, l.found.unread
}

func (l *Checker) look(number int, row session.Row) {
	if row.T > l.now {
		l.now = row.T
		l.elapse()
	}
	l.steps, _ = l.follow.Add(l.cursor)
	e, err := l.cursor.Entry()
	if err != nil {
		l.found.countUnread()
		l.run.lifecycle.Lost()
		return
	}
	l.row = row
	defer func(before bool) { l.written = l.written && !before }(l.written)
	switch row.Kind { // other entries can come between a cut line and its gap
	case session.KindStdout, session.KindStart, session.KindClosed, session.KindFailed, session.KindEnd:
		l.run.stdout.judgeCut()
	}
	at := message.Place{Row: number, N: e.N, Seq: e.Seq, T: row.T, Run: row.Run}
	l.numbered(at, row.Kind)
	switch row.Kind {
	case session.KindStdin:
		l.lenient = l.written
		l.sent(at, e)
		l.lenient = false
	case session.KindStdout:
		l.run.stdout.received(at, row, e)
	case session.KindStderr:
		l.run.stderr.said(l, at, row, e)
	default:
		l.happened(at, row, e)
	}
}

// steps are those of the messages of a row that are not checked so far.
type steps []exchange.Step

// next returns the step of the next message. A message of several rows, and one behind a
// byte order mark, has none: the log does not know it.
func (s *steps) next() (step exchange.Step) {
	if len(*s) > 0 {
		step, *s = (*s)[0], (*s)[1:]
	}
	return step
}

func (l *Checker) report(rule *diagnosis.Rule, at message.Place, detail string) {
	l.reportAs(rule, rule.Severity, at, detail)
}

func (l *Checker) reportAs(rule *diagnosis.Rule, severity diagnosis.Severity, at message.Place, detail string) {
	l.reportIn(rule, severity, at, diagnosis.Location{}, detail)
}

func (l *Checker) reportIn(rule *diagnosis.Rule, severity diagnosis.Severity, at message.Place, where diagnosis.Location, detail string) {
	if l.run.otherEra(rule) {
		return
	}
	if l.lenient || l.run.replaced && slices.Contains(aboutReplaced, rule) {
		severity = diagnosis.Info
	}
	l.found.add(rule, severity, at, where, detail, l.run.process.ended())
}
