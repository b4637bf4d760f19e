package player

import (
	tea "charm.land/bubbletea/v2"

	"mcpdbg/session"
	"mcpdbg/ui/workspace"
)

// A State is the player of one recording on the screen.
type State struct {
	lists Lists
	bar   barPlace // as it was painted last
}

// New returns a player that shows moments in lists.
func New(lists Lists) *State { return &State{lists: lists} }

// Lists are what the player does with the lists of rows of its recording.
type Lists struct {
	// Following reports whether the list with the cursor follows new rows.
	Following func() bool
	// Follow makes it follow.
	Follow func()
	// FollowTraffic makes the traffic follow.
	FollowTraffic func()
	// FollowFrom makes the lists follow whose selected row is not among the first rows.
	FollowFrom func(rows int)
	// Reveal goes to the list that has rows of a kind, which then follows.
	Reveal func(session.Kind)
	// Relist lists the rows of a projection that has grown.
	Relist func()
	// Turn shows another projection.
	Turn func(*workspace.Projection) tea.Cmd
}
