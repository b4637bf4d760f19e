package rec

import (
	"io"
	"sync"
)

// A piece is what is written at once.
type piece struct {
	data []byte
	err  error // of the piece that had the memory before
}

// behind writes to another writer on a goroutine, while the next piece is being made.
type behind struct {
	full, free chan *piece
	over       sync.WaitGroup
}

// writeBehind calls write with a writer that is a piece behind to. It returns when
// everything is written. The error of a piece is that of a later one, at the latest of
// the last one.
func writeBehind(to io.Writer, write func(io.Writer) error) error {
	b := &behind{full: make(chan *piece, 1), free: make(chan *piece, 2)}
	b.free <- &piece{}
	b.free <- &piece{}
	var failed error
	b.over.Go(func() {
		for p := range b.full {
			if failed == nil {
				_, failed = to.Write(p.data)
			}
			p.err = failed
			b.free <- p
		}
	})
	err := write(b)
	close(b.full)
	b.over.Wait()
	if err == nil {
		err = failed
	}
	return err
}

func (b *behind) Write(data []byte) (int, error) {
	p := <-b.free
	if p.err != nil {
		b.free <- p
		return 0, p.err
	}
	p.data = append(p.data[:0], data...)
	b.full <- p
	return len(data), nil
}
