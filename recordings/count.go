package recordings

import (
	"bytes"
	"errors"
	"io"
	"sync"
)

// minCounted is how many bytes must be left to index for the number of lines
// to be counted first.
const minCounted = 16 << 20

// countLines counts the newlines of a file between two offsets, in two halves
// concurrently. It takes a tenth of the time that indexing takes.
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

// count counts the rows to come before they are indexed. An error is ignored:
// indexing will run into it, too.
func (r *Recording) count() {
	if r.size-r.at.End < minCounted {
		return
	}
	if n, err := countLines(r.f, r.at.End, r.size, r.quit); err == nil {
		r.change(func() { r.lines = n + int(r.at.Entries) })
	}
}
