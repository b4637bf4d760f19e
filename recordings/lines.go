package recordings

import (
	"bytes"
	"errors"
	"io"
)

const (
	firstBuffer = 256 << 10
	// longestLine is the longest line that is read as a whole: a payload of
	// framing.DefaultLimit and its encoding. Of longer lines only the head is read.
	longestLine   = 384 << 20
	longestHeader = 4 << 20
)

type line struct {
	data  []byte // with its newline; valid until the next line, and may be modified
	off   int64
	size  int64 // longer than data if the line is too long
	whole bool  // ends in a newline
}

// A lineReader's memory is bounded by longest, whatever the file contains.
type lineReader struct {
	r       io.Reader
	longest int
	buf     []byte
	start   int
	end     int
	off     int64

	// f, if not nil, is the file that r reads: a long line then gets a buffer of its
	// size, which is kept. Otherwise the buffer doubles.
	f     io.ReaderAt
	large []byte
}

func newLineReader(r io.Reader) *lineReader {
	return &lineReader{r: r, longest: longestLine, buf: make([]byte, firstBuffer)}
}

// next returns io.EOF after the last line.
func (l *lineReader) next() (line, error) {
	searched := l.start
	for {
		if i := bytes.IndexByte(l.buf[searched:l.end], '\n'); i >= 0 {
			return l.lineTo(searched+i+1, true), nil
		}
		searched = l.end
		if l.end-l.start >= l.longest {
			return l.tooLong()
		}
		if l.end == len(l.buf) {
			searched -= l.start
			l.makeRoom()
		}
		if err := l.fill(); errors.Is(err, io.EOF) && l.end > l.start {
			return l.lineTo(l.end, false), nil
		} else if err != nil {
			return line{}, err
		}
	}
}

func (l *lineReader) lineTo(end int, whole bool) line {
	data := l.buf[l.start:end:end]
	got := line{data: data, off: l.off, size: int64(len(data)), whole: whole}
	l.off += got.size
	l.start = end
	return got
}

// makeRoom moves the incomplete line to the beginning of the buffer, or into a larger
// one, or back into a small one.
func (l *lineReader) makeRoom() {
	open := l.buf[l.start:l.end]
	size := len(l.buf)
	switch {
	case l.start == 0:
		size = min(2*size, l.longest)
		if l.f != nil {
			size = min(max(size/2+1, l.lineSize()), l.longest)
		}
	case len(open) < firstBuffer/2:
		size = firstBuffer
	}
	to := l.buf
	switch {
	case size == len(l.buf):
	case size > firstBuffer && size <= len(l.large):
		to = l.large[:size]
	default:
		to = make([]byte, size)
	}
	l.end = copy(to, open)
	l.buf, l.start = to, 0
	if l.f != nil && size > len(l.large) && size > firstBuffer {
		l.large = to
	}
}

// lineSize returns the size of the line at off, which is longer than the buffer; after an
// error only what was read.
func (l *lineReader) lineSize() int {
	buf := make([]byte, scanSize)
	for size := len(l.buf); ; {
		n, err := l.f.ReadAt(buf, l.off+int64(size))
		if i := bytes.IndexByte(buf[:n], '\n'); i >= 0 {
			return size + i + 1
		}
		if size += n; err != nil || size >= l.longest {
			return size
		}
	}
}

func (l *lineReader) fill() error {
	for {
		n, err := l.r.Read(l.buf[l.end:])
		l.end += n
		if n > 0 {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// tooLong returns the beginning of the line that fills the buffer and skips the rest of
// it.
func (l *lineReader) tooLong() (line, error) {
	head := min(l.end-l.start, headRoom)
	got := line{data: bytes.Clone(l.buf[l.start : l.start+head]), off: l.off, size: int64(l.end - l.start)}
	l.start, l.end = 0, 0
	for {
		err := l.fill()
		if err != nil && !errors.Is(err, io.EOF) {
			return line{}, err
		}
		rest := l.buf[:l.end]
		if i := bytes.IndexByte(rest, '\n'); i >= 0 {
			got.whole = true
			l.start = i + 1
			rest = rest[:i+1]
		}
		got.size += int64(len(rest))
		if got.whole || err != nil {
			l.off += got.size
			return got, nil
		}
		l.end = 0
	}
}
