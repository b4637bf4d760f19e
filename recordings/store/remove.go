package store

import (
	"cmp"
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

// Candidates are the recordings in folders that limits apply to, in the order of rec ls.
type Candidates struct {
	Paths []string
	All   []recordings.Kept
	Live  int // recordings in progress
	Noted int // recordings kept for their marks or notes
	Named int // recordings kept for a name that is not of package recordings
}

// A Reach is which recordings may be removed besides those that are finished and as this
// program left them.
type Reach struct {
	Noted bool // those with marks or notes
	Named bool // those with another name than package recordings gives
	// Own skips those with another name: they do not count, either.
	Own bool
}

// ReadCandidates reads the recordings of folders that limits apply to.
func ReadCandidates(ctx context.Context, reach Reach, folders ...string) (*Candidates, error) {
	var files []Recording
	for _, folder := range folders {
		some, err := List(folder)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		files = append(files, some...)
	}
	newestFirst(files)
	s := &Candidates{}
	for i := range files {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		file := &files[i]
		if _, _, own := recordings.OwnName(filepath.Base(file.Path)); !own && reach.Own {
			continue
		}
		summary, err := recordings.Peek(file.Path)
		if err != nil {
			continue // not a recording, or unreadable
		}
		s.add(file, &summary, reach)
	}
	return s, nil
}

func (s *Candidates) add(file *Recording, summary *recordings.Summary, reach Reach) {
	k := recordings.Kept{Start: cmp.Or(summary.Header.Start, file.When), Modified: summary.Modified, Size: Size(file.Path)}
	_, _, own := recordings.OwnName(filepath.Base(file.Path))
	_, noNotes := os.Lstat(NotesPath(file.Path))
	switch {
	case summary.State == session.RecordingOn:
		k.Held = true
		s.Live++
	case !own && !reach.Named:
		k.Held = true
		s.Named++
	case noNotes == nil && !reach.Noted:
		k.Held = true
		s.Noted++
	}
	s.Paths, s.All = append(s.Paths, file.Path), append(s.All, k)
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
		to.add(file, &summary, Reach{})
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
