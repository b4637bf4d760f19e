package grid

import (
	"fmt"
	"slices"
	"time"

	"mcpdbg/ui/table"
	"mcpdbg/ui/termsafe"
	"mcpdbg/ui/theme"
)

// The columns.
const (
	colHost = iota
	colServer
	colSteps
	colPhase
	colTime
	colVerdict
	colMessage
)

const (
	leastName = 8  // cells of a host or a server
	mostName  = 32 // that a name gets of itself
)

// columnsOf lays out the columns for the names and phases of a run. What all
// targets have in common is no column.
func columnsOf(source Source) []table.Column {
	hosts, servers, steps, phase := leastName, leastName, 1, len("phase")
	oneServer := true
	for i := range source.Len() {
		row := source.Row(i)
		hosts, servers = max(hosts, termsafe.Width(row.Host)), max(servers, termsafe.Width(row.Server))
		steps = max(steps, len(row.Phases))
		oneServer = oneServer && row.Server == source.Row(0).Server
		for _, p := range row.Phases {
			phase = max(phase, termsafe.Width(p))
		}
	}
	columns := []table.Column{
		colHost:    {Title: "host", Min: min(hosts, mostName), Priority: 9, Must: true},
		colServer:  {Title: "server", Min: min(servers, mostName/2), Priority: 6},
		colSteps:   {Title: "", Min: steps, Priority: 2},
		colPhase:   {Title: "phase", Min: phase, Priority: 3},
		colTime:    {Title: "time", Min: len("59.9s"), Priority: 4, Align: termsafe.Right},
		colVerdict: {Title: "verdict", Min: len("cancelled"), Priority: 8, Must: true},
		colMessage: {Title: "", Min: 16, Weight: 1, Priority: 5},
	}
	if oneServer {
		columns[colServer].Min, columns[colServer].Priority = never, -1
	}
	return columns
}

// never is a width that no terminal has: a column that wide is not shown.
const never = 1 << 20

// glyphs are those of a line.
type glyphs struct {
	waits              string // mark of a target
	done, now, to, bad string // steps
	bar, rest          string // of the progress
}

var (
	unicodeGlyphs = glyphs{waits: "·", done: "•", now: "o", to: "·", bad: "x", bar: "━", rest: "─"}
	asciiGlyphs   = glyphs{waits: ".", done: "*", now: "o", to: ".", bad: "x", bar: "=", rest: "-"}
)

// rows are the listed targets as a table has them.
type rows struct{ *Grid }

// Version implements table.Source.
func (r rows) Version(int) uint32 { return r.version }

// Paint implements table.Source.
func (r rows) Paint(position int, c *table.Cells) {
	row := r.source.Row(r.target(position))
	mark, style := r.mark(&row)
	c.Mark(style, mark)
	name := r.theme.Text
	if row.State == Waiting || row.Waits() {
		name = r.theme.Dim
	}
	c.Text(colHost, name, row.Host)
	c.Text(colServer, name, row.Server)
	r.paintSteps(c, &row)
	c.Text(colPhase, name, row.Phase)
	if row.State != Waiting && row.Took > 0 {
		c.Text(colTime, r.theme.Text, shortTime(row.Took))
	}
	switch {
	case row.State.Ended():
		c.Text(colVerdict, style, verdict(&row))
	case c.Width(colPhase) == 0: // which has no room
		c.Text(colVerdict, r.theme.Dim, row.Phase)
	}
	r.paintMessage(c, &row)
}

// verdict is what became of a target, in a word.
func verdict(row *Row) string {
	if row.State == Failed && row.Cause != "" {
		return row.Cause
	}
	return row.State.String()
}

// mark tells in one cell what has become of a target.
func (g *Grid) mark(row *Row) (string, theme.Style) {
	switch row.State {
	case Running:
		if !row.Waits() {
			return spinner(g.totals.Took), g.theme.Warn
		}
	case Passed:
		return "+", g.theme.OK
	case Failed:
		return "x", g.theme.Error
	case Cancelled:
		return "!", g.theme.Warn
	}
	return g.glyphs.waits, g.theme.Dim
}

// spinner is a glyph that turns with time.
func spinner(d time.Duration) string {
	const glyphs, every = `|/-\`, 100 * time.Millisecond
	return string(glyphs[int(max(d, 0)/every)%len(glyphs)])
}

// paintSteps paints a glyph for each phase: done, under way, failed, to come.
// Those of targets with fewer phases stand below the last of the others.
func (r rows) paintSteps(c *table.Cells, row *Row) {
	at := slices.Index(row.Phases, row.Phase)
	if row.Phase == "" && (row.State == Passed || row.State == Failed) {
		at = len(row.Phases)
	}
	if at < 0 && row.Before != "" {
		at = slices.Index(row.Phases, row.Before) + 1
	}
	failed := slices.Index(row.Phases, row.FailedIn)
	for range c.Width(colSteps) - len(row.Phases) {
		c.Text(colSteps, r.theme.Text, " ")
	}
	for i := range row.Phases {
		switch {
		case i == failed:
			c.Text(colSteps, r.theme.Error, r.glyphs.bad)
		case i < at && failed >= 0 && i > failed:
			c.Text(colSteps, r.theme.Dim, r.glyphs.to)
		case i < at:
			c.Text(colSteps, r.theme.OK, r.glyphs.done)
		case i > at || at < 0:
			c.Text(colSteps, r.theme.Dim, r.glyphs.to)
		case row.State == Running && row.Before != "":
			c.Text(colSteps, r.theme.Dim, r.glyphs.to)
		case row.State == Running:
			c.Text(colSteps, r.theme.Warn, r.glyphs.now)
		default:
			c.Text(colSteps, r.theme.Error, r.glyphs.bad)
		}
	}
}

// longPhase is how long a phase lasts until its time is worth a look.
const longPhase = 2 * time.Second

// paintMessage paints what is to be said of a target, and of one that runs what
// is not usual about it.
func (r rows) paintMessage(c *table.Cells, row *Row) {
	if row.State == Running {
		if row.Attempt > 1 {
			c.Text(colMessage, r.theme.Warn, fmt.Sprintf("attempt %d  ", row.Attempt))
		}
		if row.InPhase >= longPhase {
			c.Text(colMessage, r.theme.Dim, fmt.Sprintf("for %s  ", shortTime(row.InPhase)))
		}
	}
	style := r.theme.Text
	if row.State == Passed || row.State == Waiting {
		style = r.theme.Dim
	}
	c.Text(colMessage, style, row.Message)
}

// shortTime writes a time in five cells: tenths of a second, and from a minute on
// minutes and seconds.
func shortTime(d time.Duration) string {
	if d < time.Minute-50*time.Millisecond {
		return fmt.Sprintf("%.1fs", d.Seconds())
	}
	return clock(d)
}

// clock writes a time as 1:07, or with hours as 2:00:07.
func clock(d time.Duration) string {
	s := int(max(d, 0) / time.Second)
	if s < 3600 {
		return fmt.Sprintf("%d:%02d", s/60, s%60)
	}
	return fmt.Sprintf("%d:%02d:%02d", s/3600, s/60%60, s%60)
}
