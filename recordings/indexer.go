package recordings

import (
	"errors"
	"io"
	"math"

	"mcpdbg/session"
)

// publishBytes is how many bytes of a file are indexed between two times that
// the rows are shown.
const publishBytes = 1 << 20

// A position is how far a file is indexed, and what has to be known to go on.
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
	index *session.Index
	position
	read    int64 // position.End, and the bytes of a line without its newline
	decoder decoder
}

// finished tells whether the recorder's last word is read, and nothing follows.
func (x *indexer) finished() bool { return x.Kind == session.KindEnd && x.read == x.End }

// catchUp indexes from where it stands to the end of the file. A last line
// without its newline is left for the next time. Each MiB, and at the end, it
// calls publish, whose error ends it.
func (x *indexer) catchUp(publish func() error) error {
	x.decoder.rows = true
	lines := linesFrom(x.f, x.End)
	published := x.End
	for {
		l, err := lines.next()
		if errors.Is(err, io.EOF) {
			x.read = lines.off
			return publish()
		}
		if err != nil {
			return errors.Join(publish(), err)
		}
		if !l.whole {
			continue
		}
		if err := x.add(l); err != nil {
			return errors.Join(publish(), err)
		}
		if x.End-published >= publishBytes {
			x.read, published = x.End, x.End
			if err := publish(); err != nil {
				return err
			}
		}
	}
}

// add indexes a line.
func (x *indexer) add(l line) error {
	e, ok := x.decode(l)
	x.End = l.off + l.size
	if !ok {
		return nil
	}
	if x.Entries > 0 && (e.N <= x.N || e.T < x.T) {
		x.Warnings.OutOfOrder++
	}
	x.Entries++
	x.N, x.T, x.Kind = e.N, e.T, e.Kind
	return x.index.Add(&e, l.off, int(l.size))
}

// decode decodes a line for the index, and counts what is wrong with it.
func (x *indexer) decode(l line) (e session.Entry, ok bool) {
	var err error
	switch {
	case l.size > math.MaxUint32:
		err = errMalformed
	case l.size > int64(len(l.data)):
		x.Warnings.LongLines++
		e, err = x.decoder.head(l.data)
	default:
		e, err = x.decoder.decode(l.data)
	}
	x.Warnings.UnknownKeys += x.decoder.unknown
	x.decoder.unknown = 0
	if err != nil {
		x.Warnings.BadLines++
		return e, false
	}
	if e.Kind == session.KindUnknown {
		x.Warnings.UnknownKinds++
	}
	return e, true
}
