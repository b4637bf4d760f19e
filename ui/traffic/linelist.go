package traffic

import (
	"mcpdbg/internal/wording"
	"mcpdbg/session"
	"mcpdbg/session/executor"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/widget/paint"
	"mcpdbg/ui/widget/table"
	"mcpdbg/ui/widget/termsafe"
	"mcpdbg/ui/workspace"
)

// lineRead is how many bytes of a line are read to show it.
const lineRead = 2048

// The columns of the stderr and the events pane.
const (
	colLineTime = iota
	colLineText
)

// LineList is a pane of log lines: stderr, or the events of a session.
type LineList struct {
	kit.List
	ID   ListID
	rows *lineRows
	Seen int // number of rows when the pane was last on the screen
}

type lineRows struct {
	list  ListID
	ws    *workspace.Workspace
	theme *paint.Theme
	hits  *kit.Highlight
	num   []byte                 // scratch
	buf   [lineRead + 1<<10]byte // the entry being painted
}

func newLines(id ListID, ws *workspace.Workspace, hits *kit.Highlight, th *paint.Theme, look termsafe.Options) *LineList {
	columns := []table.Column{
		colLineTime: {Min: 8, Priority: 1, Align: termsafe.Right},
		colLineText: {Min: 20, Weight: 1, Must: true, Scroll: true},
	}
	empty := "no events yet"
	if id == StderrList {
		empty = "nothing on stderr"
	}
	look.TabStop = 8
	rows := &lineRows{list: id, ws: ws, hits: hits, theme: th}
	l := &LineList{ID: id, rows: rows, List: kit.List{Table: table.New(table.Config{
		Source: rows, Columns: columns, Theme: th, Options: look, Empty: empty,
	})}}
	l.SetFilter(nil)
	return l
}

func (l *LineList) setTheme(th *paint.Theme) {
	l.rows.theme = th
	l.SetTheme(th)
}

// All returns the rows of the pane.
func (l *LineList) All() []uint32 {
	if l.ID == StderrList {
		return l.rows.ws.Shown.Index.Stderr
	}
	return l.rows.ws.Shown.Problems.Events
}

// Name returns the name of the list, with the key that focuses it.
func (l *LineList) Name() string {
	if l.ID == StderrList {
		return "4 Stderr"
	}
	return "5 Events"
}

// Titles returns the texts in the upper border, left and right.
func (l *LineList) Titles() (left, right string) {
	return l.Name() + " " + wording.Thousands(len(l.All())), l.Status()
}

// Unread returns how many rows were added since the pane was last on the screen.
func (l *LineList) Unread() int { return len(l.All()) - l.Seen }

// ClosedTitle returns the title of the list while it is closed, with the number of
// new rows.
func (l *LineList) ClosedTitle() string {
	title, _ := l.Titles()
	if n := l.Unread(); n > 0 {
		title += " (" + wording.Thousands(n) + " new)"
	}
	return title
}

func (r *lineRows) Len() int { return r.ws.Shown.Index.Scanned }

// Version changes with the search and the problems: the rows themselves never
// change.
func (r *lineRows) Version(int) uint32 { return r.hits.Version<<16 ^ r.ws.Shown.Problems.Version }

func (r *lineRows) Paint(number int, c *table.Cells) {
	row, ok := r.ws.Shown.Rows.At(number)
	if !ok {
		return
	}
	r.num = wording.AppendClock(r.num[:0], row.T)
	c.Bytes(colLineTime, r.theme.Dim, r.num)
	e, err := session.EntryInto(r.ws.Shown.Source, row, lineRead, r.buf[:0])
	switch {
	case err != nil:
		c.Text(colLineText, r.theme.Failed, "(not kept)")
	case row.Kind == session.KindStderr && r.list == StderrList:
		r.hits.Paint(c, colLineText, r.theme.Text, r.theme.Match, e.Payload)
	case row.Kind.IsStream():
		r.paintFinding(number, c)
	default:
		paintEvent(c, colLineText, &e, r.theme, r.hits)
		if f, ok := r.ws.Shown.Problems.Worst(number); ok {
			_, style := kit.SeverityMark(f.Severity, r.theme)
			c.Text(colLineText, style, "  "+f.Rule.ID)
		}
	}
}

func (r *lineRows) paintFinding(number int, c *table.Cells) {
	f, ok := r.ws.Shown.Problems.Worst(number)
	if !ok {
		return
	}
	mark, style := kit.SeverityMark(f.Severity, r.theme)
	c.Mark(style, mark)
	c.Text(colLineText, style, f.Rule.ID)
	c.Text(colLineText, style, "   ")
	r.hits.Paint(c, colLineText, style, r.theme.Match, []byte(f.Detail))
}

func paintEvent(c *table.Cells, column int, e *session.Entry, th *paint.Theme, hits *kit.Highlight) {
	style, mark := eventStyle(e, th)
	c.Mark(style, mark)
	kind := e.Kind.String()
	hits.Paint(c, column, style, th.Match, []byte(kind))
	c.Text(column, style, "        "[:max(8-len(kind), 1)])
	hits.Paint(c, column, style, th.Match, []byte(session.Describe(e)))
}

// eventStyle sets losses, exits and user actions apart, by a glyph and by colour.
func eventStyle(e *session.Entry, th *paint.Theme) (paint.Style, string) {
	switch e.Kind {
	case session.KindLink:
		return linkStyle(e, th)
	case session.KindGap, session.KindFailed:
		return th.Failed, "x"
	case session.KindLagged, session.KindHeld, session.KindWaiting, session.KindWrite:
		return th.Odd, "!"
	case session.KindAct:
		return th.You, "@"
	case session.KindStart, session.KindExited, session.KindClosed:
		return th.Strong, "*"
	}
	return th.Text, " "
}

func linkStyle(e *session.Entry, th *paint.Theme) (paint.Style, string) {
	var link session.LinkBody
	if e.DecodeBody(&link) == nil {
		switch executor.LinkState(link.State) {
		case executor.LinkLost:
			return th.Failed, "x"
		case executor.LinkStalled:
			return th.Odd, "!"
		}
	}
	return th.Text, " "
}

func (l *LineList) turnTo(moved workspace.Renumber) {
	p := l.rows.ws.Shown
	l.Renumbered(moved)
	p.Problems.Follow(p.Index.Events)
	l.SetFilter(l.All())
	l.Seen = min(l.Seen, len(l.All()))
}
