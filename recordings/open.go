package recordings

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"

	"mcpdbg/session"
)

// A file is what a recording is read from: files on the disk, or bytes in a test.
type file interface {
	io.ReaderAt
	io.Closer
	Stat() (fs.FileInfo, error)
	locked() bool // a recorder holds it
	// missing tells how many parts are not there between others, and whether the
	// one that follows the last is not.
	missing() (between int, next bool)
}

// looksLikeNoFile says what has no bytes to be read at any place.
func looksLikeNoFile(mode fs.FileMode) string {
	switch {
	case mode.IsDir():
		return "a folder"
	case mode&fs.ModeNamedPipe != 0:
		return "a pipe (write what comes out of it into a file first)"
	case mode&fs.ModeSocket != 0:
		return "a socket"
	}
	return "a device"
}

// Open reads a recording from end to end before it returns, unless its index
// was stored, and does not follow one that is still being written: that is as it
// was then. The path of the first file of a recording in parts opens all of them
// as one; that of a later part opens it alone, and what belongs together in two
// parts is then not paired. A torn last line is left out. The error is a *FormatError for what is no recording, or one of a
// version that this program does not know.
func Open(path string) (*Recording, error) {
	return OpenContext(context.Background(), path)
}

// OpenAtOnce opens a recording of any size within milliseconds: it returns when
// the header and the last rows (see Tail) are read, which are less than 2 MiB.
// All rows are added in the background, from the first on, as Changed tells. A
// recording that another program is writing is then followed, until its recorder
// ends. The error is that of Open.
func OpenAtOnce(path string) (*Recording, error) {
	r, err := begin(path, true)
	if err != nil {
		return nil, err
	}
	if r.tail == nil {
		<-r.indexed // there is not much
	}
	return r, nil
}

// begin opens the file at path and begins to read it.
func begin(path string, atOnce bool) (*Recording, error) {
	f, err := openFile(path)
	if _, ok := errors.AsType[*FormatError](err); ok {
		return nil, err
	}
	if err != nil {
		return nil, fmt.Errorf("open recording: %w", err)
	}
	stored, _ := storedPath(path) // without a cache folder nothing is stored
	r, err := newRecording(path, f, atOnce, stored)
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	return r, nil
}

// readHeader reads the first line, and tells where the next one begins.
func readHeader(path string, f io.ReaderAt) (session.Header, int64, error) {
	first, err := newLineReader(io.NewSectionReader(f, 0, longestHeader)).next()
	if err != nil && !errors.Is(err, io.EOF) {
		return session.Header{}, 0, fmt.Errorf("open recording %s: %w", path, err)
	}
	header, err := parseHeader(path, first.data)
	return header, first.size, err
}

// openLines reads the header and returns the lines after it.
func openLines(path string, f io.ReaderAt) (session.Header, *lineReader, error) {
	header, begin, err := readHeader(path, f)
	if err != nil {
		return header, nil, err
	}
	return header, linesFrom(f, begin), nil
}

// linesFrom returns the lines from the one that begins at off on.
func linesFrom(f io.ReaderAt, off int64) *lineReader {
	lines := newLineReader(io.NewSectionReader(f, off, math.MaxInt64-off))
	lines.off = off
	return lines
}

// parseHeader reads the first line of the file at path.
func parseHeader(path string, first []byte) (session.Header, error) {
	var h session.Header
	var version struct {
		Major *int `json:"mcpdbg"`
	}
	switch err := json.Unmarshal(first, &version); {
	case err != nil || version.Major == nil:
		return h, &FormatError{Path: path, Looks: LooksLike(first)}
	case *version.Major != Version:
		return h, &FormatError{Path: path, Major: *version.Major}
	}
	if err := json.Unmarshal(first, &h); err != nil {
		return h, fmt.Errorf("open recording %s: header: %w", path, err)
	}
	return h, nil
}

// headerOf reads the header of the file at path.
func headerOf(path string) (session.Header, error) {
	f, err := openRegular(path)
	if err != nil {
		return session.Header{}, err
	}
	defer f.Close()
	header, _, err := readHeader(path, f)
	return header, err
}
