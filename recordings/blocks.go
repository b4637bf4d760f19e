package recordings

import (
	"bytes"
	"errors"
	"io"
	"math"

	"mcpdbg/session"
)

const (
	// blockSize is how many bytes of a file are read and indexed at once. Most
	// lines are short: their entries then fit into a processor's cache, too.
	blockSize = 512 << 10
	// scanSize is how many bytes of a long line are scanned at once.
	scanSize = 64 << 10
)

// A lineBlock is a run of complete lines of a file, with their decoded entries.
type lineBlock struct {
	buf  []byte // of blockSize
	data []byte // the lines: of buf, or one long line in memory of its own
	off  int64  // where they begin
	size int64  // longer than data if they are one line that is too long

	decoder  decoder
	entries  []session.Entry // of the lines that are entries; they alias data
	begins   []int64         // where their lines begin
	lengths  []uint32        // of the lines
	checks   []lineCheck     // of all lines, if a verifier reads them
	order    order
	warnings Warnings

	sift    *sift         // chooses the lines to decode; nil: all
	hits    []hits        // of its texts in data
	skipped session.Entry // the head of a line that it did not choose

	ready chan struct{} // of capacity 1: the entries are decoded
}

// An order is what is known about the numbers and times of a run of entries.
type order struct {
	entries uint64
	firstN  uint64
	firstT  int64
	n       uint64 // of the last entry, as are t and kind
	t       int64
	kind    session.Kind
	wrong   int // entries whose number or time decreases
}

// see adds the next entry.
func (o *order) see(e *session.Entry) {
	if o.entries == 0 {
		o.firstN, o.firstT = e.N, e.T
	} else if e.N <= o.n || e.T < o.t {
		o.wrong++
	}
	o.entries++
	o.n, o.t, o.kind = e.N, e.T, e.Kind
}

// newBlock makes a block for up to most bytes, of which s chooses the lines if it is
// not nil.
func newBlock(most int64, s *sift) *lineBlock {
	b := &lineBlock{buf: make([]byte, min(max(most, scanSize), blockSize)), sift: s, ready: make(chan struct{}, 1)}
	b.decoder.rows = true
	return b
}

// long reports whether the block is one long line, in memory of its own.
func (b *lineBlock) long() bool { return b.size > int64(len(b.buf)) }

// release releases the memory of a long line.
func (b *lineBlock) release() { b.data, b.entries, b.checks, b.hits = nil, nil, nil, nil }

// each calls f with each line, where it begins, and its size: beyond the line if
// that is too long.
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

// decode decodes the lines. Lines that are not entries are skipped and counted.
func (b *lineBlock) decode() {
	b.entries, b.begins, b.lengths, b.warnings, b.order = b.entries[:0], b.begins[:0], b.lengths[:0], Warnings{}, order{}
	if b.sift != nil && b.size == int64(len(b.data)) {
		b.chosen()
	} else {
		b.each(b.line)
	}
	b.warnings.UnknownKeys, b.decoder.unknown = b.decoder.unknown, 0
}

// line decodes a line of size bytes, of which line may only be the beginning.
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

// A blockReader reads a file block by block. Its memory is that of the blocks
// plus one line of up to longest bytes; of a longer line it reads only the head.
type blockReader struct {
	f       io.ReaderAt
	longest int
	off     int64 // where the next line begins
	end     int64 // where the file ended when the error was io.EOF: beyond off if the last line has no newline
}

// next fills the block with the lines that follow: as many as fit, at least one.
// The error is io.EOF if no complete line is left. Before next allocates memory
// for a long line it calls alone, and returns its error.
func (r *blockReader) next(b *lineBlock, alone func() error) error {
	n, err := r.f.ReadAt(b.buf, r.off)
	if i := lastNewline(b.buf[:n]) + 1; i > 0 { // an error comes again
		b.take(b.buf[:i], r.off, int64(i))
		r.off += int64(i)
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
	b.take(data, r.off, size)
	r.off += size
	return nil
}

// lastNewline is bytes.LastIndexByte for data whose last line may be long:
// LastIndexByte is slow, because it checks each byte.
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

// take sets the lines of the block.
func (b *lineBlock) take(data []byte, off, size int64) {
	b.data, b.off, b.size = data[:len(data):len(data)], off, size
}

// kept returns how much of a line of size bytes is read.
func (r *blockReader) kept(size int64) int64 {
	if size > int64(r.longest) {
		return headRoom
	}
	return size
}

// longLine finds the end of the line at off, of which len(buf) bytes have no
// newline, and returns its length.
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

// shortRead returns the error for a read that got fewer bytes than the file had.
func shortRead(err error) error {
	if err == nil || errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}
