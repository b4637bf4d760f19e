package ui

import (
	tea "charm.land/bubbletea/v2"

	"mcpdbg/ui/host"
	"mcpdbg/ui/notes"
	"mcpdbg/ui/wire"
)

// noteShell is what the screen of notes uses of the traffic pane and the player.
var noteShell = notes.Shell{
	Selected: wire.Selected,
	Changed:  notesChanged,
	GoTo:     func(c host.Context, row int) tea.Cmd { return playerOf(c).GoTo(c, row) },
}

// notesChanged shows changed marks and notes.
func notesChanged(c host.Context) {
	s := screenIn(c)
	s.rows.ShowMarks()
	s.app.canvas.markAll()
}

// toggleMark marks the selected row, or removes its mark and its note.
func toggleMark(c host.Context) tea.Cmd {
	n, number := &c.Workspace.Notes, c.Workspace.EntryRow(c.Workspace.Selected.Number)
	if n.Marks.Toggle(number) {
		c.Host.Notify(`row marked; ' and " go from mark to mark`)
	} else {
		delete(n.Texts, number)
		c.Host.Notify("mark removed")
	}
	notesChanged(c)
	return notes.Save(c, number)
}

// listsOf returns the lists of the session that a context is about.
func listsOf(c host.Context) *wire.Lists { return screenIn(c).rows }
