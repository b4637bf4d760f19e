// Package spool holds long lines of a server outside memory while they arrive: a
// [Line] is one of them, in a temporary file.
package spool

import (
	"errors"
	"io"
	"os"
	"sync"

	"mcpdbg/framing"
)

const copySize = 256 << 10

// ErrCut is the error of CopyResult for a line that turned out not to be the
// response, or that did not come to its end.
var ErrCut = errors.New("the result was cut")

// A Line is a line that a server has begun to write and that is probably a long
// response. One goroutine writes and ends it. Another one may copy the result while
// it arrives. A slow copy does not delay the writer.
//
// Bytes go to a file. Those that it can't take, for example because the disk is
// full, stay in memory.
type Line struct {
	file   *os.File
	id     string              // raw, of the request
	modern bool                // of the modern era
	scan   framing.Incremental // belongs to the writer

	mu      sync.Mutex
	changed sync.Cond
	holders int    // of the file
	inFile  int64  // bytes
	rest    []byte // the bytes after those
	from    int64  // where the result begins, once it may be copied; 0 before
	to      int64  // up to where it may be copied
	kept    bool   // it ended as the response
	over    bool   // it ended, or its copy is not needed
}

// Create returns an empty line, whose file is in the folder dir; "" means that for
// temporary files. The file has no name, so that it vanishes with the program. An
// error means that the system can't do that.
//
// id is the raw id of the request. The result of a response in the modern era is
// copied from when its type is known, another one from its beginning; in any case
// not before the id is known.
//
// Release must be called twice: by the writer and by the one who copies.
func Create(dir, id string, modern bool) (*Line, error) {
	f, err := os.CreateTemp(dir, ".mcpdbg-*")
	if err != nil {
		return nil, err
	}
	if err := os.Remove(f.Name()); err != nil {
		return nil, errors.Join(err, f.Close(), os.Remove(f.Name()))
	}
	l := &Line{file: f, id: id, modern: modern, holders: 2}
	l.changed.L = &l.mu
	return l, nil
}

// Release gives up the line. The second call closes its file.
func (l *Line) Release() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.holders--; l.holders == 0 {
		_ = l.file.Close() // it is of no use any more
		l.rest = nil
	}
}

// Write adds the next bytes of the line.
func (l *Line) Write(p []byte) {
	good := l.scan.Write(p)
	n := 0
	if l.rest == nil {
		n, _ = l.file.Write(p) // on error the rest stays in memory
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.inFile += int64(n)
	if n < len(p) {
		l.rest = append(l.rest, p[n:]...)
	}
	if good {
		l.publish()
	}
}

// publish lets the part of the result that was scanned be copied.
func (l *Line) publish() {
	begin, end := l.scan.Result()
	if l.over || begin == 0 || l.from == 0 && !l.ready() {
		return
	}
	l.from, l.to = begin, l.scan.Scanned()
	if end > 0 {
		l.to = end
	}
	l.changed.Broadcast()
}

// Size returns the number of bytes written.
func (l *Line) Size() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.inFile + int64(len(l.rest))
}

// ReadAt implements io.ReaderAt. It must not be called after Release.
func (l *Line) ReadAt(p []byte, off int64) (int, error) {
	l.mu.Lock()
	inFile, rest := l.inFile, l.rest
	l.mu.Unlock()
	n := 0
	if off < inFile {
		var err error
		n, err = l.file.ReadAt(p[:min(int64(len(p)), inFile-off)], off)
		if err != nil {
			return n, err
		}
	}
	if at := off + int64(n) - inFile; n < len(p) && at < int64(len(rest)) {
		n += copy(p[n:], rest[at:])
	}
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// Load returns all bytes. After an error it returns those before it.
func (l *Line) Load() ([]byte, error) {
	data := make([]byte, l.Size())
	n, err := l.ReadAt(data, 0)
	return data[:n:n], err
}

// Begun reports whether some of the result may have been copied.
func (l *Line) Begun() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.from > 0
}

// keep ends the line as the response, with the offsets of its result. After Begun that
// begins where it has begun.
func (l *Line) keep(from, to int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.over {
		l.from, l.to, l.kept, l.over = from, to, true, true
		l.changed.Broadcast()
	}
}

// drop ends the line, which is not the response, or not all of it. The available part of
// the result is copied.
func (l *Line) drop() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.over = true
	l.changed.Broadcast()
}

func (l *Line) abandon() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.over {
		l.over, l.to = true, l.from
		l.changed.Broadcast()
	}
}

// Kept reports whether the line ended as the response.
func (l *Line) Kept() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.kept
}

// CopyResult copies the result to w while it arrives, and returns how many bytes it
// has written. It returns when the line ends, with ErrCut if that is not a response,
// or at the first error.
func (l *Line) CopyResult(w io.Writer) (int64, error) {
	buf := make([]byte, copySize)
	for written := int64(0); ; {
		from, n, err := l.next(written)
		if n == 0 {
			return written, err
		}
		piece := buf[:min(n, copySize)]
		if _, err := l.ReadAt(piece, from); err != nil {
			return written, err
		}
		n1, err := w.Write(piece)
		written += int64(n1)
		if err != nil {
			return written, err
		}
	}
}

// next waits until there are more bytes after the first written ones of the result.
// It returns where they begin and how many there are: 0 at the end of the line.
func (l *Line) next(written int64) (from, n int64, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for l.from == 0 || l.from+written >= l.to {
		switch {
		case l.kept:
			return 0, 0, nil
		case l.over:
			return 0, 0, ErrCut
		}
		l.changed.Wait()
	}
	return l.from + written, l.to - l.from - written, nil
}

// A Copying passes one line to a function, on a goroutine of its own.
type Copying struct {
	f     func(*Line)
	lines chan *Line // nil if none will come
	line  *Line
	done  sync.WaitGroup
}

// NewCopying returns a Copying of the line that comes from a channel, which may be
// nil.
func NewCopying(lines chan *Line, f func(*Line)) *Copying {
	return &Copying{f: f, lines: lines}
}

// Begin passes the line to the function.
func (c *Copying) Begin(line *Line) {
	c.line = line
	c.done.Go(func() {
		defer line.Release()
		c.f(line)
	})
}

// End begins a line that has come meanwhile, and waits for the function. If the line
// has not ended, its copy is ended.
func (c *Copying) End() {
	select {
	case line := <-c.lines:
		c.Begin(line)
	default:
	}
	if c.line != nil {
		c.line.abandon()
		c.done.Wait()
	}
}
