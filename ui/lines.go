package ui

import (
	"mcpdbg/session"
	"mcpdbg/session/executor"
	"mcpdbg/ui/paint"
	"mcpdbg/ui/table"
	"mcpdbg/ui/termsafe"
	"mcpdbg/ui/theme"
)

// lineRead is how much of a line is read to show it, in bytes.
const lineRead = 2048

// The columns of the stderr and the events pane.
const (
	colLineTime = iota
	colLineText
)

// lines is a pane of log lines: stderr, or the events of a session.
type lines struct {
	list
	id    paneID
	rows  *lineRows
	found *findings // of the events pane
	seen  int       // rows that were there when the pane was last on the screen
}

// lineRows paints the rows of one pane.
type lineRows struct {
	pane   paneID
	source session.Source
	rows   rowReader
	index  *rowIndex
	theme  *theme.Theme
	hits   *highlight
	found  *findings
	num    []byte                 // scratch
	buf    [lineRead + 1<<10]byte // the entry that is painted
}

func newLines(id paneID, p *projection, hits *highlight, th *theme.Theme, look termsafe.Options) *lines {
	columns := []table.Column{
		colLineTime: {Min: 8, Priority: 1, Align: termsafe.Right},
		colLineText: {Min: 20, Weight: 1, Must: true, Scroll: true},
	}
	empty := "nothing has happened yet"
	if id == stderrID {
		empty = "nothing on stderr"
	}
	look.TabStop = 8
	rows := &lineRows{pane: id, source: p.source, rows: p.rows, index: p.index, found: p.findings, hits: hits, theme: th}
	l := &lines{id: id, rows: rows, found: p.findings, list: list{table.New(table.Config{
		Source: rows, Columns: columns, Theme: th, Options: look, Empty: empty,
	})}}
	l.SetFilter(nil)
	return l
}

func (l *lines) setTheme(th *theme.Theme) {
	l.rows.theme = th
	l.SetTheme(th)
}

// all are the rows of the pane.
func (l *lines) all() []uint32 {
	if l.id == stderrID {
		return l.rows.index.stderr
	}
	return l.found.events
}

func (l *lines) name() string {
	if l.id == stderrID {
		return "4 Stderr"
	}
	return "5 Events"
}

func (l *lines) titles() (left, right string) {
	return l.name() + " " + paint.Thousands(len(l.all())), l.Status()
}

// unread is how many rows have come since the pane was last on the screen.
func (l *lines) unread() int { return len(l.all()) - l.seen }

// Len returns the number of rows in the log, of whatever kind.
func (r *lineRows) Len() int { return r.index.scanned }

// Version changes with the search and with findings: the rows themselves never
// change.
func (r *lineRows) Version(int) uint32 { return r.hits.version<<16 ^ r.found.version }

// Paint paints one row.
func (r *lineRows) Paint(number int, c *table.Cells) {
	row, ok := r.rows.at(number)
	if !ok {
		return
	}
	r.num = appendClock(r.num[:0], row.T)
	c.Bytes(colLineTime, r.theme.Dim, r.num)
	e, err := session.EntryInto(r.source, row, lineRead, r.buf[:0])
	switch {
	case err != nil:
		c.Text(colLineText, r.theme.Error, "(not kept)")
	case row.Kind == session.KindStderr && r.pane == stderrID:
		r.hits.paint(c, colLineText, r.theme.Stderr, r.theme.Match, e.Payload)
	case row.Kind.IsStream():
		r.paintFinding(number, c)
	default:
		paintEvent(c, colLineText, &e, r.theme, r.hits)
		if f, ok := r.found.of(number); ok {
			_, style := severityOf(f.Severity, r.theme)
			c.Text(colLineText, style, "  "+f.Rule.ID)
		}
	}
}

// paintFinding paints what was found about a message or a line of stderr.
func (r *lineRows) paintFinding(number int, c *table.Cells) {
	f, ok := r.found.of(number)
	if !ok {
		return
	}
	mark, style := severityOf(f.Severity, r.theme)
	c.Mark(style, mark)
	c.Text(colLineText, style, f.Rule.ID)
	c.Text(colLineText, style, "   ")
	r.hits.paint(c, colLineText, style, r.theme.Match, []byte(f.Detail))
}

// paintEvent paints the mark of an event, and into a column what it tells.
func paintEvent(c *table.Cells, column int, e *session.Entry, th *theme.Theme, hits *highlight) {
	style, mark := eventStyle(e, th)
	c.Mark(style, mark)
	kind := e.Kind.String()
	c.Text(column, style, kind)
	c.Text(column, style, "        "[:max(8-len(kind), 1)])
	hits.paint(c, column, style, th.Match, []byte(session.Describe(e)))
}

// eventStyle tells losses, endings and what a person did from the rest, by a glyph
// and by colour.
func eventStyle(e *session.Entry, th *theme.Theme) (theme.Style, string) {
	switch e.Kind {
	case session.KindLink:
		return linkStyle(e, th)
	case session.KindGap, session.KindFailed:
		return th.Error, "x"
	case session.KindLagged, session.KindHeld, session.KindWaiting, session.KindWrite:
		return th.Warn, "!"
	case session.KindAct:
		return th.Request, "@"
	case session.KindStart, session.KindExited, session.KindClosed:
		return th.Strong, "*"
	}
	return th.Text, " "
}

// linkStyle tells a connection in trouble from one that works.
func linkStyle(e *session.Entry, th *theme.Theme) (theme.Style, string) {
	var link session.LinkBody
	if e.DecodeBody(&link) == nil {
		switch executor.LinkState(link.State) {
		case executor.LinkLost:
			return th.Error, "x"
		case executor.LinkStalled:
			return th.Warn, "!"
		}
	}
	return th.Text, " "
}
