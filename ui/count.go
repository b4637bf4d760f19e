package ui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"mcpdbg/session"
	"mcpdbg/ui/paint"
)

// countMost is how many matches are counted; four bytes each.
const countMost = 1 << 20

// A count finds all matches of a search in a pane, from the first row on, in
// steps while nothing else waits for it. It is never changed while a step runs.
type count struct {
	source session.Source
	pane   paneID
	sieve  *sieve
	rows   []uint32      // that match
	at     int           // rows have been looked at
	runs   bool          // a step does
	block  []session.Row // memory for blockRows
}

// counted is what a step of a count found.
type counted struct {
	count *count
	at    int
	found []uint32
}

// countAgain counts the matches of the search anew, in the pane with the focus.
func (a *App) countAgain() tea.Cmd {
	if a.search == nil || a.focus == detailID {
		return nil
	}
	a.search.count = nil
	return a.countIn(a.focus)
}

// countIn counts the matches of the search in a pane, unless that goes on.
func (a *App) countIn(pane paneID) tea.Cmd {
	s := a.search
	if s.count != nil && s.count.pane == pane {
		return nil
	}
	s.count = &count{source: a.source, pane: pane, sieve: newSieve(a.source, pane, a.lens(pane), s.filter), block: make([]session.Row, blockRows)}
	return a.countOn()
}

// countOn starts the next step, unless one runs or nothing is left.
func (a *App) countOn() tea.Cmd {
	if a.search == nil || a.search.count == nil {
		return nil
	}
	c := a.search.count
	if c.runs || c.done(a.index.scanned) {
		return nil
	}
	c.runs = true
	return c.step(a.index.scanned)
}

func (c *count) done(rows int) bool { return c.at >= rows || len(c.rows) >= countMost }

// step returns the command for the next step, up to row number rows.
func (c *count) step(rows int) tea.Cmd {
	return func() tea.Msg {
		result := counted{count: c, at: c.at}
		budget := budget{rows: stepRows, bytes: stepBytes}
		for result.at < rows && budget.left() {
			some := c.block[:min(len(c.block), rows-result.at)]
			some = block(some[:c.source.Rows(result.at, some)], false)
			if len(some) == 0 {
				result.at = rows // cannot be read
			}
			c.sieve.take(result.at, some)
			for i := range some {
				if c.sieve.passes(i, &budget) {
					result.found = append(result.found, uint32(result.at))
				}
				budget.rows--
				budget.bytes -= int(some[i].Len) / searchShare
				if result.at++; budget.bytes <= 0 {
					break
				}
			}
		}
		return result
	}
}

// counted takes what a step found.
func (a *App) counted(msg counted) tea.Cmd {
	if a.search == nil || a.search.count != msg.count {
		return nil
	}
	c := msg.count
	c.runs, c.at = false, msg.at
	c.rows = append(c.rows, msg.found...)
	a.stale = true
	return a.countOn()
}

// countTitle says how many rows of a pane match the search, and which of them
// the cursor is on; it is empty for a pane that is not searched.
func (a *App) countTitle(pane paneID) string {
	if a.search == nil || a.search.count == nil || a.search.count.pane != pane {
		return ""
	}
	c := a.search.count
	total := paint.Thousands(len(c.rows))
	if !c.done(a.index.scanned) || len(c.rows) >= countMost {
		total += "+"
	}
	cursor, ok := a.lists(pane).Cursor()
	i, hit := slices.BinarySearch(c.rows, uint32(cursor))
	switch {
	case ok && hit:
		return " " + paint.Thousands(i+1) + " of " + total
	case ok && cursor >= c.at:
		return " ? of " + total
	}
	return " " + total
}
