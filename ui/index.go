package ui

import (
	"mcpdbg/framing"
	"mcpdbg/session"
	"mcpdbg/ui/table"
)

// pullRows is how many rows are looked at in one go, so that opening a long
// recording does not hold up the keys: some 20 ms.
const pullRows = 1 << 20

// rowIndex lists the rows of a log by the pane they belong to. It costs four
// bytes a row.
type rowIndex struct {
	scanned int   // rows that are listed
	latest  int64 // time of the last one
	traffic table.Folded
	stderr  []uint32
	events  []uint32
	ends    []uint32 // events that tell how a process ended
	block   [512]session.Row

	notice func(number uint32, row *session.Row) // told of starts, and of what the server writes
}

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
	switch row.Kind {
	case session.KindStdin, session.KindStdout:
		x.traffic.Append(number, floodKind(row))
	case session.KindStderr:
		x.stderr = append(x.stderr, number)
	case session.KindExited, session.KindFailed:
		x.ends = append(x.ends, number)
		fallthrough
	default:
		x.events = append(x.events, number)
	}
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
