package traffic

import (
	"slices"
	"strconv"

	"mcpdbg/internal/wording"
	"mcpdbg/session"
	"mcpdbg/session/diagnosis"
	"mcpdbg/session/executor"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/widget/filter"
	"mcpdbg/ui/widget/paint"
	"mcpdbg/ui/widget/table"
	"mcpdbg/ui/widget/termsafe"
	"mcpdbg/ui/workspace"
)

// lineRead is how many bytes of a line are read to show it.
const lineRead = 2048

// The columns of the stderr and the events.
const (
	colLineSeq = iota
	colLineTime
	colLineSource
	colLineText
)

// A LineList is a list of log lines: stderr, the events of a session, or the Log, which
// has both in time order.
type LineList struct {
	kit.List
	ID     ListID
	rows   *lineRows
	moment int      // that the list was moved to, see goTo
	both   []uint32 // of the Log
	merged [2]int   // the lines of stderr, and the events, in both
	event  uint32   // the last of these events
}

// The moments that are not a row.
const (
	atTheEnd    = -1 // the list follows
	wasMoved    = -2 // by the user
	earliestRow = 0
)

type lineRows struct {
	list   ListID
	ws     *workspace.Workspace
	times  *timeForm // of the traffic
	screen *kit.Screen
	hits   *kit.Highlight
	num    []byte                 // scratch
	buf    [lineRead + 1<<10]byte // the entry being painted
}

func newLines(id ListID, ws *workspace.Workspace, times *timeForm, hits *kit.Highlight, screen *kit.Screen) *LineList {
	empty := "no events yet"
	if id == StderrList {
		empty = "nothing on stderr"
	}
	look := screen.Look()
	look.TabStop = 8
	rows := &lineRows{list: id, ws: ws, times: times, hits: hits, screen: screen}
	l := &LineList{ID: id, rows: rows, moment: wasMoved, List: kit.List{Table: table.New(table.Config{
		Source: rows, Columns: rows.columns(), Theme: screen.Theme, Options: look, Empty: empty,
	})}}
	l.Relist()
	return l
}

func (r *lineRows) columns() []table.Column {
	_, width := r.times.column()
	columns := []table.Column{
		colLineSeq:    {Min: 5, Priority: 1, Align: termsafe.Right},
		colLineTime:   {Min: max(width, 9), Priority: 2, Align: termsafe.Right},
		colLineSource: {Min: 6, Gap: 1, Priority: 3},
		colLineText:   {Min: 20, Weight: 1, Gap: 1, Must: true, Scroll: true},
	}
	if r.list == StderrList {
		columns[colLineSource] = table.Column{ByNeed: true, Optional: true} // without text
	}
	return columns
}

// Relist shows the rows that were added.
func (l *LineList) Relist() { l.SetFilter(l.All()) }

// All returns the rows of the list.
func (l *LineList) All() []uint32 {
	stderr, events := l.rows.ws.Shown.Index.Stderr, l.rows.ws.Shown.Problems.Events
	switch l.ID {
	case StderrList:
		return stderr
	case EventsList:
		return events
	}
	if sizes := [2]int{len(stderr), len(events)}; sizes != l.merged {
		if !l.grown(stderr, events) { // a problem was found in an earlier row
			l.both, l.merged = l.both[:0], [2]int{}
		}
		l.both, l.merged = merge(l.both, stderr[l.merged[0]:], events[l.merged[1]:]), sizes
		if n := len(events); n > 0 {
			l.event = events[n-1]
		}
	}
	return l.both
}

// grown reports whether the lists have only new rows after those in both.
func (l *LineList) grown(stderr, events []uint32) bool {
	lines, listed := l.merged[0], l.merged[1]
	if len(stderr) < lines || len(events) < listed || listed > 0 && events[listed-1] != l.event {
		return false
	}
	after := int64(-1)
	if n := len(l.both); n > 0 {
		after = int64(l.both[n-1])
	}
	first := func(rows []uint32) bool { return len(rows) == 0 || int64(rows[0]) > after }
	return first(stderr[lines:]) && first(events[listed:])
}

// merge appends two ascending lists to a list, in order and each row once.
func merge(into, a, b []uint32) []uint32 {
	for len(a) > 0 && len(b) > 0 {
		next := min(a[0], b[0])
		into = append(into, next)
		if a[0] == next {
			a = a[1:]
		}
		if b[0] == next {
			b = b[1:]
		}
	}
	return append(append(into, a...), b...)
}

// Signs returns the signs in the visible rows.
func (l *LineList) Signs() (signs []kit.Sign) {
	screen, seen := l.rows.screen, map[kit.Mark]bool{}
	l.Visible(func(_ int, mark, _ string, _ *paint.Line) {
		if m := screen.MarkOf(mark); m != kit.NoMark && !seen[m] {
			seen[m] = true
			signs = append(signs, screen.Sign(m))
		}
	})
	return append(signs, kit.Sign{Style: screen.Theme.Accent, Glyph: ">", Words: "selected"})
}

// Titles returns the texts in the upper border, left and right.
func (l *LineList) Titles() (left, right string) {
	stderr, events := len(l.rows.ws.Shown.Index.Stderr), len(l.rows.ws.Shown.Problems.Events)
	switch l.ID {
	case StderrList:
		left = "4 stderr " + wording.Thousands(stderr)
	case EventsList:
		left = "5 events " + wording.Thousands(events)
	default:
		left = "4 stderr " + wording.Thousands(stderr) + l.rows.dot() + "5 events " + wording.Thousands(events) + "   together"
	}
	return left, l.place()
}

