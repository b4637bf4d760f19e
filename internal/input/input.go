// Package input reads the files, named pipes, terminals and standard input that flags and
// arguments name. No read outlasts its context.
package input

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

const maxFile = 256 << 20

var errNotRegular = errors.New("not a regular file")

// Open opens a file. Reads fail with the cause of ctx as soon as ctx is done. The first
// Read, not Open, waits for the writer of a named pipe. A directory is an error.
func Open(ctx context.Context, name string) (io.ReadCloser, error) {
	info, err := os.Stat(name)
	switch {
	case err != nil:
		return nil, &fs.PathError{Op: "open", Path: name, Err: cause(err)}
	case info.IsDir():
		return nil, fmt.Errorf("%s is a directory", name)
	case !info.Mode().IsRegular():
		return pumped(ctx, func() (io.ReadCloser, error) { return os.Open(name) }), nil
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	return &file{ctx, f}, nil
}

// Without the file's name.
func cause(err error) error {
	if failed, ok := errors.AsType[*fs.PathError](err); ok {
		return failed.Err
	}
	return err
}

// Reader returns a reader of r whose reads fail with the cause of ctx as soon as ctx is
// done. Its Close abandons a pending read; r stays open.
func Reader(ctx context.Context, r io.Reader) io.ReadCloser {
	return pumped(ctx, func() (io.ReadCloser, error) { return io.NopCloser(r), nil })
}

// At most maxFile bytes.
func readFile(ctx context.Context, name string) ([]byte, error) {
	f, err := Open(ctx, name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return ReadAll(name, f)
}

// ReadRegular reads a regular file of at most maxFile bytes, and opens no other kind. The
// null device is an empty file.
func ReadRegular(name string) ([]byte, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	if null, err := os.Stat(os.DevNull); err == nil && os.SameFile(info, null) {
		return nil, nil
	}
	if !info.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "read", Path: name, Err: errNotRegular}
	}
	return readFile(context.Background(), name)
}

// ReadAll reads at most maxFile bytes of r. Name is for errors.
func ReadAll(name string, r io.Reader) ([]byte, error) { return readAll(name, r, maxFile) }

func readAll(name string, r io.Reader, limit int64) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err == nil && int64(len(data)) > limit {
		err = fmt.Errorf("%s is larger than %d bytes", name, limit)
	}
	if err != nil {
		return nil, err
	}
	return data, nil
}

// Reads of a regular file do not block.
type file struct {
	ctx context.Context
	*os.File
}

// Read implements io.Reader.
func (f *file) Read(p []byte) (int, error) {
	if f.ctx.Err() != nil {
		return 0, context.Cause(f.ctx)
	}
	return f.File.Read(p)
}
