package ui

import (
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"mcpdbg/session"
	"mcpdbg/session/lint"
	"mcpdbg/ui/theme"
)

// How much one step of looking for findings may do: some 50 ms of work at most,
// on a goroutine of its own.
const (
	lintRows  = 1 << 14
	lintBytes = 8 << 20
)

// findings are what a log has that the protocol forbids or advises against. They
// follow the log in steps, and lag behind one that grows fast. Those of a moment
// in the past are recalled from those of the whole log, which has the linter.
type findings struct {
	linter  *lint.Linter
	running bool // a step is under way
	timed   bool // a timer is, for what is due
	final   bool // the last step knew that no row follows

	list  []lint.Finding
	count lint.Count // of list

	rows    int         // that were looked at
	first   map[int]int // of each row with a warning or an error: the worst of list
	version uint32      // changes with first

	// events are the rows of the events pane: events, and rows with a warning or
	// an error, in ascending order. merged is how many events are among them.
	events []uint32
	merged int
}

func newFindings(source session.Source) *findings {
	return &findings{linter: lint.New(source), first: map[int]int{}}
}

// of is the worst warning or error of a row.
func (f *findings) of(row int) (*lint.Finding, bool) {
	i, ok := f.first[row]
	if !ok {
		return nil, false
	}
	return &f.list[i], true
}

// follow merges events that are new.
func (f *findings) follow(events []uint32) {
	for _, row := range events[f.merged:] {
		f.insert(row)
	}
	f.merged = len(events)
}

func (f *findings) insert(row uint32) {
	if n := len(f.events); n == 0 || f.events[n-1] < row {
		f.events = append(f.events, row)
		return
	}
	if i, found := slices.BinarySearch(f.events, row); !found {
		f.events = slices.Insert(f.events, i, row)
	}
}

// take takes what was found since the last time, and tells whether that is
// anything.
func (f *findings) take() bool {
	f.rows, _ = f.linter.Looked()
	if f.linter.Count() == f.count {
		return false
	}
	f.keep(f.linter.Findings())
	return true
}

// recall takes what was found in the first rows of a log, and tells whether that
// is more than before. It never becomes less.
func (f *findings) recall(whole *findings, rows int) bool {
	looked, _ := whole.linter.Looked()
	f.rows = min(looked, rows)
	found, _ := whole.linter.AsOf(rows)
	before := f.count
	f.keep(found)
	return f.count != before
}

// keep takes a list that begins with what is in the one before.
func (f *findings) keep(found []lint.Finding) {
	f.count = lint.CountOf(found)
	known := len(f.list)
	f.list = found
	for i, found := range f.list[known:] {
		if found.Severity == lint.Info {
			continue
		}
		if worst, ok := f.of(found.Row); !ok || found.Severity > worst.Severity {
			f.first[found.Row] = known + i
		}
		f.insert(uint32(found.Row))
	}
	if len(found) > known {
		f.version++
	}
}

// lintOn has the findings follow the log, unless they do already. Those of a
// moment come with those of the whole.
func (a *App) lintOn() tea.Cmd {
	f := a.whole.findings
	final := a.log.Stats().Recording.Complete()
	rows, _ := f.linter.Looked()
	if news := rows < a.log.Len() || final && !f.final; !news || f.running || !a.judges() {
		return nil
	}
	f.running, f.final = true, final
	ctx := a.ctx
	return func() tea.Msg {
		f.linter.Advance(ctx, lintRows, lintBytes)
		return result{then: (*App).linted}
	}
}

// linted takes the end of a step. The next one begins a frame later, so that the
// log, and the screen, come first.
func (a *App) linted() tea.Cmd {
	f := a.whole.findings
	f.running = false
	a.takeFindings()
	if rows, _ := f.linter.Looked(); rows < a.log.Len() {
		return a.later(framePause, result{then: (*App).lintOn})
	}
	return a.lintTimer()
}

func (a *App) takeFindings() {
	news := a.whole.findings.take()
	if a.findings != a.whole.findings {
		news = a.recallFindings()
	}
	if news {
		a.events.SetFilter(a.findings.events)
	}
	a.markAll()
}

// recallFindings brings the findings of a moment up to date, and tells whether there are
// more.
func (a *App) recallFindings() bool {
	if a.playback == nil || a.projection != a.playback.past {
		return false
	}
	return a.findings.recall(a.whole.findings, a.source.Len())
}

// lintTimer sets a timer for findings that come with time and not with a row.
func (a *App) lintTimer() tea.Cmd {
	f := a.whole.findings
	due, ok := f.linter.Due()
	if !ok || f.timed || a.session == nil {
		return nil
	}
	f.timed = true
	wait := max(time.Duration(due-a.session.Log().Now())*time.Microsecond, framePause)
	return a.later(wait, result{then: func(a *App) tea.Cmd {
		f.timed = false
		if f.running { // its end sets another timer
			return nil
		}
		f.linter.Tick(a.session.Log().Now())
		a.takeFindings()
		return a.lintTimer()
	}})
}

// severityOf is the mark and the style of a finding.
func severityOf(s lint.Severity, th *theme.Theme) (mark string, style theme.Style) {
	switch s {
	case lint.Error:
		return "x", th.Error
	case lint.Warning:
		return "!", th.Warn
	}
	return "-", th.Dim
}

// problemParts count the problems in the header, say how far they were looked for,
// and where there is room, what was checked.
func (a *App) problemParts() []part {
	count, far := a.findings.count, a.lintedSoFar()
	if count.Problems() == 0 && far == "" {
		return nil
	}
	p := part{text: howMany(count.Problems(), "problem"), style: a.theme.Text, group: 1, priority: 72}
	switch {
	case count.Errors > 0:
		p.style = a.theme.Error
	case count.Warnings > 0:
		p.style = a.theme.Warn
	}
	if far != "" {
		p.short = p.text + " in " + far
		p.text += " in the first " + far
	}
	return []part{p, {text: checked, short: "contents not checked", style: a.theme.Dim, group: 1, priority: 15}}
}

// checked says what is behind a count of problems, or behind none.
const checked = "checked: " + lint.Checked

// lintedSoFar is the part of the rows in which findings were looked for, "" if
// that is all. What a session says is looked at soon; no word of it, unless there
// is much.
func (a *App) lintedSoFar() string {
	behind := a.source.Len() - a.findings.rows
	if behind <= 0 || !a.judges() || a.session != nil && behind < lintRows {
		return ""
	}
	return percent(a.findings.rows, a.source.Len())
}
