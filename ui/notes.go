package ui

import (
	"errors"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"mcpdbg/recordings/notes"
	"mcpdbg/recordings/player"
	"mcpdbg/session"
	"mcpdbg/ui/keymap"
	"mcpdbg/ui/paint"
	"mcpdbg/ui/theme"
)

// The names of the actions on notes.
const (
	actNote       = "note"
	actNotes      = "notes"
	actGoToNote   = "go-to-note"
	actCloseNotes = "close-notes"
)

const scopeNotes = "notes"

func noteActions() []action {
	return append([]action{
		{entry{ID: actNote, Keys: []string{";"}, Scope: keymap.Global, Title: "note", Help: "Write a note on the selected row of the traffic. Of a recording it is kept in a file beside it, as marks are.", Enabled: trafficSelected}, nothing((*App).askNote)},
		{entry{ID: actNotes, Keys: []string{"B"}, Scope: keymap.Global, Title: "marks and notes", Help: "List the marks and the notes, and go to one.", Enabled: anyMark}, nothing((*App).openNotes)},
		{entry{ID: actGoToNote, Keys: []string{"enter"}, Scope: scopeNotes, Title: "go there", Help: "Go to the row.", Priority: 90}, on((*App).goToNote)},
		{entry{ID: actCloseNotes, Keys: []string{"esc"}, Scope: scopeNotes, Title: "close", Help: "Close the list.", Priority: 80}, nothing((*App).pop)},
	}, pickerActions(scopeNotes)...)
}

// A noteKeeper brings marks and notes of a person to their file, one after the
// other, in commands. Without a file they live as long as the program.
type noteKeeper struct {
	file    *notes.Notes
	placed  bool          // those of the file are on the screen
	pending []notes.Entry // not handed to a command yet
	saving  []notes.Entry // by the command under way
}

// placeNotes shows the notes of the file, once all rows are known.
func (a *App) placeNotes() tea.Cmd {
	k := &a.notes
	if k.file == nil || k.placed || a.reading != nil || a.whole.index.scanned < a.log.Len() {
		return nil
	}
	k.placed = true
	source, file := a.log, k.file
	return func() tea.Msg {
		var rows marks
		texts := map[int]string{}
		for _, e := range file.All() {
			row, ok := player.Numbered(source, e.N)
			if !ok {
				continue
			}
			rows = append(rows, uint32(row))
			if e.Text != "" {
				texts[row] = e.Text
			}
		}
		return result{then: func(a *App) tea.Cmd {
			for row, text := range texts {
				a.traffic.texts[row] = text
			}
			for _, row := range rows {
				if !a.traffic.marks.has(int(row)) {
					a.traffic.marks.toggle(int(row))
				}
			}
			a.notesChanged()
			return nil
		}}
	}
}

func (a *App) notesChanged() {
	a.traffic.SetFlags(len(a.traffic.marks) > 0)
	a.traffic.Turned(nil)
	a.markAll()
}

// keepNote brings the mark and the note of a row to the file.
func (a *App) keepNote(number int) tea.Cmd {
	k := &a.notes
	if k.file == nil {
		return nil
	}
	row, ok := a.rows.at(number)
	if !ok {
		return nil
	}
	e, err := a.source.Entry(row, 1)
	if err != nil {
		a.complain("note: " + err.Error())
		return nil
	}
	note := notes.Note{Mark: a.traffic.marks.has(number), Text: a.traffic.texts[number]}
	k.pending = append(k.pending, notes.Entry{N: e.N, Note: note})
	return a.saveNotes()
}

// saveNotes writes what is pending, unless something is being written.
func (a *App) saveNotes() tea.Cmd {
	k := &a.notes
	if len(k.saving) > 0 || len(k.pending) == 0 {
		return nil
	}
	k.saving, k.pending = k.pending, nil
	batch, file := k.saving, k.file
	return func() tea.Msg {
		err := setAll(file, batch)
		return result{what: "note", err: err, then: func(a *App) tea.Cmd {
			a.notes.saving = nil
			return a.saveNotes()
		}}
	}
}

func setAll(file *notes.Notes, batch []notes.Entry) error {
	var errs []error
	for _, e := range batch {
		errs = append(errs, file.Set(e.N, e.Note))
	}
	return errors.Join(errs...)
}

// end writes what no command has written yet. What one is writing is written
// once: to set a note to what it is changes nothing.
func (k *noteKeeper) end() error {
	if k.file == nil {
		return nil
	}
	return setAll(k.file, append(k.saving, k.pending...))
}

// endNotes writes the notes of all that is open.
func (a *App) endNotes() error {
	var errs []error
	for _, s := range a.subjects {
		errs = append(errs, s.notes.end())
	}
	return errors.Join(errs...)
}

// askNote asks for the text of the note on the selected row.
func (a *App) askNote() {
	number := a.selected.number
	a.prompt = newPrompt("note", "what is to be known of this row; empty takes the note away", a.traffic.texts[number], func(a *App, text string) (tea.Cmd, error) {
		t := a.traffic
		text = strings.TrimSpace(text)
		had := t.texts[number] != ""
		switch {
		case text != "":
			t.texts[number] = text
			if !t.marks.has(number) {
				t.marks.toggle(number)
			}
		case had:
			delete(t.texts, number)
			t.marks.toggle(number)
		}
		a.notesChanged()
		return a.keepNote(number), nil
	})
}

// noteOf is the note on the row that is selected.
func (a *App) noteOf(s selection) string {
	if !s.ok {
		return ""
	}
	return a.traffic.texts[s.number]
}

// A noteList shows marks and notes, in the order of their rows.
type noteList struct {
	menu
	rows []uint32
}

func (a *App) openNotes() {
	l := &noteList{menu: menu{of: scopeNotes}, rows: append([]uint32(nil), a.traffic.marks...)}
	names := make([]string, len(l.rows))
	for i, row := range l.rows {
		names[i] = fmt.Sprint(a.whatIs(int(row)), " ", a.traffic.texts[int(row)])
	}
	l.set(names)
	a.push(l)
}

// whatIs names a row in a few words.
func (a *App) whatIs(number int) string {
	row, ok := a.whole.rows.at(number)
	if !ok {
		return ""
	}
	what := a.log.Method(row.Method)
	if what == "" {
		what = row.Kind.String()
	}
	return direction(row.Kind) + " " + what
}

func (l *noteList) paint(a *App) {
	l.box(a, sheetWidth, fmt.Sprintf("Marks and notes %d", len(l.rows)), "enter goes there", func(line *paint.Line, i int, style theme.Style) {
		number := int(l.rows[i])
		var at session.Row
		at, _ = a.whole.rows.at(number)
		line.Text(a.theme.Dim, fmt.Sprintf("%9s  ", appendClock(nil, at.T)))
		line.Text(style, a.whatIs(number))
		if text := a.traffic.texts[number]; text != "" {
			line.Text(a.theme.Key, "  ; "+text)
		}
	})
}

// goToNote goes to a row, and to its moment if that is not shown yet.
func (a *App) goToNote(l *noteList) tea.Cmd {
	i, ok := l.current()
	if !ok {
		return nil
	}
	a.pop()
	number := int(l.rows[i])
	if number >= a.index.scanned && a.playback != nil {
		return a.goToPoint(number)
	}
	a.selectTraffic(number)
	return nil
}
