package store

import (
	"fmt"
	"slices"
	"strings"
	"sync"
)

const (
	maxText = 64 << 10
	// maxFile also limits the memory.
	maxFile = 16 << 20
)

// A Note is what a person adds to one entry. The zero value means no note.
type Note struct {
	Mark bool   `json:"mark,omitempty"`
	Text string `json:"text,omitempty"` // valid UTF-8
}

// An NotedEntry is a note with the number (n) of its entry.
type NotedEntry struct {
	N uint64 `json:"n"`
	Note
}

// Notes are the notes of one recording. They are safe for concurrent use. Changes by
// another program at the same time are not seen, but not lost, either.
type Notes struct {
	path, id string

	mu      sync.Mutex
	notes   map[uint64]Note
	order   []uint64 // keys of notes, sorted
	skipped int
	unsaved bool
}

// NotesPath returns the path of the notes of a recording.
func NotesPath(recording string) string { return recording + ".notes" }

// OpenNotes reads the notes of a recording with the given id from its header. They need not
// exist. The error is an *OtherRecordingError if the notes belong to another recording,
// and a *FormatError if the file is not a valid notes file or too large.
func OpenNotes(recording, id string) (*Notes, error) {
	x := &Notes{path: NotesPath(recording), id: id, notes: make(map[uint64]Note)}
	content, err := readFile(x.path)
	if err != nil || content == nil {
		return x, err
	}
	owner, err := parse(content, x)
	if err != nil {
		return nil, &NotesFormatError{Path: x.path, Reason: err.Error()}
	}
	if owner != id {
		return nil, &OtherNotesError{Path: x.path, ID: owner, Want: id}
	}
	return x, nil
}

// Skipped returns how many lines of the file were skipped because they are not changes.
// A torn last line is not counted.
func (x *Notes) Skipped() int { return x.skipped }

// All returns all notes, in the order of their entries.
func (x *Notes) All() []NotedEntry {
	x.mu.Lock()
	defer x.mu.Unlock()
	all := make([]NotedEntry, len(x.order))
	for i, n := range x.order {
		all[i] = NotedEntry{n, x.notes[n]}
	}
	return all
}

// At returns the note on entry n, the zero Note if there is none.
func (x *Notes) At(n uint64) Note {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.notes[n]
}

// Next returns the next marked entry after entry n.
func (x *Notes) Next(n uint64) (uint64, bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	i, found := slices.BinarySearch(x.order, n)
	if found {
		i++
	}
	for ; i < len(x.order); i++ {
		if x.notes[x.order[i]].Mark {
			return x.order[i], true
		}
	}
	return 0, false
}

// Previous returns the last marked entry before entry n.
func (x *Notes) Previous(n uint64) (uint64, bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	i, _ := slices.BinarySearch(x.order, n)
	for i--; i >= 0; i-- {
		if x.notes[x.order[i]].Mark {
			return x.order[i], true
		}
	}
	return 0, false
}

// Set sets the note on entry n, or removes it if note is the zero Note. It returns when
// the change is on the disk. Invalid UTF-8 in the text is replaced; a text that is too
// long is refused.
//
// If the change can't be written, it is kept in memory, as are all later ones, and the
// error, which is returned once, is a *SaveError.
func (x *Notes) Set(n uint64, note Note) error {
	if len(note.Text) > maxText {
		return fmt.Errorf("note of %d bytes is too long: the limit is %d", len(note.Text), maxText)
	}
	note.Text = strings.ToValidUTF8(note.Text, "\ufffd")
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.notes[n] == note {
		return nil
	}
	x.put(n, note)
	if x.unsaved {
		return nil
	}
	if err := x.save(NotedEntry{n, note}); err != nil {
		x.unsaved = true
		return &SaveNotesError{Path: x.path, Err: err}
	}
	return nil
}

// Unsaved reports whether there are notes that will be lost on exit.
func (x *Notes) Unsaved() bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.unsaved
}

func (x *Notes) put(n uint64, note Note) {
	i, found := slices.BinarySearch(x.order, n)
	switch {
	case note == Note{}:
		delete(x.notes, n)
		if found {
			x.order = slices.Delete(x.order, i, i+1)
		}
		return
	case !found:
		x.order = slices.Insert(x.order, i, n)
	}
	x.notes[n] = note
}
