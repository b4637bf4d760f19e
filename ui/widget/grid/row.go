package grid

import (
	"fmt"
	"slices"
	"time"

	"mcpdbg/internal/wording"
	"mcpdbg/ui/widget/paint"
	"mcpdbg/ui/widget/table"
	"mcpdbg/ui/widget/termsafe"
)

const (
	colHost = iota
	colServer
	colSteps
	colPhase
	colTime
	colResult
	colMessage
)

const (
	leastName = 8  // minimum width of a host or server
	mostName  = 32 // maximum width reserved for a name
)

// columnsOf lays out the columns for the names and phases of a run, without a server that
// is the same for all targets.
func columnsOf(source Source) []table.Column {
	hosts, servers, steps, phase := leastName, leastName, 1, len("now")
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
		colPhase:   {Title: "now", Min: phase, Priority: 3},
		colTime:    {Title: "time", Min: len("9.9 s"), Priority: 4, Align: termsafe.Right},
		colResult:  {Title: "result", Min: len("cancelled"), Priority: 8, Must: true},
		colMessage: {Title: "", Min: 16, Weight: 1, Priority: 5},
	}
	if oneServer {
		columns[colServer].Min, columns[colServer].Priority = hidden, -1
	}
	return columns
}

// hidden is wider than any terminal.
const hidden = 1 << 20

type glyphs struct {
	waits, runs, failed, cancelled string // marks of targets
	done, now, to, bad             string // steps
	bar, rest                      string
}

var (
	unicodeGlyphs = glyphs{waits: "·", runs: "…", failed: "✗", cancelled: "⊘", done: "•", now: "o", to: "·", bad: "✗", bar: "━", rest: "─"}
	asciiGlyphs   = glyphs{waits: "-", runs: ".", failed: "E", cancelled: "C", done: "*", now: "o", to: ".", bad: "x", bar: "=", rest: "-"}
)

type rows struct{ *Grid }

// Version implements table.Source.
func (r rows) Version(int) uint32 { return r.version }

// Paint implements table.Source.
func (r rows) Paint(position int, c *table.Cells) {
	row := r.source.Row(r.target(position))
	mark, style := r.mark(&row)
	c.Mark(style, mark)
	name := r.theme.Text
	if row.State == Waiting || row.Idle() {
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
		c.Text(colResult, style, result(&row))
	case c.Width(colPhase) == 0: // the phase column is hidden
		c.Text(colResult, r.theme.Dim, row.Phase)
	}
	r.paintMessage(c, &row)
}

func result(row *Row) string {
	if row.State == Failed && row.Cause != "" {
		return row.Cause
	}
	return row.State.String()
}

func (g *Grid) mark(row *Row) (string, paint.Style) {
	switch row.State {
	case Running:
		if !row.Idle() {
			return g.glyphs.runs, g.theme.Accent
		}
	case Passed:
		return "", g.theme.Good
	case Unsure:
		return "", g.theme.Odd
	case Skipped:
		return "", g.theme.Dim
	case Tolerated:
		return g.glyphs.failed, g.theme.Odd
	case Failed:
		return g.glyphs.failed, g.theme.Failed
	case Cancelled:
		return g.glyphs.cancelled, g.theme.Odd
	}
	return g.glyphs.waits, g.theme.Dim
}

// paintSteps paints a glyph for each phase: completed, current, failed or to come,
// aligned right if there are fewer.
func (r rows) paintSteps(c *table.Cells, row *Row) {
	at := slices.Index(row.Phases, row.Phase)
	if row.Phase == "" && (row.State == Passed || row.State == Unsure || row.State == Tolerated || row.State == Failed) {
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
			c.Text(colSteps, r.theme.Failed, r.glyphs.bad)
		case i < at && failed >= 0 && i > failed:
			c.Text(colSteps, r.theme.Dim, r.glyphs.to)
		case i < at:
			c.Text(colSteps, r.theme.Good, r.glyphs.done)
		case i > at || at < 0:
			c.Text(colSteps, r.theme.Dim, r.glyphs.to)
		case row.State == Running && row.Before != "":
			c.Text(colSteps, r.theme.Dim, r.glyphs.to)
		case row.State == Running:
			c.Text(colSteps, r.theme.Odd, r.glyphs.now)
		default:
			c.Text(colSteps, r.theme.Failed, r.glyphs.bad)
		}
	}
}

// longPhase is the time from which the duration of a phase is shown.
const longPhase = 2 * time.Second

// paintMessage adds, for a running target, the attempt after the first, and the duration
// of a long phase.
func (r rows) paintMessage(c *table.Cells, row *Row) {
	if row.State == Running {
		if row.Attempt > 1 {
			c.Text(colMessage, r.theme.Odd, fmt.Sprintf("attempt %d  ", row.Attempt))
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

// shortTime formats a duration in five cells: in seconds, with tenths below ten, or from
// one minute in minutes and seconds.
func shortTime(d time.Duration) string {
	switch {
	case d < 10*time.Second-50*time.Millisecond:
		return wording.Seconds(d)
	case d < time.Minute:
		return fmt.Sprintf("%d s", d/time.Second)
	}
	return clock(d)
}

// clock formats a duration as 1:07, or with hours as 2:00:07.
func clock(d time.Duration) string {
	s := int(max(d, 0) / time.Second)
	if s < 3600 {
		return fmt.Sprintf("%d:%02d", s/60, s%60)
	}
	return fmt.Sprintf("%d:%02d:%02d", s/3600, s/60%60, s%60)
}
