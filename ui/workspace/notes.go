package workspace

import (
	"errors"
	"slices"

	"mcpdbg/recordings/store"
)

// Notes are the user's marks and notes on rows. Commands save them in their file, one
// batch at a time. Without a file they last as long as the program.
type Notes struct {
	Marks Marks
	Texts map[int]string // by row; all these rows are marked

	File    *store.Notes
	Placed  bool               // those in the file are on the screen
	Pending []store.NotedEntry // not passed to a command yet
	Saving  []store.NotedEntry // in the running command
}

// SetAll writes a batch of notes to the file and returns all errors.
func SetAll(file *store.Notes, batch []store.NotedEntry) error {
	var errs []error
	for _, e := range batch {
		errs = append(errs, file.Set(e.N, e.Note))
	}
	return errors.Join(errs...)
}

// End writes the unwritten notes, also those of a running command: setting a note twice
// changes nothing.
func (n *Notes) End() error {
	if n.File == nil {
		return nil
	}
	return SetAll(n.File, append(n.Saving, n.Pending...))
}

// Renumber changes marks and notes to new row numbers.
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

// Note returns the note on the selected row, or "".
func (w *Workspace) Note() string {
	if !w.Selected.OK {
		return ""
	}
	return w.Notes.Texts[w.EntryRow(w.Selected.Number)]
}

// Marks are the marked rows, in ascending order.
type Marks []uint32

// Has reports whether a row is marked.
func (m Marks) Has(row int) bool {
	_, ok := slices.BinarySearch(m, uint32(row))
	return ok
}

// Toggle sets or clears the mark of a row, and reports whether it is set.
func (m *Marks) Toggle(row int) bool {
	i, ok := slices.BinarySearch(*m, uint32(row))
	if ok {
		*m = slices.Delete(*m, i, i+1)
	} else {
		*m = slices.Insert(*m, i, uint32(row))
	}
	return !ok
}

// Next returns the nearest listed marked row below (1) or above (-1) a row, and how many
// nearer ones are not listed.
func (m Marks) Next(row, by int, listed func(row int) bool) (found, hidden int, ok bool) {
	i, exact := slices.BinarySearch(m, uint32(row))
	if by < 0 {
		i--
	} else if exact {
		i++
	}
	for ; i >= 0 && i < len(m); i += by {
		if listed(int(m[i])) {
			return int(m[i]), hidden, true
		}
		hidden++
	}
	return 0, hidden, false
}

func (m Marks) renumber(moved Renumber) {
	for i, row := range m {
		m[i] = uint32(moved(int(row)))
	}
	slices.Sort(m)
}
