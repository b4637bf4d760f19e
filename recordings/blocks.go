package recordings

import (
	"bytes"
	"errors"
	"io"
	"math"

	"mcpdbg/session"
)

const (
	// blockSize is how much of a file is read and indexed at once: the entries of most
	// blocks fit into a processor's cache.
	blockSize = 512 << 10
	// scanSize is how much of a long line is scanned at once.
	scanSize = 64 << 10
)

// A lineBlock is a run of complete lines of a file, with their decoded entries.
type lineBlock struct {
	buf  []byte
	data []byte // the lines: of buf, or one long line in memory of its own
	off  int64
	size int64 // longer than data if they are one line that is too long

	before session.Checksum // of the blocks before it, if its reader sums

	decoder  decoder
	entries  []session.Entry // aliasing data
	begins   []int64
	lengths  []uint32
	checks   []lineCheck // of all lines, if a verifier reads them
	order    order
	warnings Warnings

	filter  *lineFilter
	hits    []hits
	skipped session.Entry // the head of a line that it did not choose

	ready chan struct{} // of capacity 1: the entries are decoded
}

type order struct {
	entries uint64
	firstN  uint64
	firstT  int64
	n       uint64
	t       int64
	kind    session.Kind
	wrong   int // entries whose number or time decreases
}

func (o *order) see(e *session.Entry) {
	if o.entries == 0 {
		o.firstN, o.firstT = e.N, e.T
	} else if e.N <= o.n || e.T < o.t {
		o.wrong++
	}
	o.entries++
	o.n, o.t, o.kind = e.N, e.T, e.Kind
}

// newBlock makes a block for up to most bytes. s may be nil.
func newBlock(most int64, s *lineFilter) *lineBlock {
	b := &lineBlock{buf: make([]byte, min(max(most, scanSize), blockSize)), filter: s, ready: make(chan struct{}, 1)}
	b.decoder.rows = true
	return b
}

// long reports whether the block is one long line, in memory of its own.
func (b *lineBlock) long() bool { return b.size > int64(len(b.buf)) }

func (b *lineBlock) release() { b.data, b.entries, b.checks, b.hits = nil, nil, nil, nil }

// each calls f with each line, its offset and its size, which is larger than line if that
// is too long.
func (b *lineBlock) each(f func(line []byte, off, size int64)) {
	if b.size > int64(len(b.data)) {
		f(b.data, b.off, b.size)
		return
	}
	off := b.off
	for rest := b.data; len(rest) > 0; {
		i := bytes.IndexByte(rest, '\n') + 1
		f(rest[:i:i], off, int64(i))
		rest, off = rest[i:], off+int64(i)
	}
}

// decode skips and counts lines that are not entries.
func (b *lineBlock) decode() {
	b.entries, b.begins, b.lengths, b.warnings, b.order = b.entries[:0], b.begins[:0], b.lengths[:0], Warnings{}, order{}
	if b.filter != nil && b.size == int64(len(b.data)) {
		b.chosen()
	} else {
		b.each(b.line)
	}
	b.warnings.UnknownKeys, b.decoder.unknown = b.decoder.unknown, 0
}

// line decodes a line, which may only be the beginning of one of size bytes.
func (b *lineBlock) line(line []byte, off, size int64) {
	b.entries = append(b.entries, session.Entry{})
	e := &b.entries[len(b.entries)-1]
	var err error
	switch {
	case size > math.MaxUint32:
		err = errMalformed
	case size > int64(len(line)):
		b.warnings.LongLines++
		err = b.decoder.head(e, line)
	default:
		err = b.decoder.into(e, line)
	}
	if err != nil {
		b.warnings.BadLines++
		b.entries = b.entries[:len(b.entries)-1]
		return
	}
	if e.Kind == session.KindUnknown {
		b.warnings.UnknownKinds++
	}
	e.Body = bytes.Clone(e.Body) // it belongs to the decoder
	e.DetectToolError()
	b.order.see(e)
	b.begins = append(b.begins, off)
	b.lengths = append(b.lengths, uint32(size))
}

// A blockReader reads a file block by block. Of a line longer than longest it reads only
// the head.
type blockReader struct {
	f       io.ReaderAt
	longest int
	off     int64
	sum     *session.Checksum // of the blocks so far; nil: not needed
	end     int64             // where the file ended when the error was io.EOF: beyond off if the last line has no newline
}

// next fills the block with as many lines as fit, at least one. The error is io.EOF if no
// complete line is left. It calls alone before it allocates memory for a long line, and
// returns its error.
func (r *blockReader) next(b *lineBlock, alone func() error) error {
	n, err := r.f.ReadAt(b.buf, r.off)
	if i := lastNewline(b.buf[:n]) + 1; i > 0 { // an error comes again
		r.fill(b, b.buf[:i], int64(i))
		return nil
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	r.end = r.off + int64(n)
	if n < len(b.buf) {
		return io.EOF
	}
	size, err := r.longLine(b.buf)
	if err != nil {
		return err
	}
	if err := alone(); err != nil {
		return err
	}
	data := make([]byte, r.kept(size))
	if n, err := r.f.ReadAt(data, r.off); n < len(data) {
		return shortRead(err)
	}
	r.fill(b, data, size)
	return nil
}

func (r *blockReader) fill(b *lineBlock, data []byte, size int64) {
	if r.sum != nil { // before a decoder changes the lines
		b.before = *r.sum
		r.sum.Add(data)
	}
	b.set(data, r.off, size)
	r.off += size
}

// lastNewline is bytes.LastIndexByte, which is slow because it checks each byte, for data
// whose last line may be long.
func lastNewline(b []byte) int {
	const piece = 4 << 10
	for end := len(b); end > 0; end -= piece {
		from := max(0, end-piece)
		if bytes.IndexByte(b[from:end], '\n') >= 0 {
			return from + bytes.LastIndexByte(b[from:end], '\n')
		}
	}
	return -1
}

func (b *lineBlock) set(data []byte, off, size int64) {
	b.data, b.off, b.size = data[:len(data):len(data)], off, size
}

func (r *blockReader) kept(size int64) int64 {
	if size > int64(r.longest) {
		return headRoom
	}
	return size
}

// longLine returns the length of the line at off, of which len(buf) bytes have no
// newline.
func (r *blockReader) longLine(buf []byte) (int64, error) {
	buf = buf[:scanSize]
	for {
		n, err := r.f.ReadAt(buf, r.end)
		if err != nil && !errors.Is(err, io.EOF) {
			return 0, err
		}
		if i := bytes.IndexByte(buf[:n], '\n'); i >= 0 {
			return r.end + int64(i) + 1 - r.off, nil
		}
		r.end += int64(n)
		if n < len(buf) {
			return 0, io.EOF
		}
	}
}

func shortRead(err error) error {
	if err == nil || errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}
