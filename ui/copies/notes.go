package copies

import (
	"cmp"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"mcpdbg/internal/wording"
	"mcpdbg/recordings/player"
	"mcpdbg/recordings/store"
	"mcpdbg/session/mcp"
	"mcpdbg/ui/host"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/widget/keymap"
	"mcpdbg/ui/widget/paint"
	"mcpdbg/ui/workspace"
)

// The names of the actions on notes.
const (
	actNote     = "note"
	actNotes    = "notes"
	actGoToNote = "go-to-note"
)

// ScopeNotes is the scope of the list of marks and notes.
const ScopeNotes = "notes"

// NoteActions are those on marks and notes.
func NoteActions() []host.Action {
	return []host.Action{
		{Entry: host.Entry{ID: actNote, Keys: []string{";"}, Scope: keymap.Global, Title: "note", Synonyms: []string{"comment", "annotate"}, Help: "Write a note on the selected row of the traffic. Marks and notes of a recording are kept in a file next to it.", Enabled: host.HasTraffic}, Do: promptForNote},
		{Entry: host.Entry{ID: actNotes, Keys: []string{"B"}, Scope: keymap.Global, Title: "marks and notes", Help: "List marks and notes, and go to one.", Enabled: host.AnyMark}, Do: openNotes},
		{Entry: host.Entry{ID: actGoToNote, Keys: []string{"enter"}, Scope: ScopeNotes, Title: "go there", Help: "Go to the row.", Priority: 90}, Do: host.On(goToNote)},
		host.Override(host.Entry{Name: host.CloseName, ID: "close-notes", Scope: ScopeNotes}),
	}
}

// ToggleMark marks the selected row, or removes its mark and its note.
func ToggleMark(c host.Context) tea.Cmd {
	n, number := &c.Workspace.Notes, c.Workspace.EntryRow(c.Workspace.Selected.Number)
	if n.Marks.Toggle(number) {
		c.Host.Notify(`row marked; ' and " go from mark to mark`)
	} else {
		delete(n.Texts, number)
		c.Host.Notify("mark removed")
	}
	c.Panes().Changed()
	return saveNote(c, number)
}

func promptForNote(c host.Context) tea.Cmd {
	number := c.Workspace.EntryRow(c.Workspace.Selected.Number)
	c.Host.Prompt(c.Workspace, host.Prompt{
		Label: "note", Hint: "text of the note; empty deletes it", Text: c.Workspace.Notes.Texts[number],
		Accept: func(c host.Context, text string) (tea.Cmd, error) {
			n := &c.Workspace.Notes
			text = strings.TrimSpace(text)
			had := n.Texts[number] != ""
			switch {
			case text != "":
				n.Texts[number] = text
				if !n.Marks.Has(number) {
					n.Marks.Toggle(number)
				}
			case had:
				delete(n.Texts, number)
				n.Marks.Toggle(number)
			}
			c.Panes().Changed()
			return saveNote(c, number), nil
		},
	})
	return nil
}

// A noteList lists marks and notes in the order of their rows.
type noteList struct {
	host.Menu
	rows []uint32
}

func openNotes(c host.Context) tea.Cmd {
	w := c.Workspace
	l := &noteList{Menu: host.Menu{Of: ScopeNotes}, rows: append([]uint32(nil), w.Notes.Marks...)}
	names := make([]string, len(l.rows))
	for i, row := range l.rows {
		names[i] = fmt.Sprint(describeRow(w, int(row)), " ", w.Notes.Texts[int(row)])
	}
	l.Set(names)
	c.Host.Open(w, l)
	return nil
}

func describeRow(w *workspace.Workspace, number int) string {
	row, ok := w.Whole.Rows.At(number)
	if !ok {
		return ""
	}
	what := w.Log.Method(row.Method)
	switch what {
	case "":
		what = row.Kind.String()
	case mcp.MethodToolsCall:
		what = cmp.Or(workspace.ToolOf(w.Log, row), what)
	}
	return kit.Direction(row.Kind) + " " + what
}

func (l *noteList) Draw(c host.Context) {
	w, screen := c.Workspace, c.Host.Screen()
	l.Box(c, kit.SheetWidth, fmt.Sprintf("Marks and notes %d", len(l.rows)), func(line *paint.Line, i int) {
		number := int(l.rows[i])
		at, _ := w.Whole.Rows.At(number)
		line.Text(screen.Theme.Dim, fmt.Sprintf("%9s  ", wording.AppendClock(nil, at.T)))
		line.Text(paint.Style{}, describeRow(w, number))
		if text := w.Notes.Texts[number]; text != "" {
			line.Text(screen.Theme.Accent, "  ; "+text)
		}
	})
}

// goToNote goes to a row, and to its moment if that is not shown yet.
func goToNote(c host.Context, l *noteList) tea.Cmd {
	i, ok := l.Current()
	if !ok {
		return nil
	}
	c.Host.Close(l)
	number := int(l.rows[i])
	if number >= c.Workspace.Shown.Index.Scanned && c.Workspace.Playback != nil {
		return c.Panes().GoToMoment(number)
	}
	c.Panes().Select(number)
	return nil
}

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
