package ui

import "mcpdbg/session"

// pullRows is how many rows are looked at in one go, so that opening a long
// recording does not hold up the keys: some 20 ms.
const pullRows = 1 << 20

// rowIndex lists the rows of a log by the pane they belong to. It costs four
// bytes a row.
type rowIndex struct {
	scanned int // rows that are listed
	traffic []uint32
	stderr  []uint32
	events  []uint32
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
			number := uint32(x.scanned + i)
			if kind := x.block[i].Kind; x.notice != nil && (kind == session.KindStdout || kind == session.KindStart) {
				x.notice(number, &x.block[i])
			}
			switch x.block[i].Kind {
			case session.KindStdin, session.KindStdout:
				x.traffic = append(x.traffic, number)
			case session.KindStderr:
				x.stderr = append(x.stderr, number)
			default:
				x.events = append(x.events, number)
			}
		}
		x.scanned += n
	}
	return x.scanned < source.Len()
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
