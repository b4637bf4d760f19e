package history

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"mcpdbg/internal/verify"
)

// DefaultKeep is how many runs a folder keeps.
const DefaultKeep = 400

// Limits of what is read of a folder: the newest runs.
const (
	maxRuns   = 2000
	maxFolder = 256 << 20 // bytes
)

// A Series is the runs of a folder.
type Series struct {
	Runs  []*Digest // the oldest first
	Notes []string  // about runs that were not read, a sentence each

	folder string
}

// Open reads a folder, which it makes if missing, and checks that a run can be added.
func Open(ctx context.Context, folder string) (*Series, error) {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, err
	}
	f, err := os.CreateTemp(folder, temporary)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(f.Close(), os.Remove(f.Name())); err != nil {
		return nil, err
	}
	return Read(ctx, folder)
}

const (
	temporary = ".mcpdbg-*.tmp"
	extension = ".json"
)

// Read reads a folder. Files with other names are ignored.
func Read(ctx context.Context, folder string) (*Series, error) {
	s := &Series{folder: folder}
	names, err := s.names()
	if err != nil {
		return nil, err
	}
	total := int64(0)
	for i := len(names) - 1; i >= 0; i-- {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if len(s.Runs) == maxRuns || total > maxFolder {
			s.Notes = append(s.Notes, fmt.Sprintf("%d older runs were not read", i+1))
			break
		}
		d, size, err := readFile(filepath.Join(folder, names[i]))
		if err == nil && d.ID+extension != names[i] {
			err = errors.New("it has the id of another run")
		}
		if err != nil {
			s.Notes = append(s.Notes, fmt.Sprintf("%s was not read: %v", names[i], err))
			continue
		}
		s.Runs = append(s.Runs, d)
		total += size
	}
	slices.Reverse(s.Runs)
	return s, nil
}

// names returns the files that may be digests, the oldest first.
func (s *Series) names() ([]string, error) {
	entries, err := os.ReadDir(s.folder)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		if id, ok := strings.CutSuffix(e.Name(), extension); ok && isID(id) && e.Type().IsRegular() {
			names = append(names, e.Name())
		}
	}
	return names, nil
}

func readFile(path string) (*Digest, int64, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, 0, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, 0, err
	}
	d, err := read(f)
	return d, info.Size(), err
}

// Add writes the digest of a run, and removes the oldest runs beyond keep. An existing
// file is never written: the error is then fs.ErrExist.
func (s *Series) Add(d *Digest, keep int) error {
	if !isID(d.ID) {
		return fmt.Errorf("invalid id %.40q", d.ID)
	}
	var text bytes.Buffer
	if err := d.write(&text); err != nil {
		return err
	}
	if err := create(filepath.Join(s.folder, d.ID+extension), text.Bytes()); err != nil {
		return err
	}
	return s.prune(keep)
}

func create(path string, text []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), temporary) // 0600
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(f.Name()) }()
	_, err = f.Write(text)
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	if err = os.Link(f.Name(), path); err == nil || errors.Is(err, fs.ErrExist) {
		return err
	}
	return createDirectly(path, text) // some file systems have no links
}

func createDirectly(path string, text []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Close()); err != nil {
		err = errors.Join(err, os.Remove(path))
	}
	return err
}

// prune removes only files that begin with our marker.
func (s *Series) prune(keep int) error {
	names, err := s.names()
	if err != nil {
		return err
	}
	for _, name := range names[:max(len(names)-keep, 0)] {
		path := filepath.Join(s.folder, name)
		ours, err := isOurs(path)
		if err == nil && ours {
			err = os.Remove(path)
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

func isOurs(path string) (bool, error) {
	f, err := os.Open(path)
	if err != nil {
		return false, err
	}
	defer f.Close()
	head := make([]byte, len(marker))
	n, err := io.ReadFull(f, head)
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		err = nil
	}
	return string(head[:n]) == marker, err
}

// Mark sets Since and Runs of the failed targets of a settled report. Runs of 1 means that
// the failure is new. Runs without a result for a target are ignored.
func (s *Series) Mark(r *verify.Report) {
	before := s.Before(r, len(s.Runs))
	index := make([]map[string]*Target, len(before))
	for i := range r.Targets {
		t := &r.Targets[i]
		t.Since, t.Runs = nil, 0
		if t.Outcome != verify.OutcomeFailed && t.Outcome != verify.OutcomeTolerated {
			continue
		}
		since := r.Started
		t.Since, t.Runs = &since, 1
		for j := len(before) - 1; j >= 0; j-- {
			if index[j] == nil {
				index[j] = before[j].byID()
			}
			earlier := index[j][keyOf(t.ID)]
			if earlier == nil || !earlier.Known() {
				continue
			}
			if !earlier.Failed() {
				break
			}
			since = before[j].Started
			t.Runs++
		}
	}
}

// Before returns the last n runs that began before a report, the oldest first.
func (s *Series) Before(r *verify.Report, n int) []*Digest {
	all := s.Runs
	for len(all) > 0 && !all[len(all)-1].Started.Before(r.Started) {
		all = all[:len(all)-1]
	}
	return all[max(len(all)-n, 0):]
}

func (d *Digest) byID() map[string]*Target {
	all := make(map[string]*Target, len(d.Targets))
	for i := range d.Targets {
		all[d.Targets[i].ID] = &d.Targets[i]
	}
	return all
}
