package workspace

import (
	"slices"
	"sort"

	"mcpdbg/session"
)

const (
	// progressRead is how many ranges of progress, and how many rows before the end
	// of one, are read to find the latest progress at an earlier moment.
	progressRead = 64
	// partsRead is how many rows are read to find the progress of a call that is
	// unfolded.
	partsRead = 1 << 20
	// nearRanges is how many ranges of progress after an exchange are read to find one of
	// it.
	nearRanges = 16
	// maxLatest is how many exchanges are known with their latest progress.
	maxLatest = 1 << 16
	// loose is the exchange of progress that belongs to none.
	loose = 1<<32 - 1
)

// reports has the rows of notifications of progress, by exchange.
type reports struct {
	ranges  []progressRange   // see loose
	current uint32            // exchange of the latest progress, plus one, if it has not ended
	last    uint32            // its row
	latest  map[uint32]uint32 // row of the latest progress of the others that have not ended
}

// A progressRange is a row from which on all progress is of one exchange.
type progressRange struct{ row, of uint32 }

// add takes in progress of an exchange, or loose. It reports whether a new range of the
// exchange is far from it.
func (p *reports) add(number, of uint32) (far bool) {
	if n := len(p.ranges); n == 0 && of != loose || n > 0 && p.ranges[n-1].of != of {
		p.ranges = append(p.ranges, progressRange{number, of})
		far = n >= nearRanges && int(p.ranges[n-nearRanges].row) >= int(of)
	}
	switch {
	case of == loose:
		return false
	case p.current > 0 && p.current != of+1:
		if p.latest == nil || len(p.latest) == maxLatest {
			p.latest = map[uint32]uint32{}
		}
		p.latest[p.current-1] = p.last
	}
	p.current, p.last = of+1, number
	return far
}

// near reports whether an exchange has progress in the ranges that follow it.
func (p *reports) near(of int) bool {
	from := p.from(of)
	return slices.ContainsFunc(p.ranges[from:min(from+nearRanges, len(p.ranges))], func(r progressRange) bool { return int(r.of) == of })
}

// over takes in that an exchange has ended.
func (p *reports) over(of uint32) {
	if p.current == of+1 {
		p.current = 0
	}
	if len(p.latest) > 0 {
		delete(p.latest, of)
	}
}

// latestOf returns the row of the latest progress of an exchange that has not ended.
func (p *reports) latestOf(of int) (row int, ok bool) {
	if p.current == uint32(of)+1 {
		return int(p.last), true
	}
	latest, ok := p.latest[uint32(of)]
	return int(latest), ok
}

// from returns the index of the first range from a row on.
func (p *reports) from(row int) int {
	return sort.Search(len(p.ranges), func(i int) bool { return int(p.ranges[i].row) >= row })
}

// progressOf returns the exchange that progress at a row belongs to.
func (x *Exchanges) progressOf(number int, row *session.Row) (exchange int, ok bool) {
	i := x.from(number+1) - 1
	if i < 0 || x.ranges[i].of == loose || !x.IsProgress(row) {
		return 0, false
	}
	return int(x.ranges[i].of), true
}

// isWhole reports whether an exchange has progress or was cancelled.
func (x *Exchanges) isWhole(exchange int) bool {
	_, has := slices.BinarySearch(x.whole, uint32(exchange))
	return has || x.near(exchange)
}

// Progress returns the row of the latest progress of a pending call.
func (x *Exchanges) Progress(call int) (number int, ok bool) {
	if !x.isWhole(call) {
		return 0, false
	}
	if latest, ok := x.latestOf(call); ok {
		return latest, true
	}
	end := x.scanned
	for i := len(x.ranges) - 1; i >= max(len(x.ranges)-progressRead, 0); i-- {
		r := x.ranges[i]
		if int(r.of) != call {
			end = int(r.row)
			continue
		}
		for at := end - 1; at >= max(int(r.row), end-progressRead); at-- {
			if row, ok := x.rows.At(at); ok && x.IsProgress(&row) {
				return at, true
			}
		}
		return int(r.row), true
	}
	return 0, false
}

// progressParts returns the rows of the first progress of a call, one more than
// are listed if there are so many.
func (x *Exchanges) progressParts(call int) (parts []uint32) {
	if !x.isWhole(call) {
		return nil
	}
	left := partsRead
	for i := x.from(call); i < len(x.ranges) && left > 0 && len(parts) <= MaxParts; i++ {
		if int(x.ranges[i].of) != call {
			continue
		}
		end := x.scanned
		if i+1 < len(x.ranges) {
			end = int(x.ranges[i+1].row)
		}
		from := int(x.ranges[i].row)
		end = min(end, from+left)
		left -= end - from
		parts = x.appendProgress(parts, from, end)
	}
	return parts
}

// appendProgress appends the rows of progress between two rows, until there are
// more than are listed.
func (x *Exchanges) appendProgress(parts []uint32, from, end int) []uint32 {
	var block [64]session.Row
	for from < end && len(parts) <= MaxParts {
		n := x.rows.Rows(from, block[:min(len(block), end-from)])
		if n == 0 {
			break
		}
		for i := range block[:n] {
			if x.IsProgress(&block[i]) {
				parts = append(parts, uint32(from+i))
			}
		}
		from += n
	}
	return parts
}
