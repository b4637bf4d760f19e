package ui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"mcpdbg/session"
)

// renumber tells which number a row has in the projection that is turned to; nil
// means the same.
type renumber func(row int) int

// turnTo shows another projection of the same log. Cursors stay on their
// entries, and what was searched for, filtered, folded and focused stays too.
func (a *App) turnTo(p *projection) tea.Cmd {
	moved := a.renumbering(p)
	a.projection = p
	a.finding = nil
	a.stderr.turnTo(p, moved)
	a.events.turnTo(p, moved)
	a.detail.turnTo(p, moved)
	cmd := a.traffic.turnTo(p, moved)
	a.arrange()
	return tea.Batch(cmd, a.refresh(), a.countShownAgain())
}

// countShownAgain counts matches anew in the pane that they were counted in.
func (a *App) countShownAgain() tea.Cmd {
	if a.search == nil || a.search.count == nil {
		return nil
	}
	pane := a.search.count.pane
	a.search.count = nil
	return a.countIn(pane)
}

// renumbering compares the numbers of rows in two projections, of which one may
// begin in the middle of the log: an entry is known by its place in the file.
func (a *App) renumbering(to *projection) renumber {
	from := a.projection
	if from.index.partial == to.index.partial {
		return nil
	}
	old := from.rows
	return func(row int) int {
		r, ok := old.at(row)
		if !ok {
			return 0
		}
		return rowAt(to.source, r.Off)
	}
}

// rowAt is the row whose entry begins at a place in the file, or else the first
// one behind it.
func rowAt(source session.Source, off int64) int {
	rows := rowReader{source: source}
	low, high := 0, source.Len()
	for low < high {
		middle := (low + high) / 2
		if row, ok := rows.at(middle); ok && row.Off < off {
			low = middle + 1
		} else {
			high = middle
		}
	}
	return low
}

// turnTo lists the rows of another projection.
func (l *lines) turnTo(p *projection, moved renumber) {
	l.rows.source, l.rows.rows, l.rows.index, l.rows.found, l.found = p.source, p.rows, p.index, p.findings, p.findings
	l.Turned(moved)
	p.findings.follow(p.index.events)
	l.SetFilter(l.all())
	l.seen = min(l.seen, len(l.all()))
}

// turnTo lists the rows of another projection. The first step of a filter is
// done at once, so that the screen is full.
func (t *traffic) turnTo(p *projection, moved renumber) tea.Cmd {
	t.source, t.index = p.source, p.index
	t.rows.rows, t.rows.found = p.rows, p.findings
	t.Turned(moved)
	t.marks.turned(moved)
	if moved != nil {
		texts := map[int]string{}
		for row, text := range t.texts {
			texts[moved(row)] = text
		}
		t.texts = texts
	}
	cmd := t.restart()
	if cmd == nil {
		return nil
	}
	return t.found(cmd().(scanned), t.index.scanned)
}

// turned gives the marks the numbers that their rows have now.
func (m marks) turned(moved renumber) {
	if moved == nil {
		return
	}
	for i, row := range m {
		m[i] = uint32(moved(int(row)))
	}
	slices.Sort(m)
}

// turnTo shows the row of another projection that is the same entry.
func (d *detail) turnTo(p *projection, moved renumber) {
	d.source, d.index = p.source, p.index
	if moved != nil && d.wanted.ok {
		d.wanted.number = moved(d.wanted.number)
	}
	if d.around != nil {
		d.build()
	}
	d.changed = true
}
