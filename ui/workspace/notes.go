package workspace

import (
	"errors"

	"mcpdbg/recordings/notes"
)

// Notes are the user's marks and notes on rows. They are saved in their file, one
// batch at a time, in commands. Without a file they last as long as the program.
type Notes struct {
	Marks Marks
	Texts map[int]string // the notes by row; all these rows are marked

	File    *notes.Notes
	Placed  bool          // the notes in the file are on the screen
	Pending []notes.Entry // not passed to a command yet
	Saving  []notes.Entry // in the command that is running
}

// SetAll writes a batch of notes to the file and returns all errors.
func SetAll(file *notes.Notes, batch []notes.Entry) error {
	var errs []error
	for _, e := range batch {
		errs = append(errs, file.Set(e.N, e.Note))
	}
	return errors.Join(errs...)
}

// End writes the notes that no command has written yet. It also writes those of a
// running command: setting a note twice changes nothing.
func (n *Notes) End() error {
	if n.File == nil {
		return nil
	}
	return SetAll(n.File, append(n.Saving, n.Pending...))
}

// Renumber changes the marks and notes to the new numbers of their rows.
func (n *Notes) Renumber(moved Renumber) {
	if moved == nil {
		return
	}
	n.Marks.renumber(moved)
	texts := make(map[int]string, len(n.Texts))
	for row, text := range n.Texts {
		texts[moved(row)] = text
	}
	n.Texts = texts
}

// Note returns the note on the selected row, "" if there is none.
func (w *Workspace) Note() string {
	if !w.Selected.OK {
		return ""
	}
	return w.Notes.Texts[w.EntryRow(w.Selected.Number)]
}
