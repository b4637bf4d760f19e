package recordings

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"mcpdbg/session"
)

// Version is the major version of the format that Create writes and Open reads.
const Version = 1

// Options say what Create creates. The zero value records a nameless server in
// the default folder.
type Options struct {
	// Path is the file to create. If it is empty the file gets a name of its own
	// in Dir.
	Path string
	// Dir is created if need be; "" means the folder recordings in StateDir.
	Dir string
	// Server is what is recorded, as a word of the file's own name.
	Server string
	// Header is the first line. Create sets Version, ID and Start.
	Header session.Header
	// NoRecord keeps the log in a temporary file without a name, which is gone
	// with the program. Path and Dir then mean nothing.
	NoRecord bool
	// IndexMemory is how many bytes of rows stay in memory; 0 means
	// session.DefaultIndexMemory.
	IndexMemory int
}

// A CreateError says why a recording could not be created. errors.Is(err,
// fs.ErrExist) tells that there is a file already: recordings are never
// overwritten.
type CreateError struct {
	Path string
	Err  error
}

func (e *CreateError) Error() string {
	if errors.Is(e.Err, fs.ErrExist) {
		return fmt.Sprintf("recording %s: the file exists, and recordings are never overwritten", e.Path)
	}
	return fmt.Sprintf("recording %s can't be written: %v", e.Path, cause(e.Err))
}

// Unwrap returns the cause.
func (e *CreateError) Unwrap() error { return e.Err }

// cause strips the operation and the path that an error of package os repeats.
func cause(err error) error {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		return p.Err
	}
	return err
}

// Create creates a recording and writes its header. The error is a
// *CreateError. Close must be called.
func Create(opts Options) (*File, error) {
	start := time.Now()
	header := opts.Header
	header.Version = Version
	header.ID = newID(start)
	header.Start = start.UTC().Truncate(time.Microsecond)

	f, err := openNew(opts, header)
	if err != nil {
		return nil, err
	}
	file := &File{
		path: f.Name(), header: header, start: start, f: f, write: f.Write,
		index: session.Index{Memory: opts.IndexMemory},
		keeps: session.RecordingOn,
	}
	if opts.NoRecord {
		file.path, file.keeps = "", session.RecordingNone
	} else {
		file.syncer = newSyncer(f)
	}
	file.index.Spill = file.spill.create
	line, err := appendHeader(nil, header)
	if err == nil {
		_, err = f.Write(line)
	}
	if err != nil {
		file.syncer.stop()
		_ = f.Close()
		_ = os.Remove(f.Name())
		return nil, &CreateError{Path: f.Name(), Err: err}
	}
	file.end, file.written = int64(len(line)), int64(len(line))
	return file, nil
}

// openNew opens the file that opts ask for.
func openNew(opts Options, header session.Header) (*os.File, error) {
	if opts.NoRecord {
		f, err := newTemp()
		if err != nil {
			return nil, &CreateError{Path: os.TempDir(), Err: err}
		}
		return f, nil
	}
	path, err := opts.Path, error(nil)
	if path == "" {
		path, err = defaultPath(opts, header)
	}
	if err != nil {
		return nil, &CreateError{Path: opts.Dir, Err: err}
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, &CreateError{Path: path, Err: err}
	}
	lock(f)
	return f, nil
}

// defaultPath makes the folder for recordings and gives the path of a new one.
func defaultPath(opts Options, header session.Header) (string, error) {
	dir := opts.Dir
	if dir == "" {
		state, err := StateDir()
		if err != nil {
			return "", err
		}
		dir = filepath.Join(state, "recordings")
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	return filepath.Join(dir, fileName(header.Start, opts.Server, header.ID)), nil
}

// newTemp creates a temporary file and takes its name away, if the system can
// do that to an open file; if not, removeTemp does it later.
func newTemp() (*os.File, error) {
	f, err := os.CreateTemp("", "mcpdbg-*")
	if err != nil {
		return nil, err
	}
	_ = os.Remove(f.Name())
	return f, nil
}

// removeTemp closes a temporary file.
func removeTemp(f *os.File) error {
	err := f.Close()
	if rm := os.Remove(f.Name()); rm != nil && !errors.Is(rm, fs.ErrNotExist) && err == nil {
		err = rm
	}
	return err
}

// A spill is the file for pages of the index that memory has no room for.
type spill struct{ f *os.File }

func (s *spill) create() (session.IndexFile, error) {
	f, err := newTemp()
	if err != nil {
		return nil, err
	}
	s.f = f
	return f, nil
}

func (s *spill) close() error {
	if s.f == nil {
		return nil
	}
	return removeTemp(s.f)
}
