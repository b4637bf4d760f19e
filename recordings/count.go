package recordings

import (
	"bytes"
	"errors"
	"io"
	"sync"
)

// worthCounting is how many bytes are indexed before anybody wonders how much
// more there is.
const worthCounting = 16 << 20

// countLines counts the newlines of a file from one place to another, in two
// halves beside each other. It takes a tenth of the time that indexing takes.
func countLines(f io.ReaderAt, from, to int64, quit <-chan struct{}) (int, error) {
	middle := from + (to-from)/2
	var lines [2]int
	var errs [2]error
	var halves sync.WaitGroup
	halves.Go(func() { lines[0], errs[0] = countHalf(f, from, middle, quit) })
	halves.Go(func() { lines[1], errs[1] = countHalf(f, middle, to, quit) })
	halves.Wait()
	return lines[0] + lines[1], errors.Join(errs[0], errs[1])
}

func countHalf(f io.ReaderAt, from, to int64, quit <-chan struct{}) (lines int, err error) {
	buf := make([]byte, blockSize)
	for from < to {
		select {
		case <-quit:
			return 0, errQuit
		default:
		}
		n, err := f.ReadAt(buf[:min(int64(len(buf)), to-from)], from)
		if n == 0 {
			return 0, shortRead(err)
		}
		lines += bytes.Count(buf[:n], []byte{'\n'})
		from += int64(n)
	}
	return lines, nil
}

// count tells how many rows there will be, before they are there. That it can't
// be known is no error: whatever is wrong shows when they are indexed.
func (r *Recording) count() {
	if r.size-r.at.End < worthCounting {
		return
	}
	if n, err := countLines(r.f, r.at.End, r.size, r.quit); err == nil {
		r.change(func() { r.lines = n + int(r.at.Entries) })
	}
}
