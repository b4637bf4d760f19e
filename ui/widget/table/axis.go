package table

import (
	"slices"
	"sort"
)

const (
	// idlePause is the time, in microseconds, from which a pause between all bars is
	// shortened.
	idlePause = 5_000_000
	gapCells  = 2
	// cellsPerGap limits the share of shortened pauses: the shortest further ones are
	// drawn as they are.
	cellsPerGap = 8
	// maxTime limits the times on an axis: nothing overflows.
	maxTime = 1 << 60
)

// A Span is a range of time, in microseconds.
type Span struct{ From, To int64 }

// An Axis maps times, in microseconds since the start of a log, to cells. It covers the
// visible bars, with shortened pauses, or a range chosen by the user. It has no cells
// before Fit or Window.
type Axis struct {
	Cells    int
	segments []axisSegment
	merged   []Span
	pauses   []int64
}

type axisSegment struct {
	Span
	cell  float64 // its first
	cells float64
	gap   bool
}

// Window makes the axis cover a range of time evenly.
func (a *Axis) Window(from, to int64, cells int) {
	from, to = limitedTime(from), limitedTime(to)
	a.Cells = max(cells, 1)
	a.segments = append(a.segments[:0], axisSegment{Span: Span{from, max(to, from+1)}, cells: float64(a.Cells)})
}

// Fit makes the axis cover spans, in the order of their beginnings. Pauses between them
// are shortened.
func (a *Axis) Fit(spans []Span, cells int) {
	a.Cells = max(cells, 1)
	a.merge(spans)
	from := a.shortenFrom()
	a.segments = a.segments[:0]
	var busy int64
	gaps := 0
	for i, s := range a.merged {
		if n := len(a.segments); i > 0 && s.From-a.merged[i-1].To < from {
			a.segments[n-1].To = s.To
		} else {
			if i > 0 {
				gaps++
				a.segments = append(a.segments, axisSegment{Span: Span{a.merged[i-1].To, s.From}, gap: true})
			}
			a.segments = append(a.segments, axisSegment{Span: s})
		}
	}
	for _, s := range a.segments {
		if !s.gap {
			busy += s.To - s.From
		}
	}
	a.place(busy, float64(a.Cells-gaps*gapCells))
}

func (a *Axis) merge(spans []Span) {
	a.merged = a.merged[:0]
	for _, s := range spans {
		s = Span{limitedTime(s.From), limitedTime(s.To)}
		s.To = max(s.To, s.From+1)
		if n := len(a.merged); n > 0 && s.From-a.merged[n-1].To < idlePause {
			a.merged[n-1].To = max(a.merged[n-1].To, s.To)
			continue
		}
		a.merged = append(a.merged, s)
	}
	if len(a.merged) == 0 {
		a.merged = append(a.merged, Span{0, 1})
	}
}

// shortenFrom returns the pause from which pauses are shortened, so that there is room
// for them.
func (a *Axis) shortenFrom() int64 {
	a.pauses = a.pauses[:0]
	for i := 1; i < len(a.merged); i++ {
		a.pauses = append(a.pauses, a.merged[i].From-a.merged[i-1].To)
	}
	most := a.Cells / cellsPerGap
	if len(a.pauses) <= most {
		return idlePause
	}
	slices.Sort(a.pauses)
	return a.pauses[len(a.pauses)-1-most] + 1
}

// place gives each pause a fixed number of cells, and the other segments a share of room
// by their time.
func (a *Axis) place(busy int64, room float64) {
	cell := 0.0
	for i := range a.segments {
		s := &a.segments[i]
		s.cell, s.cells = cell, gapCells
		if !s.gap {
			s.cells = room * float64(s.To-s.From) / float64(max(busy, 1))
		}
		cell += s.cells
	}
}

// From returns the first time.
func (a *Axis) From() int64 {
	if len(a.segments) == 0 {
		return 0
	}
	return a.segments[0].From
}

// To returns the last time.
func (a *Axis) To() int64 {
	if len(a.segments) == 0 {
		return 0
	}
	return a.segments[len(a.segments)-1].To
}

// CellOf returns where a time is, in cells; other times are at the ends.
func (a *Axis) CellOf(t int64) float64 {
	i := sort.Search(len(a.segments), func(i int) bool { return a.segments[i].To >= t })
	switch {
	case len(a.segments) == 0:
		return 0
	case i == len(a.segments):
		return float64(a.Cells)
	}
	s := &a.segments[i]
	if t <= s.From {
		return s.cell
	}
	return s.cell + s.cells*float64(t-s.From)/float64(s.To-s.From)
}

// TimeAt returns the time at a place, in cells.
func (a *Axis) TimeAt(cell float64) int64 {
	for i := range a.segments {
		if s := &a.segments[i]; cell < s.cell+s.cells {
			return s.From + int64(float64(s.To-s.From)*max(cell-s.cell, 0)/s.cells)
		}
	}
	return a.To()
}

// Shortened reports whether a cell shows a shortened pause.
func (a *Axis) Shortened(cell int) bool {
	for i := range a.segments {
		s := &a.segments[i]
		if middle := float64(cell) + 0.5; s.gap && s.cell <= middle && middle < s.cell+s.cells {
			return true
		}
	}
	return false
}

func limitedTime(t int64) int64 { return min(max(t, 0), maxTime) }
