package recordings

import (
	"errors"
	"io"
	"sync"

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

type indexer struct {
	f     io.ReaderAt
	index *index.Index
	position
	read   int64       // position.End, and the bytes of a line without its newline
	filter *lineFilter // nil: all

	handover *handover
}

func (x *indexer) finished() bool { return x.Kind == session.KindEnd && x.read == x.End }

// catchUp indexes up to the end of the file, which is near size, except a last line
// without its newline. It calls publish after each block and stops at its first error.
func (x *indexer) catchUp(size int64, publish func() error) error {
	lines := &blockReader{f: x.f, longest: longestLine, off: x.End}
	add := func(b *lineBlock) error {
		if err := x.add(b); err != nil {
			return err
		}
		return publish()
	}
	p := pass{lines: lines, filter: x.filter, decode: (*lineBlock).decode, add: add, handover: x.handover}
	if err := p.run(size - x.End); !errors.Is(err, io.EOF) {
		return err
	}
	x.read = lines.end
	return publish()
}

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
	if err := x.index.AddLines(b.entries, b.begins, b.lengths); err != nil || x.filter == nil {
		return err
	}
	return x.filter.check(x.index, b.entries)
}

const (
	// readers is how many goroutines decode blocks: decoding takes about twice as long as
	// adding.
	readers = 2
	// Each decoder has one block, and each other goroutine one and a half, besides those lent.
	blocks = 5
	// minPipelined is the fewest bytes that are worth more than one goroutine.
	minPipelined = 4 * blockSize
)

type pass struct {
	lines  *blockReader
	filter *lineFilter            // nil: all
	decode func(*lineBlock)       // called on any goroutine
	add    func(*lineBlock) error // called by run, in the order of the file

	handover *handover // nil: nothing else reads the entries
}

// run reads about size bytes. It stops at the first error of add; at the end of the file
// the error is io.EOF.
func (p *pass) run(size int64) error {
	if size < minPipelined {
		b, alone := newBlock(size, p.filter), func() error { return nil }
		for {
			if err := p.lines.next(b, alone); err != nil {
				return err
			}
			p.decode(b)
			if err := p.add(b); err != nil {
				return err
			}
		}
	}
	return p.pipeline()
}

// pipeline reads with one goroutine and decodes with others; the caller adds the blocks.
func (p *pass) pipeline() error {
	free := make(chan *lineBlock, blocks+lent)
	for range cap(free) {
		free <- newBlock(blockSize, p.filter)
	}
	raw, inOrder := make(chan *lineBlock, cap(free)), make(chan *lineBlock, cap(free))
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
				b.decoder.rows = !p.handover.hasReader()
				if end = p.lines.next(b, alone); end != nil {
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
				p.decode(b)
				b.ready <- struct{}{}
			}
		})
	}
	for b := range inOrder {
		<-b.ready
		if err := p.add(b); err != nil {
			return err
		}
		if b.long() {
			b.release()
			<-long
		}
		if b = p.handover.swap(b); b != nil {
			free <- b
		}
	}
	return end
}
