package traffic

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"mcpdbg/internal/wording"
	"mcpdbg/session"
	"mcpdbg/ui/host"
)

// countMost is the maximum number of matches counted, at four bytes each.
const countMost = 1 << 20

// A count finds all matches of a search in a pane, from the first row on, in
// low-priority steps. It is never changed while a step runs.
type count struct {
	source  session.Source
	list    ListID
	matcher *rowMatcher
	Rows    []uint32      // matching rows
	at      int           // number of rows checked
	runs    bool          // a step is running
	block   []session.Row // buffer for blockRows
}

type counted struct {
	lists *Lists
	count *count
	at    int
	found []uint32
}

// countIn counts the matches of the search in a list, unless that is already
// running.
func (r *Lists) countIn(id ListID) tea.Cmd {
	s := r.Search
	if s.Count != nil && s.Count.list == id {
		return nil
	}
	source := r.ws.Shown.Source
	s.Count = &count{source: source, list: id, matcher: newRowMatcher(source, id, r.listing(id), s.filter), block: make([]session.Row, blockRows)}
	return r.CountOn()
}

func (r *Lists) countAnew(id ListID) tea.Cmd {
	r.Search.Count = nil
	return r.countIn(id)
}

// Recount counts the matches again in the list in which they were counted.
func (r *Lists) Recount() tea.Cmd {
	if r.Search == nil || r.Search.Count == nil {
		return nil
	}
	return r.countAnew(r.Search.Count.list)
}

func (r *Lists) recountTraffic() tea.Cmd {
	if r.Search == nil || r.Search.Count == nil || r.Search.Count.list != TrafficList {
		return nil
	}
	return r.countAnew(TrafficList)
}

// CountOn starts the next step, unless one is running or all rows are checked.
func (r *Lists) CountOn() tea.Cmd {
	if r.Search == nil || r.Search.Count == nil {
		return nil
	}
	c, rows := r.Search.Count, r.ws.Shown.Index.Scanned
	if c.runs || c.done(rows) {
		return nil
	}
	c.runs = true
	return c.step(r, rows)
}

func (c *count) done(rows int) bool { return c.at >= rows || len(c.Rows) >= countMost }

// step returns the command for the next step, up to row number rows.
func (c *count) step(lists *Lists, rows int) tea.Cmd {
	return func() tea.Msg {
		result := counted{lists: lists, count: c, at: c.at}
		budget := budget{rows: stepRows, bytes: stepBytes}
		for result.at < rows && budget.left() {
			some := c.block[:min(len(c.block), rows-result.at)]
			some = block(some[:c.source.Rows(result.at, some)], false)
			if len(some) == 0 {
				result.at = rows // cannot be read
			}
			c.matcher.setRows(result.at, some)
			for i := range some {
				if c.matcher.passes(i, &budget) {
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

func (msg counted) Deliver(c host.Context) tea.Cmd {
	r, n := msg.lists, msg.count
	if r.Search == nil || r.Search.Count != n {
		return nil
	}
	n.runs, n.at = false, msg.at
	n.Rows = append(n.Rows, msg.found...)
	c.Host.Redraw()
	return r.CountOn()
}

// matches returns how many rows of a list match the search, and which of them
// the cursor is on; it is empty for a list without a search.
func (r *Lists) matches(id ListID) string {
	if r.Search == nil || r.Search.Count == nil || r.Search.Count.list != id {
		return ""
	}
	c := r.Search.Count
	total := wording.Thousands(len(c.Rows))
	if !c.done(r.ws.Shown.Index.Scanned) || len(c.Rows) >= countMost {
		total += "+"
	}
	cursor, ok := r.list(id).Cursor()
	i, hit := slices.BinarySearch(c.Rows, uint32(cursor))
	switch {
	case ok && hit:
		return " " + wording.Thousands(i+1) + " of " + total
	case ok && cursor >= c.at:
		return " ? of " + total
	}
	return " " + total
}
