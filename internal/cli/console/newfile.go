package console

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// A NewFile has a temporary name until it is complete, so that a partial file is never
// taken for a result, and an existing file stays until then.
type NewFile struct {
	*os.File
	path    string // the final name
	replace bool   // overwrite an existing file
	direct  bool   // device or pipe, written directly
}

// CreateReport creates a file with the mode of the umask, and replaces an existing one.
func CreateReport(path string) (*NewFile, error) { return create(path, true, 0o666) }

// Create creates a file for its owner. It replaces an existing file only with force, and
// never one of inUse, its sources.
func Create(path string, force bool, inUse ...string) (*NewFile, error) {
	return create(path, force, 0o600, inUse...)
}

func create(path string, force bool, mode fs.FileMode, inUse ...string) (*NewFile, error) {
	there, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		there, err = os.Lstat(path) // a dangling link counts as existing
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return beginNew(path, force, mode)
	case err != nil:
		return nil, Usagef("%v", err)
	case !force:
		return nil, fileExists(path)
	case there.IsDir():
		return nil, Usagef("%s is a folder", path)
	case !there.Mode().IsRegular():
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return nil, Usagef("%v", err)
		}
		return &NewFile{File: f, direct: true}, nil
	}
	for _, source := range inUse {
		if info, err := os.Stat(source); err == nil && os.SameFile(info, there) {
			return nil, WithHint(Usagef("%s is the input, and is not overwritten", path), "name another file")
		}
	}
	if path, err = filepath.EvalSymlinks(path); err != nil {
		return nil, Usagef("%v", err)
	}
	return beginNew(path, force, mode)
}

func beginNew(path string, replace bool, mode fs.FileMode) (*NewFile, error) {
	name := filepath.Join(filepath.Dir(path), ".mcpdbg-"+rand.Text()+".tmp")
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return nil, Usagef("cannot create %s: %v", path, reasonOf(err))
	}
	return &NewFile{File: f, path: path, replace: replace}, nil
}

func reasonOf(err error) error {
	if failed, ok := errors.AsType[*fs.PathError](err); ok {
		return failed.Err
	}
	return err
}

// An ExistsError is wrong usage: a file exists.
type ExistsError struct{ UsageError }

// Unwrap returns the usage error.
func (e *ExistsError) Unwrap() error { return &e.UsageError }

func fileExists(path string) error {
	return WithHint(&ExistsError{UsageError{Text: path + " already exists, and is not overwritten"}}, "name another file")
}

// Finish closes the file and gives it its final name, or removes it if err is not nil. It
// returns err, joined with those of the file.
func (f *NewFile) Finish(err error) error {
	err = errors.Join(err, f.Close())
	if f.direct {
		return err
	}
	if err == nil {
		err = f.place()
	}
	if err != nil || !f.replace {
		_ = os.Remove(f.Name()) // or its second name, if it was linked
	}
	return err
}

// With links, place does not replace a file created in the meantime.
func (f *NewFile) place() error {
	if f.replace {
		return os.Rename(f.Name(), f.path)
	}
	err := os.Link(f.Name(), f.path)
	if err == nil {
		return nil
	}
	if _, there := os.Lstat(f.path); there == nil {
		return fileExists(f.path)
	}
	return os.Rename(f.Name(), f.path)
}