// place describes where in the log the list is.
func (l *LineList) place() string {
	row, _ := l.Cursor()
	switch ws := l.rows.ws; {
	case l.Following() && ws.Playback != nil && ws.Playback.Past != nil:
		return "at " + string(wording.AppendClock(nil, ws.Clock))
	case l.Following():
		return "at the end"
	case l.moment >= earliestRow && (row == l.rowAt(l.moment) || l.rowAt(l.moment) < 0):
		return "at the selected row"
	}
	return l.Status()
}

// rowAt returns the last row at or before a row, -1 without one.
func (l *LineList) rowAt(row int) int {
	all := l.All()
	i, found := slices.BinarySearch(all, uint32(row))
	switch {
	case found:
		return row
	case i == 0:
		return -1
	}
	return int(all[i-1])
}

// goTo moves the list to the last line at or before a row, or with atTheEnd follows. It
// does so once for a moment: the user may then move.
func (l *LineList) goTo(moment int) (moved bool) {
	if l.moment == moment {
		return false
	}
	l.moment = moment
	if moment == atTheEnd {
		l.SetMarked(false)
		l.SetFollow(true)
		return true
	}
	row := l.rowAt(moment)
	l.SetMarked(row >= 0)
	l.Select(max(row, 0))
	return true
}

func (r *lineRows) dot() string { return paint.Glyph(r.screen.Look(), " · ", ", ") }

// Len implements table.Source.
func (r *lineRows) Len() int { return r.ws.Shown.Index.Scanned }

// Version changes with the search and the problems: the rows themselves never
// change.
func (r *lineRows) Version(int) uint32 { return r.hits.Version<<16 ^ r.ws.Shown.Problems.Version }

func (r *lineRows) Paint(number int, c *table.Cells) {
	row, ok := r.ws.Shown.Rows.At(number)
	if !ok {
		return
	}
	th := r.screen.Theme
	e, err := session.EntryInto(r.ws.Shown.Source, row, lineRead, r.buf[:0])
	r.num = append(r.num[:0], '-')
	if e.Seq > 0 {
		r.num = strconv.AppendUint(r.num[:0], e.Seq, 10)
	}
	c.Bytes(colLineSeq, th.Dim, r.num)
	r.num = r.times.append(r.num[:0], row.T, r.ws.Shown.Source.Header().Start)
	c.Bytes(colLineTime, th.Dim, r.num)
	problem, found := r.ws.Shown.Problems.Worst(number)
	switch {
	case err != nil:
		c.Text(colLineText, th.Failed, "(not kept)")
	case row.Kind == session.KindStderr && r.list != EventsList:
		if r.list == LogList {
			c.Text(colLineSource, th.Dim, filter.EventSource(row.Kind))
		}
		r.hits.Paint(c, colLineText, th.Text, th.Match, e.Payload)
	case row.Kind.IsStream():
		if found {
			r.paintFinding(problem, c)
		}
	default:
		mark, style := eventLook(&e, th)
		if mark != kit.NoMark {
			c.Mark(r.screen.Mark(mark))
		}
		r.hits.PaintText(c, colLineSource, style, th.Match, filter.EventSource(e.Kind))
		r.hits.Paint(c, colLineText, style, th.Match, []byte(filter.EventText(&e)))
		if found {
			_, style := kit.SeverityMark(problem.Severity, th)
			c.Text(colLineText, style, "  "+problem.Rule.ID)
		}
	}
}

func (r *lineRows) paintFinding(problem *diagnosis.Problem, c *table.Cells) {
	mark, style := kit.SeverityMark(problem.Severity, r.screen.Theme)
	c.Mark(r.screen.Mark(mark))
	c.Text(colLineSource, style, problem.Rule.ID)
	r.hits.Paint(c, colLineText, style, r.screen.Theme.Match, []byte(problem.Detail))
}

// paintEvent paints an event among messages.
func (t *trafficRows) paintEvent(e *session.Entry, column int, c *table.Cells) {
	_, style := eventLook(e, t.theme)
	source := filter.EventSource(e.Kind)
	t.hits.PaintText(c, column, style, t.theme.Match, source)
	c.Text(column, style, "        "[:max(8-len(source), 1)])
	t.hits.Paint(c, column, style, t.theme.Match, []byte(filter.EventText(e)))
}

// eventLook sets losses, unwanted ends and acts of the person apart.
func eventLook(e *session.Entry, th *paint.Theme) (kit.Mark, paint.Style) {
	switch e.Kind {
	case session.KindLink:
		return linkLook(e, th)
	case session.KindGap, session.KindFailed:
		return kit.Failed, th.Failed
	case session.KindLagged, session.KindHeld, session.KindWaiting, session.KindWrite:
		return kit.NoMark, th.Odd
	case session.KindAct:
		return kit.NoMark, th.You
	case session.KindStart, session.KindExited, session.KindClosed:
		return kit.NoMark, th.Strong
	}
	return kit.NoMark, th.Text
}

func linkLook(e *session.Entry, th *paint.Theme) (kit.Mark, paint.Style) {
	var link session.LinkBody
	if e.DecodeBody(&link) == nil {
		switch executor.LinkState(link.State) {
		case executor.LinkLost:
			return kit.Failed, th.Failed
		case executor.LinkStalled:
			return kit.NoMark, th.Odd
		}
	}
	return kit.NoMark, th.Text
}

func (l *LineList) turnTo(moved workspace.Renumber) {
	p := l.rows.ws.Shown
	l.Renumbered(moved)
	p.Problems.Follow(p.Index.Events)
	l.moment, l.merged = wasMoved, [2]int{}
	l.Relist()
}
