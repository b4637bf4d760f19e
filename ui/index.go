package ui

import (
	"sort"

	"mcpdbg/framing"
	"mcpdbg/session"
	"mcpdbg/ui/filter"
	"mcpdbg/ui/table"
)

// pullRows is how many rows are looked at in one go, so that opening a long
// recording does not hold up the first frame and the keys: some 4 ms where the
// rows have to be read back.
const pullRows = 1 << 16

// rowIndex lists the rows of a log by the pane they belong to. It costs four
// bytes a row.
type rowIndex struct {
	scanned int   // rows that are listed
	latest  int64 // time of the last one
	traffic *table.Folded
	stderr  []uint32
	events  []uint32
	points  [pointKinds][]uint32
	offers  []uint32 // what the catalog is made of
	partial bool     // there are rows before the first
	block   [512]session.Row

	offered func(row *session.Row) bool           // tells what belongs to offers
	notice  func(number uint32, row *session.Row) // told of starts, and of what the server writes
	whole   *rowIndex                             // that this one was cut from; nil if it was not
}

// A pointKind is one of the kinds of row that people jump to.
type pointKind uint8

// The kinds of point.
const (
	errorPoint pointKind = iota // an answer that is an error, a line that is no message
	lagPoint                    // the reader was behind, or held
	gapPoint                    // output was lost
	exitPoint                   // how a process ended
	markPoint                   // a person marked it: in no index
	pointKinds
)

// pointOf tells which kind of point a row is.
func pointOf(row *session.Row) (kind pointKind, ok bool) {
	switch row.Kind {
	case session.KindStdin, session.KindStdout:
		// A request that failed is not one, but the answer to it.
		return errorPoint, row.Msg != framing.Request && filter.IsWrong(*row)
	case session.KindLagged, session.KindHeld:
		return lagPoint, true
	case session.KindGap:
		return gapPoint, true
	case session.KindExited, session.KindFailed:
		return exitPoint, true
	}
	return 0, false
}

// newRowIndex returns an index without rows.
func newRowIndex() *rowIndex { return &rowIndex{traffic: &table.Folded{}} }

// pull lists rows that are new, and tells whether there are more of them.
func (x *rowIndex) pull(source session.Source) (more bool) {
	limit := x.scanned + pullRows
	for x.scanned < limit {
		n := source.Rows(x.scanned, x.block[:])
		if n == 0 {
			return false
		}
		for i := range x.block[:n] {
			x.add(uint32(x.scanned+i), &x.block[i])
		}
		x.scanned += n
		x.latest = x.block[n-1].T
	}
	return x.scanned < source.Len()
}

func (x *rowIndex) add(number uint32, row *session.Row) {
	if x.notice != nil && (row.Kind == session.KindStdout || row.Kind == session.KindStart) {
		x.notice(number, row)
	}
	if x.offered != nil && x.offered(row) {
		x.offers = append(x.offers, number)
	}
	if kind, ok := pointOf(row); ok {
		x.points[kind] = append(x.points[kind], number)
	}
	switch row.Kind {
	case session.KindStdin, session.KindStdout:
		x.traffic.Append(number, floodKind(row))
	case session.KindStderr:
		if row.Flags&session.FlagLineEnd != 0 {
			return // it has nothing to show
		}
		x.stderr = append(x.stderr, number)
	default:
		x.events = append(x.events, number)
	}
}

// upTo is the index as it was when there were so many rows, of which the last
// came at a time. It shares the lists with x, to which more rows may be added.
func (x *rowIndex) upTo(rows int, latest int64) *rowIndex {
	cut := &rowIndex{
		scanned: rows, latest: latest, traffic: x.traffic.UpTo(rows),
		stderr: before(x.stderr, rows), events: before(x.events, rows), offers: before(x.offers, rows), whole: x,
	}
	for kind := range x.points {
		cut.points[kind] = before(x.points[kind], rows)
	}
	return cut
}

// before returns the rows of a list that are less than a row. Nothing can be
// appended to them in place.
func before(list []uint32, row int) []uint32 {
	n := sort.Search(len(list), func(i int) bool { return int(list[i]) >= row })
	return list[:n:n]
}

// setFold folds or unfolds a flood of the traffic, and tells whether that
// changed anything.
func (x *rowIndex) setFold(row int, fold bool) bool {
	if x.whole != nil {
		x.whole.setFold(row, fold)
	}
	return x.traffic.SetFold(row, fold)
}

// setFolds folds or unfolds all floods of the traffic, and those that come.
func (x *rowIndex) setFolds(fold bool) {
	if x.whole != nil {
		x.whole.setFolds(fold)
	}
	x.traffic.SetAll(fold)
}

// floodKind is what a row folds with: notifications with those of the same
// method and direction. It is 0 for whatever never folds, which is everything
// that something may be wrong with, or that somebody may wait for.
func floodKind(row *session.Row) uint32 {
	if row.Msg != framing.Notification || row.Flags != 0 || row.State != session.ReqNone {
		return 0
	}
	return uint32(row.Method)<<8 | uint32(row.Kind)
}

// A rowReader reads single rows of a log. It belongs to one goroutine.
type rowReader struct {
	source session.Source
	row    [1]session.Row // kept, so that reading does not allocate
}

// at reads the row with a number; there is none before 0.
func (r *rowReader) at(number int) (session.Row, bool) {
	ok := number >= 0 && r.source.Rows(number, r.row[:]) == 1
	return r.row[0], ok
}
