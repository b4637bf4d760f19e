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

// rowAt reads one row.
func rowAt(source session.Source, number int) (session.Row, bool) {
	var row [1]session.Row
	ok := number >= 0 && source.Rows(number, row[:]) == 1
	return row[0], ok
}
