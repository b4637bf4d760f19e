package store

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"

	"mcpdbg/framing"
)

const version = 1

type header struct {
	Version   int    `json:"mcpdbg_notes"`
	Recording string `json:"recording"`
}

// A NotesFormatError reports why a file has no valid notes.
type NotesFormatError struct {
	Path   string
	Reason string
}

func (e *NotesFormatError) Error() string { return fmt.Sprintf("notes %s: %s", e.Path, e.Reason) }

// An OtherNotesError reports that a file of notes belongs to a recording other than
// the one next to it.
type OtherNotesError struct {
	Path string
	ID   string // of the recording it belongs to
	Want string
}

func (e *OtherNotesError) Error() string {
	return fmt.Sprintf("notes %s: they belong to the recording %q, not to %q", e.Path, e.ID, e.Want)
}

// A SaveNotesError reports why notes are kept in memory only.
type SaveNotesError struct {
	Path string
	Err  error
}

func (e *SaveNotesError) Error() string {
	return fmt.Sprintf("notes are not saved and will be lost on exit: %v", e.Err)
}

// Unwrap returns the cause.
func (e *SaveNotesError) Unwrap() error { return e.Err }

var errFull = fmt.Errorf("the notes file has reached its limit of %d MiB", maxFile>>20)

// readFile returns nil if the file does not exist.
func readFile(path string) ([]byte, error) {
	switch info, err := os.Stat(path); {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("notes: %w", err)
	case !info.Mode().IsRegular():
		return nil, &NotesFormatError{Path: path, Reason: "not a regular file"}
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("notes: %w", err)
	}
	defer f.Close()
	content, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return nil, fmt.Errorf("notes: %w", err)
	}
	if len(content) > maxFile {
		return nil, &NotesFormatError{Path: path, Reason: fmt.Sprintf("larger than %d MiB", maxFile>>20)}
	}
	return content, nil
}

// parse returns the id of the recording that the file belongs to. The last line may be
// torn.
func parse(content []byte, x *Notes) (recording string, err error) {
	if bytes.HasPrefix(x.headerLine(), content) {
		return x.id, nil // at most a header, which may be torn
	}
	first, rest, _ := bytes.Cut(content, []byte{'\n'})
	var h header
	switch err := framing.Unmarshal(first, &h); {
	case err != nil || h.Version == 0:
		return "", errors.New("not a notes file")
	case h.Version != version:
		return "", fmt.Errorf("unknown format version %d", h.Version)
	}
	last := make(map[uint64]Note)
	for len(rest) > 0 {
		line, more, whole := bytes.Cut(rest, []byte{'\n'})
		if !whole {
			break
		}
		x.read(line, last)
		rest = more
	}
	for n, note := range last {
		if note != (Note{}) {
			x.notes[n] = note
			x.order = append(x.order, n)
		}
	}
	slices.Sort(x.order)
	return h.Recording, nil
}

// read reads a line, one change, into last.
func (x *Notes) read(line []byte, last map[uint64]Note) {
	if len(line) < len(`{"n":1}`) || line[0] != '{' {
		x.skipped++ // fast path for a file full of such lines
		return
	}
	var e struct {
		NotedEntry
		header // written again if two programs created the file at the same time
	}
	switch err := framing.Unmarshal(line, &e); {
	case err == nil && e.N == 0 && e.Version == version && e.Recording == x.id:
	case err != nil, e.N == 0, len(e.Text) > maxText:
		x.skipped++
	default:
		last[e.N] = e.Note
	}
}

// The file is created if necessary.
func (x *Notes) save(e NotedEntry) error {
	f, err := os.OpenFile(x.path, os.O_RDWR|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	return errors.Join(x.append(f, e), f.Close())
}

func (x *Notes) append(f *os.File, e NotedEntry) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	before, err := x.lead(f, info.Size())
	if err != nil {
		return err
	}
	line, err := json.Marshal(e)
	if err != nil {
		return err
	}
	line = append(append(before, line...), '\n')
	if info.Size()+int64(len(line)) > maxFile {
		return errFull
	}
	if _, err := f.Write(line); err != nil {
		return err
	}
	return f.Sync()
}

// lead returns what must be written before a change: the header, its missing part, or the
// end of a torn line.
func (x *Notes) lead(f *os.File, size int64) ([]byte, error) {
	line := x.headerLine()
	have := make([]byte, min(size, int64(len(line))))
	if _, err := f.ReadAt(have, 0); err != nil {
		return nil, err
	}
	if bytes.HasPrefix(line, have) && len(have) < len(line) {
		return line[len(have):], nil
	}
	var last [1]byte
	if _, err := f.ReadAt(last[:], size-1); err != nil {
		return nil, err
	}
	if last[0] != '\n' {
		return []byte{'\n'}, nil
	}
	return nil, nil
}

func (x *Notes) headerLine() []byte {
	line, _ := json.Marshal(header{version, x.id}) // never fails
	return append(line, '\n')
}
