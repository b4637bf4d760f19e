package recordings

import (
	"errors"
	"io"
	"sync"

	"mcpdbg/session"
	"mcpdbg/session/index"
)

const (
	// readers is how many goroutines decode blocks in addition to the one that
	// adds them to the index: decoding takes about twice as long.
	readers = 2
	// blocks is how many blocks are in use: each decoder has one, and each other
	// goroutine one and a half.
	blocks = 5
	// minPipelined is the fewest bytes that are worth more than one goroutine.
	minPipelined = 4 * blockSize
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
}

// finished reports whether the end entry was read and nothing follows it.
func (x *indexer) finished() bool { return x.Kind == session.KindEnd && x.read == x.End }

// catchUp indexes from the current position to the end of the file, which is near
// size. A last line without its newline is left for the next call. catchUp calls
// publish after each block and stops at its first error.
func (x *indexer) catchUp(size int64, publish func() error) error {
	lines := &blockReader{f: x.f, longest: longestLine, off: x.End}
	var err error
	if size-x.End < minPipelined {
		err = x.oneByOne(lines, size-x.End, publish)
	} else {
		err = x.pipeline(lines, publish)
	}
	if !errors.Is(err, io.EOF) {
		return err
	}
	x.read = lines.end
	return publish()
}

// oneByOne reads, decodes and adds each block in turn.
func (x *indexer) oneByOne(lines *blockReader, most int64, publish func() error) error {
	b, alone := newBlock(most), func() error { return nil }
	for {
		if err := lines.next(b, alone); err != nil {
			return err
		}
		b.decode()
		if err := x.add(b); err != nil {
			return err
		}
		if err := publish(); err != nil {
			return err
		}
	}
}

// pipeline does the same as oneByOne with one goroutine that reads and others
// that decode; the caller adds the blocks in order.
func (x *indexer) pipeline(lines *blockReader, publish func() error) error {
	free := make(chan *lineBlock, blocks)
	for range blocks {
		free <- newBlock(blockSize)
	}
	raw, inOrder := make(chan *lineBlock, blocks), make(chan *lineBlock, blocks)
	long := make(chan struct{}, 1) // held by the one long line in the pipeline
	stop := make(chan struct{})
	alone := func() error {
		select {
		case long <- struct{}{}:
			return nil
		case <-stop:
			return errQuit
		}
	}
	var end error // of reading
	var all sync.WaitGroup
	defer all.Wait()
	defer close(stop)

	all.Go(func() {
		defer close(raw)
		defer close(inOrder)
		for {
			select {
			case b := <-free:
				if end = lines.next(b, alone); end != nil {
					return
				}
				inOrder <- b
				raw <- b
			case <-stop:
				return
			}
		}
	})
	for range readers {
		all.Go(func() {
			for b := range raw {
				b.decode()
				b.ready <- struct{}{}
			}
		})
	}
	for b := range inOrder {
		<-b.ready
		err := x.add(b)
		if b.long() {
			b.data = nil
			b.entries = nil // they alias its bytes
			<-long
		}
		if err == nil {
			err = publish()
		}
		if err != nil {
			return err
		}
		free <- b
	}
	return end
}

// add adds the entries of a block.
func (x *indexer) add(b *lineBlock) error {
	for i := range b.entries {
		e := &b.entries[i]
		if x.Entries > 0 && (e.N <= x.N || e.T < x.T) {
			x.Warnings.OutOfOrder++
		}
		x.Entries++
		x.N, x.T, x.Kind = e.N, e.T, e.Kind
	}
	x.Warnings.add(&b.warnings)
	x.End = b.off + b.size
	x.read = x.End
	return x.index.AddLines(b.entries, b.begins, b.lengths)
}
