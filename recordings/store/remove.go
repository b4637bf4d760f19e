package store

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"mcpdbg/recordings"
	"mcpdbg/session"
)

// ShortName returns the last part of a name made by package recordings, or "" for
// other names.
func ShortName(base string) string {
	_, letters, _ := recordings.OwnName(base)
	return letters
}

// Candidates are the recordings in folders that limits apply to.
type Candidates struct {
	Paths []string
	All   []recordings.Kept
	Live  int // recordings in progress
	Noted int // recordings kept for their marks or notes
}

// ReadCandidates reads the recordings of folders that limits apply to; noted are
// those with marks or notes.
func ReadCandidates(ctx context.Context, noted bool, folders ...string) (*Candidates, error) {
	var files []Recording
	for _, folder := range folders {
		some, err := List(folder)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		files = append(files, some...)
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
		s.add(file.Path, &summary, noted)
	}
	return s, nil
}

func (s *Candidates) add(path string, summary *recordings.Summary, noted bool) {
	k := recordings.Kept{Start: summary.Header.Start, Modified: summary.Modified, Size: Size(path)}
	if summary.State == session.RecordingOn {
		k.Held = true
		s.Live++
	} else if _, err := os.Lstat(NotesPath(path)); err == nil && !noted {
		k.Held = true
		s.Noted++
	}
	s.Paths, s.All = append(s.Paths, path), append(s.All, k)
}

// PruneTap applies limits to the recordings of one name of a tap, which are next to that at
// path and named like it. Short ones do not count against the others, and as many of them
// are kept. Those that are written, and those with marks or notes, stay.
func PruneTap(path, name string, keep recordings.Retention) {
	server, _, ok := recordings.OwnName(filepath.Base(path))
	files, err := List(filepath.Dir(path))
	if !ok || err != nil {
		return
	}
	var long, short Candidates
	for i := range files {
		file := &files[i]
		if of, _, ok := recordings.OwnName(filepath.Base(file.Path)); !ok || of != server {
			continue
		}
		summary, err := recordings.Peek(file.Path)
		if err != nil || summary.Header.Mode != session.ModeTap || summary.Header.Name != name {
			continue
		}
		to := &long
		file.Header, file.State, file.Counts = summary.Header, summary.State, summary.Counts
		if file.Short() {
			to = &short
		}
		to.add(file.Path, &summary, false)
	}
	for _, c := range []*Candidates{&long, &short} {
		for _, i := range keep.Excess(c.All, time.Now()) {
			_ = Remove(c.Paths[i], false) // on failure, the next session retries
		}
	}
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
