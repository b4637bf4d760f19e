// Package store is a folder of recordings: it lists them by date, removes them with
// their notes, and finds those that limits apply to. It reads only the first and the
// last line of a file.
//
// Marks and texts that a person adds to entries are in a separate file
// next to it: see docs/reference/recording-format.md. The file is an append-only list of
// changes: each one is on the disk when Set returns, and a crash loses at most the one that
// was being written. Where the file can't be written, notes exist until the program exits,
// and one error says so.
package store

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"time"

	"mcpdbg/recordings"
	"mcpdbg/session"
	"mcpdbg/session/diagnosis/cause"
	"mcpdbg/session/via"
)

// A Recording in a folder: its name tells Path and When, Look reads its first and
// last line, and Examine reads the rest.
type Recording struct {
	Path string
	When time.Time // its start, or if the name lacks it, the file's time

	// Set by Look.
	Size     int64
	Header   session.Header // empty if it can't be read
	State    session.RecordingState
	Stopped  string             // why the recorder could not write the rest; "" if it did
	Duration int64              // in microseconds, -1 if unknown
	Counts   *session.EndCounts // nil if the last entry has none

	// Set by Examine.
	Examined bool
	Cause    string // the likeliest cause of the problems; "" if there are none
}

// List returns the files in a folder that are named like recordings,
// newest first, without later parts. It reads none of them.
func List(folder string) ([]Recording, error) {
	files, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	var all []Recording
	for _, f := range files {
		if !f.Type().IsRegular() || filepath.Ext(f.Name()) != ".jsonl" {
			continue
		}
		path := filepath.Join(folder, f.Name())
		if _, part := recordings.FirstPart(path); part {
			continue
		}
		if r := (Recording{Path: path}); r.date(f) {
			all = append(all, r)
		}
	}
	newestFirst(all)
	return all, nil
}

// ListOwn returns the recordings in the folders where sessions and taps are recorded,
// newest first, and these folders: the second only if it has some. A folder that does not
// exist is empty.
func ListOwn() (folders []string, all []Recording, err error) {
	folder, err := recordings.DefaultDir()
	if err != nil {
		return nil, nil, err
	}
	folders = []string{folder}
	if all, err = List(folder); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return folders, nil, err
	}
	taps, err := recordings.TapDir()
	if err != nil || taps == folder {
		return folders, all, nil
	}
	some, err := List(taps)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return folders, all, err
	}
	if len(some) > 0 {
		folders, all = append(folders, taps), append(all, some...)
		newestFirst(all)
	}
	return folders, all, nil
}

func newestFirst(all []Recording) {
	sort.SliceStable(all, func(i, j int) bool {
		a, b := &all[i], &all[j]
		return b.When.Compare(a.When) < 0
	})
}

// date uses the name of the recording, or else the file's time. It returns false if the
// file is gone.
func (r *Recording) date(f fs.DirEntry) bool {
	const layout = "20060102-150405"
	if name := f.Name(); len(name) > len(layout) {
		if when, err := time.Parse(layout, name[:len(layout)]); err == nil {
			r.When = when.Local()
			return true
		}
	}
	info, err := f.Info()
	if err != nil {
		return false
	}
	r.When = info.ModTime()
	return true
}

// Whole reports whether the recording is finished: not being written, and not cut
// off.
func (r *Recording) Whole() bool { return r.State == session.RecordingDone }

// Short reports whether a recording of a tap has nothing beyond the handshake, as those of
// clients that probe a server or check its health.
func (r *Recording) Short() bool {
	const handshake = 2 // messages of a client
	return r.Header.Mode == session.ModeTap && r.State != session.RecordingOn && r.Counts != nil &&
		(r.Counts.Out <= 1 || r.Counts.Out == handshake && r.Counts.In <= 1) // two requests have two responses
}

// Name returns the name of the recorded server, from the file name if package
// recordings made it, or else that of its program.
func (r *Recording) Name() string {
	base := filepath.Base(r.Path)
	if server, _, ok := recordings.OwnName(base); ok {
		return server
	}
	if len(r.Header.Argv) > 0 {
		return filepath.Base(r.Header.Argv[0])
	}
	return base
}

// Command returns the recorded command in short, after the place that it ran in; the
// name of the server before Look has read it.
func (r *Recording) Command() string {
	text := Brief(r.Header.Argv)
	if text == "" {
		return r.Name()
	}
	if where := via.Where(r.Header.ExecServer, r.Header.Via, r.Header.Host); where != "" {
		text = where + ": " + text
	}
	return text
}

// Examine reads no larger recording.
const maxExamined = 8 << 20

// Look reads the first and the last line, in well below a millisecond. Fields that
// they lack stay empty. The error is that of recordings.Peek.
func (r *Recording) Look() error {
	s, err := recordings.Peek(r.Path)
	if info, statErr := os.Stat(r.Path); err != nil && statErr == nil {
		s.Size = info.Size()
	}
	r.Size, r.Header, r.State, r.Stopped = s.Size, s.Header, s.State, s.Stopped
	r.Duration, r.Counts = s.Duration, s.Counts
	return err
}

// Examine reads all entries of a recording of up to 8 MiB, for its counts and the
// likeliest cause of its problems. It does nothing for a larger one, and
// for one that Look has not read.
func (r *Recording) Examine(ctx context.Context) error {
	if r.Size == 0 || r.Size > maxExamined {
		return nil
	}
	rec, err := recordings.OpenContext(ctx, r.Path)
	if err != nil {
		return err
	}
	defer rec.Close()
	stats := rec.Stats()
	counts := stats.EndCounts()
	found := cause.Find(ctx, rec)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	r.Examined, r.Counts, r.Cause = true, &counts, ""
	if len(found) > 0 {
		r.Cause = found[0].Text
	}
	return nil
}
