package host

import (
	tea "charm.land/bubbletea/v2"

	"mcpdbg/session"
	"mcpdbg/ui/widget/filter"
	"mcpdbg/ui/widget/table"
	"mcpdbg/ui/workspace"
)

// Panes are the panes of one workspace, as its other screens use them: the lists of
// rows, which are the traffic, stderr and the events, and the detail of the selected
// row.
type Panes interface {
	// Refresh takes in what has changed in the log.
	Refresh() tea.Cmd
	// Changed shows changed marks, notes and problems.
	Changed()
	// Turn shows another projection of the log.
	Turn(*workspace.Projection) tea.Cmd
	// Relist lists the new rows of a shown projection that has grown.
	Relist()

	// Select selects a row of the traffic.
	Select(row int)
	// GoTo selects a row in the list that has it, which gets the focus.
	GoTo(row int)
	// GoToMoment shows a recording up to a row that is not shown yet.
	GoToMoment(row int) tea.Cmd

	// Passing returns the rows of the traffic that pass the filter, the filter, which
	// is nil if there is none, and whether all rows have been checked.
	Passing() (rows *table.Folded, shown *filter.Filter, all bool)
	// SetFilter shows only the traffic that passes a filter, all of it for nil.
	SetFilter(*filter.Filter) tea.Cmd

	// Following reports whether the list that was focused last follows new rows.
	Following() bool
	// Follow makes that list follow.
	Follow()
	// FollowTraffic makes the traffic follow.
	FollowTraffic()
	// FollowKind gives the focus to the list that has rows of a kind, and makes it
	// follow.
	FollowKind(session.Kind)
	// FollowFrom makes the lists follow whose selected row is not among the first rows.
	FollowFrom(rows int)

	// OpenDetail shows the detail of the selected row full size, unless it has the focus.
	OpenDetail()
	// Value returns the value under the cursor of the detail with its paths: a JSON
	// Pointer, "" if there is none, and a jq expression. ok is false without such a
	// cursor.
	Value() (value, pointer, jq string, ok bool)
	// Part returns the text of the part under the cursor of the content view, and what
	// it is; ok is false without one.
	Part() (name, text string, ok bool)
}

// Panes are the panes of the workspace.
func (c Context) Panes() Panes { return c.Host.Panes(c.Workspace) }
