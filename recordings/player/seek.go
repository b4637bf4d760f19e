package player

import (
	"math"
	"sort"
	"time"

	"mcpdbg/framing"
	"mcpdbg/session"
)

func countAt(src Rows, at time.Duration) int {
	return sort.Search(src.Len(), func(i int) bool { return rowAt(src, i).T > at.Microseconds() })
}

// CountOf returns how many rows a fraction of them, from 0 to 1, is.
func CountOf(src Rows, part float64) int {
	n := src.Len()
	return min(max(int(part*float64(n)+0.5), 0), n)
}

// Numbered returns the row of the entry with number n. It returns false if there is
// none: a shortened recording has gaps. It reads at most some 20 entries.
func Numbered(src session.Source, n uint64) (row int, ok bool) {
	r := newReader(src)
	if n >= 1 && n <= uint64(src.Len()) && r.entry(int(n)-1).N == n {
		return int(n) - 1, true
	}
	row = sort.Search(src.Len(), func(i int) bool { return r.entry(i).N >= n })
	return row, row < src.Len() && r.entry(row).N == n
}

// nearby rows are searched for a sequence number, because their order is not exactly that
// of the file.
const nearby = 64

// Sequenced returns the row with a sequence number of a process, which is the run-th one
// of the recording, from 1: the line that the chunk seq is part of, the event, or the
// gap. If there is none nearby, it returns the row that came next and false; -1 if
// there are no rows of the process. It reads at most some 150 entries.
func Sequenced(src session.Source, run int, seq uint64) (row int, ok bool) {
	from := sort.Search(src.Len(), func(i int) bool { return int(rowAt(src, i).Run) >= run })
	to := sort.Search(src.Len(), func(i int) bool { return int(rowAt(src, i).Run) > run })
	if from == to {
		return -1, false
	}
	r := newReader(src)
	row = from + sort.Search(to-from, func(i int) bool { return r.seqFrom(from+i, to) >= seq })
	row = min(row, to-1)
	for by := range nearby {
		for _, i := range [...]int{row + by, row - by} {
			if i >= from && i < to && has(r.entry(i), seq) {
				return i, true
			}
		}
	}
	return row, false
}

// has reports whether chunk seq is part of an entry, is its event, or is lost in its gap.
func has(e session.Entry, seq uint64) bool {
	if e.Kind == session.KindGap {
		var b session.GapBody
		return e.DecodeBody(&b) == nil && b.From <= seq && seq <= b.To
	}
	if e.Seq == seq || e.First == seq {
		return seq != 0
	}
	for _, cut := range e.Cuts {
		if cut.Seq == seq {
			return true
		}
	}
	return false
}

// rowAt returns the zero Row if there is none.
func rowAt(src Rows, number int) session.Row {
	var row [1]session.Row
	src.Rows(number, row[:])
	return row[0]
}

type reader struct {
	src session.Source
	buf []byte
}

func newReader(src session.Source) *reader { return &reader{src, make([]byte, 4<<10)} }

// entry returns the zero Entry if it can't be read.
func (r *reader) entry(number int) session.Entry {
	e, _ := session.EntryInto(r.src, rowAt(r.src, number), 1, r.buf)
	return e
}

// seqFrom returns the sequence number of the first row from number on that has one; the
// largest number if there is none before to.
func (r *reader) seqFrom(number, to int) uint64 {
	row, ok := nextMatch(r.src, number, isSequenced)
	if !ok || row >= to {
		return math.MaxUint64
	}
	return r.entry(row).Seq
}

func isSequenced(_ int, row *session.Row) bool {
	switch row.Kind {
	case session.KindStdout, session.KindStderr, session.KindExited, session.KindClosed:
		return true
	}
	return false
}

const chunk = 2048

type matcher func(number int, row *session.Row) bool

func isMessage(_ int, row *session.Row) bool {
	return (row.Kind == session.KindStdin || row.Kind == session.KindStdout) &&
		row.Msg != framing.NotJSON && row.Msg != framing.Other
}

func isExit(_ int, row *session.Row) bool {
	return row.Kind == session.KindExited || row.Kind == session.KindFailed
}

// nextMatch checks every row in between, at some 2 ns each, and reads no entries.
func nextMatch(src Rows, from int, match matcher) (number int, ok bool) {
	rows := make([]session.Row, chunk)
	for from = max(from, 0); ; {
		n := src.Rows(from, rows)
		if n == 0 {
			return 0, false
		}
		for i := range rows[:n] {
			if match(from+i, &rows[i]) {
				return from + i, true
			}
		}
		from += n
	}
}

func previousMatch(src Rows, before int, match matcher) (number int, ok bool) {
	rows := make([]session.Row, chunk)
	for end := min(before, src.Len()); end > 0; {
		from := max(0, end-chunk)
		n := src.Rows(from, rows[:end-from])
		for i := n - 1; i >= 0; i-- {
			if match(from+i, &rows[i]) {
				return from + i, true
			}
		}
		end = from
	}
	return 0, false
}
