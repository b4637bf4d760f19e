package lint

import (
	"context"
	"math"
	"slices"

	"mcpdbg/session"
)

const (
	// MaxLine is the longest line, in bytes of its payload, that is looked into.
	MaxLine = 1 << 20
	// maxStderr is how many bytes of a stderr line are looked at.
	maxStderr = 64 << 10
	// usualLine is how long lines are for which no memory is taken each.
	usualLine = 32 << 10
	// rowsAtOnce is how many rows are fetched from the source at once.
	rowsAtOnce = 512
)

// Check returns what is wrong with a whole log.
func Check(src session.Source) []Finding {
	l := New(src)
	for l.Advance(context.Background(), math.MaxInt, math.MaxInt) {
	}
	return l.Findings()
}

// A Linter looks at a log that may still grow. One goroutine at a time calls
// Advance and Tick; the other methods may be called from any.
type Linter struct {
	src   session.Source
	lines session.IntoReader // of src
	buf   []byte             // for the entry that is looked at
	found findings
	next  int // row
	rows  []session.Row
	fresh []session.Row // of rows, not looked at yet

	run run
	row session.Row // that is looked at
	// lenient says that the line answers a probe: nothing in it is a fault.
	lenient bool
	now     int64 // the latest time on the log's clock
	done    bool  // nothing can be added to the log, and all of it was looked at
}

// New returns a linter that has looked at nothing yet.
func New(src session.Source) *Linter {
	l := &Linter{src: src, lines: session.InOrder(src), rows: make([]session.Row, rowsAtOnce)}
	l.run.start(session.Row{})
	return l
}

// Advance looks at rows that it has not looked at, at most maxRows of them, and
// until at least maxBytes of the log's bytes were read; of one row at most about
// MaxLine are. It returns early when ctx ends. It tells whether there is more to
// look at.
//
// What waits for a grace period (a message over several lines, an exit whose
// cause may follow, an answer that is due) is found when a later row, the end of
// a log that is complete, or Tick shows that the time is over.
func (l *Linter) Advance(ctx context.Context, maxRows, maxBytes int) (more bool) {
	for read := 0; maxRows > 0 && read < maxBytes; maxRows-- {
		if len(l.fresh) == 0 && !l.fetch() {
			return false
		}
		if maxRows%64 == 0 && ctx.Err() != nil {
			return true
		}
		row := l.fresh[0]
		l.fresh = l.fresh[1:]
		l.look(l.next, row)
		l.next++
		l.found.looksAt(l.next)
		read += min(int(row.Len), MaxLine)
	}
	l.found.looked(l.next)
	return len(l.fresh) > 0 || l.fetch()
}

// fetch gets more rows. Without any, it ends a log that is complete.
func (l *Linter) fetch() bool {
	state := l.src.Stats().Recording // before the rows, so that none is added after it is done
	n := l.src.Rows(l.next, l.rows)
	l.fresh = l.rows[:n]
	l.found.looked(l.next)
	if n > 0 {
		return true
	}
	if state.Complete() && !l.done {
		l.done = true
		l.found.end()
		l.endRun()
	}
	return false
}

// Tick says that it is now, in microseconds on the log's clock: what was due by
// then is found without waiting for another row. A recording needs no Tick.
func (l *Linter) Tick(now int64) {
	if l.next == l.src.Len() { // or a row that is not looked at yet may be what is waited for
		l.now = max(l.now, now)
		l.elapse()
	}
}

// Due is the next time on the log's clock at which Tick may find something. It
// is not ok if nothing waits. It is for the goroutine that calls Advance.
func (l *Linter) Due() (t int64, ok bool) {
	t = l.run.due()
	return t, t < never
}

// Findings returns what was found so far, in the order in which it was. It is
// only ever added to, but for a Count that may grow.
func (l *Linter) Findings() []Finding {
	l.found.mu.Lock()
	defer l.found.mu.Unlock()
	return slices.Clone(l.found.all)
}

// Counts returns how often something was found, by severity.
func (l *Linter) Counts() (errors, warnings, infos int) {
	l.found.mu.Lock()
	defer l.found.mu.Unlock()
	c := l.found.counts
	return c[Error], c[Warning], c[Info]
}

// Count returns how often something was found so far.
func (l *Linter) Count() Count {
	errors, warnings, infos := l.Counts()
	return Count{Errors: errors, Warnings: warnings, Remarks: infos}
}

// Looked returns how many rows were looked at, and of how many of those the
// bytes could not be read.
func (l *Linter) Looked() (rows, unread int) {
	l.found.mu.Lock()
	defer l.found.mu.Unlock()
	return l.found.rows, l.found.unread
}

// look looks at one row.
func (l *Linter) look(number int, row session.Row) {
	if row.T > l.now {
		l.now = row.T
		l.elapse()
	}
	limit := MaxLine
	if row.Kind == session.KindStderr {
		limit = maxStderr
	}
	if l.buf == nil {
		l.buf = make([]byte, usualLine)
	}
	e, err := l.lines.EntryInto(row, limit, l.buf)
	if err != nil {
		l.found.countUnread()
		return
	}
	l.row = row
	switch row.Kind { // other entries can come between a cut line and its gap
	case session.KindStdout, session.KindStart, session.KindClosed, session.KindFailed, session.KindEnd:
		l.judgeCut()
	}
	at := place{row: number, n: e.N, seq: e.Seq, t: row.T, run: row.Run}
	switch row.Kind {
	case session.KindStdin:
		l.sent(at, &e)
	case session.KindStdout:
		l.received(at, row, &e)
	case session.KindStderr:
		l.said(at, row, &e)
	default:
		l.happened(at, row, &e)
	}
}

func (l *Linter) report(rule *Rule, at place, detail string) {
	l.reportAs(rule, rule.Severity, at, detail)
}

func (l *Linter) reportAs(rule *Rule, severity Severity, at place, detail string) {
	if l.lenient {
		severity = Info
	}
	l.found.add(rule, severity, at, detail)
}
