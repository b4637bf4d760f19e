package recordings

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"mcpdbg/framing"
	"mcpdbg/session"
	"mcpdbg/session/index"
)

// Version is the major version of the format that Create writes and Open reads.
const Version = 1

// Options are the options of Create. The zero value records a server without a
// name in the default folder.
type Options struct {
	// Path is the file to create. If it is empty, the file gets a generated name
	// in Dir.
	Path string
	// Dir is created if need be; "" means the folder recordings in StateDir.
	Dir string
	// Server is the server's name, which becomes part of a generated file name.
	Server string
	// Header is the first line. Create sets Version, ID and Start.
	Header session.Header
	// NoRecord keeps the log in an unnamed temporary file, which vanishes with
	// the program. Path and Dir are then ignored.
	NoRecord bool
	// MaxPart is the most bytes a file may have; 0 means no limit. The recording
	// continues in PartPath(path, 2), and so on. An entry is never split, so one
	// that is longer has a part to itself.
	MaxPart int64
	// IndexMemory is how many bytes of rows stay in memory; 0 means
	// index.DefaultMemory.
	IndexMemory int
}

// A CreateError reports why a recording could not be created. errors.Is(err,
// fs.ErrExist) is true if the file exists already: recordings are never
// overwritten.
type CreateError struct {
	Path string
	Err  error
}

func (e *CreateError) Error() string {
	if errors.Is(e.Err, fs.ErrExist) {
		return fmt.Sprintf("create recording %s: the file exists, and recordings are never overwritten", e.Path)
	}
	return fmt.Sprintf("create recording %s: %v", e.Path, cause(e.Err))
}

// Unwrap returns the cause.
func (e *CreateError) Unwrap() error { return e.Err }

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

	file := &File{header: header, start: start, index: index.Index{Memory: opts.IndexMemory}, sum: session.NewChecksum()}
	file.part.watched, file.part.reserve.off = &watchedFile{}, true
	file.index.Spill = file.spill.create
	if opts.NoRecord {
		err := file.temp.open()
		if err != nil {
			return nil, &CreateError{Path: os.TempDir(), Err: err}
		}
		file.part.f, file.keeps = file.temp.f, session.RecordingNone
	} else {
		f, err := openNew(opts, header)
		if err != nil {
			return nil, err
		}
		file.part.f, file.path, file.keeps = f, f.Name(), session.RecordingOn
		file.part.most, file.part.reserve.off = opts.MaxPart, false
	}
	file.files.add(file.part.f, 0, 0)
	if err := file.begin(); err != nil {
		_ = file.Release()
		if file.path != "" {
			_ = os.Remove(file.path)
		}
		return nil, &CreateError{Path: file.part.f.Name(), Err: err}
	}
	return file, nil
}

func (f *File) begin() error {
	line, err := appendHeader(nil, f.header)
	if err != nil {
		return err
	}
	f.write, f.allocate = (*os.File).Write, allocate
	if err := f.part.reserve.grow(f.part.f, int64(len(line))+lastRoom, f.allocate); err != nil {
		return err
	}
	if _, err := f.write(f.part.f, line); err != nil {
		return err
	}
	f.end, f.written = int64(len(line)), int64(len(line))
	f.part.first, f.part.full = f.end, f.part.most
	if f.keeps == session.RecordingOn {
		f.part.watched = f.watch.add(f.part.f, line)
		f.disk.add(f.part.f)
		f.syncer = newSyncer(f.disk.sync, f.look)
	}
	return nil
}

// look checks the files, and wakes those waiting on Changed if one of them changed.
func (f *File) look() {
	if f.watch.look(false) {
		f.mu.Lock()
		f.notify()
		f.mu.Unlock()
	}
}

func openNew(opts Options, header session.Header) (*os.File, error) {
	path, err := opts.Path, error(nil)
	if path == "" {
		path, err = defaultPath(opts, header)
	}
	if err != nil {
		return nil, &CreateError{Path: path, Err: err}
	}
	if opts.MaxPart > 0 {
		if _, err := os.Lstat(PartPath(path, 2)); err == nil { // a part of another recording
			return nil, &CreateError{Path: PartPath(path, 2), Err: fs.ErrExist}
		}
	}
	f, err := createLocked(path)
	if err != nil {
		return nil, &CreateError{Path: path, Err: err}
	}
	return f, nil
}

// createLocked creates a file, which must not exist yet.
func createLocked(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err == nil {
		lock(f)
	}
	return f, err
}

// defaultPath creates the folder for recordings. On error it returns the path of the
// folder.
func defaultPath(opts Options, header session.Header) (string, error) {
	dir := opts.Dir
	if dir == "" {
		own, err := DefaultDir()
		if err != nil {
			return "", err
		}
		dir = own
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return dir, err
	}
	return filepath.Join(dir, fileName(header.Start, opts.Server, header.ID)), nil
}

// WithoutSecrets returns the first line of a recording without the digests of
// secrets, for copies and output that others may read. A line without digests, or
// one that is not a JSON object, is returned unchanged.
func WithoutSecrets(line []byte) []byte {
	if !bytes.Contains(line, []byte(`"secrets"`)) {
		return line
	}
	before := bytes.IndexByte(line, '{') + 1
	for name, value := range framing.Members(line) {
		if string(name.Of(line)) != `"secrets"` {
			before = int(value.End)
			continue
		}
		rest := line[value.End:]
		if line[before-1] == '{' { // the first member: remove the comma after it
			rest = bytes.TrimPrefix(bytes.TrimLeft(rest, " \t"), []byte(","))
		}
		return append(bytes.Clone(line[:before]), rest...)
	}
	return line
}
