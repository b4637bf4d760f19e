package ui

import (
	"mcpdbg/ui/filter"
	"mcpdbg/ui/grid"
	"mcpdbg/ui/table"
	"mcpdbg/ui/theme"
)

// scrollCells is how far one step to the side goes.
const scrollCells = 8

// list is what panes that list rows have in common.
type list struct{ *table.Table }

func (l list) setSize(w, h int) { l.SetSize(w, h) }

func (l list) paint(out *grid.Lines, focused bool) { l.Paint(out, focused) }

func (l list) filter() *filter.Filter { return nil }

// move moves the cursor.
func (l list) move(action string) bool {
	switch action {
	case actUp:
		l.Move(-1)
	case actDown:
		l.Move(1)
	case actPageUp:
		l.Page(-1)
	case actPageDown:
		l.Page(1)
	case actHalfUp:
		l.HalfPage(-1)
	case actHalfDown:
		l.HalfPage(1)
	case actTop:
		l.Home()
	case actBottom:
		l.End()
	case actLeft:
		l.ScrollX(-scrollCells)
	case actRight:
		l.ScrollX(scrollCells)
	default:
		return false
	}
	return true
}

// setTheme changes the look of the table.
func (l list) setTheme(th *theme.Theme) { l.SetTheme(th) }
