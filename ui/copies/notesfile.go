package copies

import (
	tea "charm.land/bubbletea/v2"

	"mcpdbg/recordings/player"
	"mcpdbg/recordings/store"
	"mcpdbg/ui/host"
	"mcpdbg/ui/workspace"
)

// PlaceNotes reads the marks and notes from the file, once all rows are known.
func PlaceNotes(c host.Context) tea.Cmd {
	w := c.Workspace
	n := &w.Notes
	if n.File == nil || n.Placed || w.Reading != nil || w.Whole.Index.Scanned < w.Log.Len() {
		return nil
	}
	n.Placed = true
	source, file := w.Log, n.File
	return func() tea.Msg {
		var rows []int
		texts := map[int]string{}
		for _, e := range file.All() {
			row, ok := player.Numbered(source, e.N)
			if !ok {
				continue
			}
			rows = append(rows, row)
			if e.Text != "" {
				texts[row] = e.Text
			}
		}
		return host.Result{Then: func(c host.Context) tea.Cmd {
			n := &c.Workspace.Notes
			for row, text := range texts {
				n.Texts[row] = text
			}
			for _, row := range rows {
				if !n.Marks.Has(row) {
					n.Marks.Toggle(row)
				}
			}
			c.Panes().Changed()
			return nil
		}}
	}
}

// saveNote saves the mark and the note of a row, if there is a file for them.
func saveNote(c host.Context, number int) tea.Cmd {
	w := c.Workspace
	n := &w.Notes
	if n.File == nil {
		return nil
	}
	row, ok := w.Shown.Rows.At(number)
	if !ok {
		return nil
	}
	e, err := w.Shown.Source.Entry(row, 1)
	if err != nil {
		c.Host.Warn("note: " + err.Error())
		return nil
	}
	note := store.Note{Mark: n.Marks.Has(number), Text: n.Texts[number]}
	n.Pending = append(n.Pending, store.NotedEntry{N: e.N, Note: note})
	return savePendingNotes(c)
}

// savePendingNotes writes pending notes, unless a write is running.
func savePendingNotes(c host.Context) tea.Cmd {
	n := &c.Workspace.Notes
	if len(n.Saving) > 0 || len(n.Pending) == 0 {
		return nil
	}
	n.Saving, n.Pending = n.Pending, nil
	batch, file := n.Saving, n.File
	return func() tea.Msg {
		err := workspace.SetAll(file, batch)
		return host.Result{What: "note", Err: err, Then: func(c host.Context) tea.Cmd {
			c.Workspace.Notes.Saving = nil
			return savePendingNotes(c)
		}}
	}
}
