package cli

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"mcpdbg/recordings"
	"mcpdbg/session"
	"mcpdbg/session/target"
)

// A home is what there is to be debugged or opened.
type home struct {
	files []target.File // of the known places; those that can't be read have Err
	notes []string      // what was not looked into, and why

	folder string // of recordings
	recent []recent
	total  int // recordings in the folder
}

// maxRecent is how many recordings are listed.
const maxRecent = 10

// A recent recording, as its folder and its first and last line tell of it.
type recent struct {
	path   string
	when   time.Time // it began, or it was written, if its name does not say
	size   int64
	header session.Header // empty if it can't be read
	whole  bool           // it is finished: not being written, and nothing was cut off
}

// lookAround finds out what there is.
func lookAround() home {
	opts, err := targetOptions()
	h := home{files: target.Discover(opts)}
	if err != nil {
		h.notes = append(h.notes, err.Error())
	}
	if h.folder, err = recordings.DefaultDir(); err != nil {
		h.notes = append(h.notes, "recordings: "+err.Error())
		return h
	}
	if h.recent, h.total, err = listRecordings(h.folder); err != nil && !errors.Is(err, fs.ErrNotExist) {
		h.notes = append(h.notes, "recordings: "+err.Error())
	}
	return h
}

// servers is how many servers were found.
func (h *home) servers() int {
	n := 0
	for i := range h.files {
		n += len(h.files[i].Entries)
	}
	return n
}

// listRecordings lists the newest recordings of a folder, the newest first, and
// tells how many there are.
func listRecordings(folder string) ([]recent, int, error) {
	all, err := datedRecordings(folder)
	if err != nil {
		return nil, 0, err
	}
	newest := all[:min(len(all), maxRecent)]
	for i := range newest {
		newest[i].look()
	}
	return newest, len(all), nil
}

// datedRecordings are the files of a folder that are named as recordings are,
// the newest first, without later parts of others. None of them has been read.
func datedRecordings(folder string) ([]recent, error) {
	files, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	var all []recent
	for _, f := range files {
		if !f.Type().IsRegular() || filepath.Ext(f.Name()) != ".jsonl" {
			continue
		}
		path := filepath.Join(folder, f.Name())
		if _, part := recordings.FirstPart(path); part {
			continue
		}
		if r := (recent{path: path}); r.date(f) {
			all = append(all, r)
		}
	}
	slices.SortStableFunc(all, func(a, b recent) int { return b.when.Compare(a.when) })
	return all, nil
}

// date finds when a recording was made: its name says it, or else the file's
// time. It is false for a file that is gone.
func (r *recent) date(f fs.DirEntry) bool {
	const layout = "20060102-150405"
	if name := f.Name(); len(name) > len(layout) {
		if when, err := time.Parse(layout, name[:len(layout)]); err == nil {
			r.when = when.Local()
			return true
		}
	}
	info, err := f.Info()
	if err != nil {
		return false
	}
	r.when = info.ModTime()
	return true
}

// look reads the first and the last line. What can't be read stays empty.
func (r *recent) look() {
	s, err := recordings.Peek(r.path)
	if info, statErr := os.Stat(r.path); err != nil && statErr == nil {
		s.Size = info.Size()
	}
	r.size, r.header, r.whole = s.Size, s.Header, s.State == session.RecordingDone
}

// name is what the recorded server is called: in the middle of the names that
// package recordings gives, or else its program.
func (r *recent) name() string {
	base := filepath.Base(r.path)
	if server, _, ok := recordings.OwnName(base); ok {
		return server
	}
	if len(r.header.Argv) > 0 {
		return filepath.Base(r.header.Argv[0])
	}
	return base
}

// where says on which machine an entry runs, or ran.
func where(host string) string {
	if host == "" {
		return "local"
	}
	return host
}

// shortPath is path with ~ for the home directory, or relative if that is
// shorter and below the current one.
func shortPath(path string) string {
	if cwd, err := os.Getwd(); err == nil && contains(cwd, path) {
		if rel, err := filepath.Rel(cwd, path); err == nil {
			return rel
		}
	}
	if dir, err := os.UserHomeDir(); err == nil && dir != "" && contains(dir, path) {
		if rel, err := filepath.Rel(dir, path); err == nil {
			return filepath.Join("~", rel)
		}
	}
	return path
}

// atHome is the program without arguments.
func (a *app) atHome(ctx context.Context) error {
	if a.terminal {
		return a.homeScreen(ctx)
	}
	h := lookAround()
	_, err := io.WriteString(a.stdout, h.plain())
	return err
}

// commandText is a server's command line as it is shown: without secrets.
func commandText(e *target.Entry) string {
	words := make([]string, len(e.Argv))
	for i, arg := range e.Argv {
		words[i] = arg.String()
	}
	return strings.Join(words, " ")
}
