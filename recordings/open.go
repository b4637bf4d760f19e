package recordings

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"

	"mcpdbg/framing"
	"mcpdbg/session"
)

// A file is files on the disk, or bytes in a test.
type file interface {
	io.ReaderAt
	io.Closer
	Stat() (fs.FileInfo, error)
	locked() bool // by a recorder
	// parts missing between others, and whether the part after the last one is missing
	missing() (between int, next bool)
}

func describeMode(mode fs.FileMode) string {
	switch {
	case mode.IsDir():
		return "a folder"
	case mode&fs.ModeNamedPipe != 0:
		return "a pipe (save its output to a file first)"
	case mode&fs.ModeSocket != 0:
		return "a socket"
	}
	return "a device"
}

// Open reads a recording from end to end before it returns, unless its index is
// stored. It does not follow a recording that is still being written. The path
// of the first file of a recording in parts opens all of them as one; that of a
// later part opens it alone, and a request in one part is then not paired with
// its response in another. A torn last line is skipped. The error is a
// *FormatError for a file that is not a recording, or has an unknown version.
func Open(path string) (*Recording, error) {
	return OpenContext(context.Background(), path)
}

// OpenProgressive opens a recording of any size within milliseconds: it returns when
// the header and the last rows (see Tail) are read, which are less than 2 MiB.
// All rows are then added in the background, from the first on; Changed reports
// progress. A recording that another program is writing is followed until its
// recorder ends. The error is that of Open.
func OpenProgressive(path string) (*Recording, error) { return progressive(path, firstRows) }

// OpenTail is like OpenProgressive for a screen that shows the Tail first: for 30 ms
// nothing else is read, because that would delay the screen.
func OpenTail(path string) (*Recording, error) { return progressive(path, lastRows) }

func progressive(path string, what opening) (*Recording, error) {
	r, err := begin(path, what)
	if err != nil {
		return nil, err
	}
	if r.tail == nil {
		<-r.indexed // the rest is short
	}
	return r, nil
}

func begin(path string, what opening) (*Recording, error) {
	f, err := openFiles(path)
	if err != nil {
		return nil, err
	}
	stored, _ := storedPath(path) // without a cache folder nothing is stored
	r, err := newRecording(path, f, what, stored)
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	return r, nil
}

func openFiles(path string) (*partFiles, error) {
	f, err := openFile(path)
	if _, ok := errors.AsType[*FormatError](err); ok || err == nil {
		return f, err
	}
	return nil, fmt.Errorf("open recording: %w", err)
}

// readHeader returns the offset of the next line.
func readHeader(path string, f io.ReaderAt) (session.Header, int64, error) {
	first, err := newLineReader(io.NewSectionReader(f, 0, longestHeader)).next()
	if err != nil && !errors.Is(err, io.EOF) {
		return session.Header{}, 0, fmt.Errorf("open recording %s: %w", path, err)
	}
	header, err := parseHeader(path, first.data)
	return header, first.size, err
}

func linesFrom(f io.ReaderAt, off int64) *lineReader {
	lines := newLineReader(io.NewSectionReader(f, off, math.MaxInt64-off))
	lines.off = off
	return lines
}

func parseHeader(path string, first []byte) (session.Header, error) {
	var h session.Header
	var version struct {
		Major *int `json:"mcpdbg"`
	}
	switch err := framing.Unmarshal(first, &version); {
	case err != nil || version.Major == nil:
		return h, &FormatError{Path: path, LooksLike: LooksLike(first)}
	case *version.Major != Version:
		return h, &FormatError{Path: path, Major: *version.Major}
	}
	if err := framing.Unmarshal(first, &h); err != nil {
		return h, fmt.Errorf("open recording %s: header: %w", path, err)
	}
	return h, nil
}

func headerOf(path string) (session.Header, error) {
	f, err := openRegular(path)
	if err != nil {
		return session.Header{}, err
	}
	defer f.Close()
	header, _, err := readHeader(path, f)
	return header, err
}

// OpenContext is like Open, but stops when ctx ends, with the cause as the error:
// reading a large recording takes seconds.
func OpenContext(ctx context.Context, path string) (*Recording, error) {
	return OpenWhile(ctx, path, func(*Recording) {})
}

// OpenWhile is like OpenContext, and calls f while the recording is being read. Changed
// then reports new rows, and Indexed that there are no more. The Recording cannot be
// used any more if OpenWhile fails.
func OpenWhile(ctx context.Context, path string, f func(*Recording)) (*Recording, error) {
	r, err := begin(path, allRows)
	if err != nil {
		return nil, err
	}
	f(r)
	r.handover.end()
	return r.await(ctx)
}

// await waits until the file is indexed. If that fails or ctx ends, it closes r.
func (r *Recording) await(ctx context.Context) (*Recording, error) {
	select {
	case <-r.indexed:
	case <-ctx.Done():
		_ = r.Close() // nothing was written
		return nil, context.Cause(ctx)
	}
	if err := r.Progress().Err; err != nil {
		_ = r.Close()
		return nil, err
	}
	return r, nil
}
