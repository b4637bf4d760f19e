package recordings

import (
	"errors"
	"io"

	"mcpdbg/session"
	"mcpdbg/session/index"
)

// A position is how far a file is indexed, with the state needed to continue.
type position struct {
	End      int64 // where the next line begins
	Entries  uint64
	N        uint64 // of the last entry
	T        int64
	Kind     session.Kind
	Warnings Warnings
}

// An indexer adds the entries of a file to an index, from front to back.
type indexer struct {
	f     io.ReaderAt
	index *index.Index
	position
	read int64 // position.End, and the bytes of a line without its newline
	sift *sift // chooses the entries to add; nil: all
}

// finished reports whether the end entry was read and nothing follows it.
func (x *indexer) finished() bool { return x.Kind == session.KindEnd && x.read == x.End }

// catchUp indexes from the current position to the end of the file, which is near
// size. A last line without its newline is left for the next call. catchUp calls
// publish after each block and stops at its first error.
func (x *indexer) catchUp(size int64, publish func() error) error {
	lines := &blockReader{f: x.f, longest: longestLine, off: x.End}
	add := func(b *lineBlock) error {
		if err := x.add(b); err != nil {
			return err
		}
		return publish()
	}
	p := pass{lines: lines, sift: x.sift, decode: (*lineBlock).decode, add: add}
	if err := p.run(size - x.End); !errors.Is(err, io.EOF) {
		return err
	}
	x.read = lines.end
	return publish()
}

// add adds the entries of a block.
func (x *indexer) add(b *lineBlock) error {
	if o := &b.order; o.entries > 0 {
		if x.Entries > 0 && (o.firstN <= x.N || o.firstT < x.T) {
			x.Warnings.OutOfOrder++
		}
		x.Entries += o.entries
		x.N, x.T, x.Kind = o.n, o.t, o.kind
		b.warnings.OutOfOrder = o.wrong
	}
	x.Warnings.add(&b.warnings)
	x.End = b.off + b.size
	x.read = x.End
	if err := x.index.AddLines(b.entries, b.begins, b.lengths); err != nil || x.sift == nil {
		return err
	}
	return x.sift.check(x.index, b.entries)
}
