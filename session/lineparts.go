package session

import (
	"fmt"
	"slices"

	"mcpdbg/internal/wording"
)

// LineParts finds the parts of a line of stdout that is longer than the limit: each has a
// row. It remembers the latest line, and is for one goroutine.
type LineParts struct {
	src  Source
	rows []int // of the line
	size int64
	over bool // its end is in the last row
}

// NewLineParts returns the parts of the lines in a source.
func NewLineParts(src Source) *LineParts { return &LineParts{src: src} }

// A LinePart is a part of a line.
type LinePart struct {
	First  int   // row of the first part
	Number int   // from 1
	Count  int   // of all parts so far
	Size   int64 // of all parts so far, as recorded
	Over   bool  // the line has its end
}

// String returns which part of what line it is.
func (p LinePart) String() string {
	if !p.Over {
		return fmt.Sprintf("part %d of a line without an end, %s so far", p.Number, wording.Bytes(p.Size))
	}
	return fmt.Sprintf("part %d of %d of a line of %s", p.Number, p.Count, wording.Bytes(p.Size))
}

// Of returns which part of a line a row is; ok is false if it is not one.
func (p *LineParts) Of(number int, row Row) (part LinePart, ok bool) {
	if row.Kind != KindStdout || row.Flags&FlagPart == 0 {
		return part, false
	}
	p.extend()
	at, found := slices.BinarySearch(p.rows, number)
	if !found {
		p.rows, p.size, p.over = append(p.rows[:0], p.first(number)), 0, false
		p.read(p.rows[0])
		p.extend()
		at, found = slices.BinarySearch(p.rows, number)
	}
	return LinePart{First: p.rows[0], Number: at + 1, Count: len(p.rows), Size: p.size, Over: p.over}, found
}

// Rows returns the rows of the line that a row is a part of, until the next call.
func (p *LineParts) Rows(number int, row Row) []int {
	if _, ok := p.Of(number, row); !ok {
		return nil
	}
	return p.rows
}

// first returns the row of the first part of the line that a row is a part of.
func (p *LineParts) first(number int) int {
	first := number
	for at := number - 1; at >= max(0, first-maxBetween); at-- {
		row, _ := RowAt(p.src, at)
		if row.Kind != KindStdout {
			continue
		}
		if e, err := p.src.Entry(row, 1); err != nil || row.Flags&FlagPart == 0 || !e.More {
			break
		}
		first = at
	}
	return first
}

// read takes in a part.
func (p *LineParts) read(number int) {
	row, _ := RowAt(p.src, number)
	e, err := p.src.Entry(row, 1)
	p.size += e.FullSize
	p.over = err != nil || !e.More
}

// extend adds the parts that follow the last one.
func (p *LineParts) extend() {
	if len(p.rows) == 0 {
		return
	}
	last := p.rows[len(p.rows)-1]
	for at := last + 1; !p.over && at < last+maxBetween; at++ {
		row, ok := RowAt(p.src, at)
		if !ok {
			return
		}
		if row.Kind != KindStdout {
			continue
		}
		if row.Flags&FlagPart == 0 {
			p.over = true
			return
		}
		p.rows, last = append(p.rows, at), at
		p.read(at)
	}
}
