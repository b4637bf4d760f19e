package cli

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// A newFile is a file that a command makes. It has another name until it is
// whole: what was broken off is never taken for a result, and what stood there
// before stays until then.
type newFile struct {
	*os.File
	path    string // where it is to be
	replace bool   // what is there
	direct  bool   // it is no file but a device or a pipe, written as it is
}

// createNew begins a file for its owner only. One that is there is replaced
// only with force, and never one of those in use, which it is made from.
func createNew(path string, force bool, inUse ...string) (*newFile, error) {
	there, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		there, err = os.Lstat(path) // a link that leads nowhere is something, too
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return beginNew(path, force)
	case err != nil:
		return nil, usagef("%v", err)
	case !force:
		return nil, occupied(path)
	case there.IsDir():
		return nil, usagef("%s is a folder", path)
	case !there.Mode().IsRegular():
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return nil, usagef("%v", err)
		}
		return &newFile{File: f, direct: true}, nil
	}
	for _, source := range inUse {
		if info, err := os.Stat(source); err == nil && os.SameFile(info, there) {
			return nil, withHint(usagef("%s is what is read here, and is not replaced", path), "name another file")
		}
	}
	if path, err = filepath.EvalSymlinks(path); err != nil {
		return nil, usagef("%v", err)
	}
	return beginNew(path, force)
}

func beginNew(path string, replace bool) (*newFile, error) {
	f, err := os.CreateTemp(filepath.Dir(path), ".mcpdbg-*.tmp") // 0600
	if err != nil {
		return nil, usagef("%s can't be made: %v", path, reasonOf(err))
	}
	return &newFile{File: f, path: path, replace: replace}, nil
}

// reasonOf is an error about a file without its name, which nobody chose.
func reasonOf(err error) error {
	if failed, ok := errors.AsType[*fs.PathError](err); ok {
		return failed.Err
	}
	return err
}

// occupiedError is wrong usage: a file is there already.
type occupiedError struct{ usageError }

func (e *occupiedError) Unwrap() error { return &e.usageError }

func occupied(path string) error {
	return withHint(&occupiedError{usageError{path + " is there already, and is not overwritten"}}, "name another file")
}

// finish closes the file and gives it its name, unless err says that it is not
// whole; then it is gone. The error is err, or what is wrong with the file.
func (f *newFile) finish(err error) error {
	err = errors.Join(err, f.Close())
	if f.direct {
		return err
	}
	if err == nil {
		err = f.place()
	}
	if err != nil || !f.replace {
		_ = os.Remove(f.Name()) // its second name, if it has got the first
	}
	return err
}

// place gives the file its name. What somebody else has put there meanwhile is
// not replaced where the file system knows links.
func (f *newFile) place() error {
	if f.replace {
		return os.Rename(f.Name(), f.path)
	}
	err := os.Link(f.Name(), f.path)
	if err == nil {
		return nil
	}
	if _, there := os.Lstat(f.path); there == nil {
		return occupied(f.path)
	}
	return os.Rename(f.Name(), f.path)
}
