package store

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"mcpdbg/recordings"
	"mcpdbg/session"
)

// ShortName returns the last part of a name made by package recordings, or "" for
// other names.
func ShortName(base string) string {
	_, letters, _ := recordings.OwnName(base)
	return letters
}

// Candidates are the recordings in a folder that limits apply to.
type Candidates struct {
	Paths []string
	All   []recordings.Kept
	Live  int // recordings in progress
	Noted int // recordings kept for their marks or notes
}

// ReadCandidates reads the recordings of a folder that limits apply to; noted are
// those with marks or notes.
func ReadCandidates(ctx context.Context, folder string, noted bool) (*Candidates, error) {
	files, err := List(folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	s := &Candidates{}
	for _, file := range files {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if _, _, ok := recordings.OwnName(filepath.Base(file.Path)); !ok {
			continue
		}
		summary, err := recordings.Peek(file.Path)
		if err != nil {
			continue // not a recording, or unreadable
		}
		k := recordings.Kept{Start: summary.Header.Start, Modified: summary.Modified, Size: Size(file.Path)}
		if summary.State == session.RecordingOn {
			k.Held = true
			s.Live++
		} else if _, err := os.Lstat(NotesPath(file.Path)); err == nil && !noted {
			k.Held = true
			s.Noted++
		}
		s.Paths, s.All = append(s.Paths, file.Path), append(s.All, k)
	}
	return s, nil
}

// Remove removes a recording with its parts and notes.
func Remove(path string, force bool) error {
	if err := recordings.Remove(path, force); err != nil {
		return err
	}
	if err := os.Remove(NotesPath(path)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// Size returns the size of a recording in bytes, including its notes.
func Size(path string) int64 {
	total := int64(0)
	if s, err := recordings.Peek(path); err == nil {
		total = s.Size
	}
	if info, err := os.Lstat(NotesPath(path)); err == nil {
		total += info.Size()
	}
	return total
}
