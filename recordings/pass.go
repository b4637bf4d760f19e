package recordings

import "sync"

const (
	// readers is how many goroutines decode blocks in addition to the one that
	// adds them: decoding takes about twice as long.
	readers = 2
	// blocks is how many blocks are in use: each decoder has one, and each other
	// goroutine one and a half.
	blocks = 5
	// minPipelined is the fewest bytes that are worth more than one goroutine.
	minPipelined = 4 * blockSize
)

// A pass reads the lines of a file once, block by block.
type pass struct {
	lines  *blockReader
	sift   *sift                  // chooses the lines that are decoded; nil: all
	decode func(*lineBlock)       // called on any goroutine
	add    func(*lineBlock) error // called by run, in the order of the file
}

// run reads the rest of the file, of about size bytes. It stops at the first error
// of add; at the end of the file the error is io.EOF.
func (p *pass) run(size int64) error {
	if size < minPipelined {
		return p.oneByOne(size)
	}
	return p.pipeline()
}

// oneByOne reads, decodes and adds each block in turn.
func (p *pass) oneByOne(most int64) error {
	b, alone := newBlock(most, p.sift), func() error { return nil }
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

// pipeline does the same as oneByOne with one goroutine that reads and others
// that decode; the caller adds the blocks.
func (p *pass) pipeline() error {
	free := make(chan *lineBlock, blocks)
	for range blocks {
		free <- newBlock(blockSize, p.sift)
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
		free <- b
	}
	return end
}
