package ui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"mcpdbg/session"
	"mcpdbg/ui/filter"
)

// How much one step of a scan may do before it lets go, so that it can be
// given up and shows what it found: a few milliseconds of work.
const (
	stepRows  = 1 << 16
	stepBytes = 4 << 20
)

// A scan evaluates a filter over a log, in steps: rows that are new first,
// then the older ones from the end on. It is passed from step to step and
// never used by two at a time.
type scan struct {
	generation int
	source     session.Source
	filter     *filter.Filter
	matcher    *filter.Matcher

	total int // rows there were at the beginning
	older int // of them, rows [0, older) are still to be looked at
	newer int // so are rows from newer on

	// open are requests that had no answer when they were looked at; what
	// becomes of them may change whether they pass.
	open  map[int]struct{}
	block [512]session.Row
	one   rowReader
}

func newScan(generation int, source session.Source, f *filter.Filter, rows int) *scan {
	return &scan{
		generation: generation, source: source, filter: f, matcher: f.Over(source),
		total: rows, older: rows, newer: rows, open: map[int]struct{}{}, one: rowReader{source: source},
	}
}

// scanned is what one step of a scan found.
type scanned struct {
	scan    *scan
	front   []uint32 // older rows that pass, in front of all found before
	back    []uint32 // newer rows that pass, behind them
	changed []verdict
}

// A verdict is about a row that was looked at again.
type verdict struct {
	row    uint32
	passes bool
}

// done tells whether nothing is left to look at up to row number rows.
func (s *scan) done(rows int) bool { return s.older == 0 && s.newer >= rows }

// percent is how much of the rows that were there at the beginning has been
// looked at.
func (s *scan) percent() int {
	if s.total == 0 {
		return 100
	}
	return int(int64(s.total-s.older) * 100 / int64(s.total))
}

// step returns the command for the next step, up to row number rows.
func (s *scan) step(rows int) tea.Cmd {
	return func() tea.Msg {
		found := scanned{scan: s}
		if s.newer < rows {
			s.forward(&found, rows)
		} else {
			s.backward(&found)
		}
		return found
	}
}

func (s *scan) forward(found *scanned, rows int) {
	budget := budget{rows: stepRows, bytes: stepBytes}
	for s.newer < rows && budget.left() {
		n := s.source.Rows(s.newer, s.block[:min(len(s.block), rows-s.newer)])
		if n == 0 {
			return
		}
		for i := 0; i < n && budget.left(); i++ {
			row := s.block[i]
			if s.passes(s.newer, row, &budget) {
				found.back = append(found.back, uint32(s.newer))
			}
			s.settle(found, row, &budget)
			s.newer++
		}
	}
}

func (s *scan) backward(found *scanned) {
	budget := budget{rows: stepRows, bytes: stepBytes}
	for s.older > 0 && budget.left() {
		from := max(s.older-len(s.block), 0)
		n := s.source.Rows(from, s.block[:s.older-from])
		if n < s.older-from {
			s.older = 0 // cannot be read
			break
		}
		for s.older > from && budget.left() {
			s.older--
			if s.passes(s.older, s.block[s.older-from], &budget) {
				found.front = append(found.front, uint32(s.older))
			}
		}
	}
	slices.Reverse(found.front)
}

// passes looks at one row.
func (s *scan) passes(number int, row session.Row, b *budget) bool {
	b.rows--
	if row.State == session.ReqPending {
		s.open[number] = struct{}{}
	}
	if !inTraffic(row, s.filter) {
		return false
	}
	passes, decided := s.matcher.Quick(row)
	if decided {
		return passes
	}
	b.bytes -= int(row.Len)
	return s.matcher.Match(row)
}

// settle looks again at requests whose state a new row has changed.
func (s *scan) settle(found *scanned, row session.Row, b *budget) {
	if request := int(row.Pair) - 1; row.Pair != 0 && request < s.newer {
		s.again(found, request, b)
		return
	}
	switch row.Kind {
	case session.KindState, session.KindClosed, session.KindFailed:
	case session.KindStdin, session.KindStdout:
		if s.source.Method(row.Method) != "notifications/cancelled" {
			return
		}
	default:
		return
	}
	for request := range s.open {
		s.again(found, request, b)
	}
}

func (s *scan) again(found *scanned, request int, b *budget) {
	row, ok := s.one.at(request)
	if !ok || row.State == session.ReqPending || request < s.older {
		return
	}
	delete(s.open, request)
	found.changed = append(found.changed, verdict{uint32(request), s.passes(request, row, b)})
}

// inTraffic tells whether the traffic pane shows a row: messages, stray lines,
// and lines of stderr if the filter asks for them.
func inTraffic(row session.Row, f *filter.Filter) bool {
	switch row.Kind {
	case session.KindStdin, session.KindStdout:
		return true
	case session.KindStderr:
		return f.Stderr()
	}
	return false
}

// budget is what is left of one step.
type budget struct{ rows, bytes int }

func (b *budget) left() bool { return b.rows > 0 && b.bytes > 0 }

// rowList is a list of rows in ascending order that grows at both ends.
type rowList struct {
	rows []uint32
	head int // where the list begins in rows
}

// newRowList returns a list with room for front rows before its first one.
func newRowList(front int) rowList {
	return rowList{rows: make([]uint32, front), head: front}
}

func (l *rowList) all() []uint32 { return l.rows[l.head:] }

// add adds what a step of a scan found.
func (l *rowList) add(found scanned) {
	l.head -= len(found.front)
	copy(l.rows[l.head:], found.front)
	l.rows = append(l.rows, found.back...)
	for _, v := range found.changed {
		i, listed := slices.BinarySearch(l.all(), v.row)
		switch {
		case v.passes && !listed:
			l.rows = slices.Insert(l.rows, l.head+i, v.row)
		case !v.passes && listed:
			l.rows = slices.Delete(l.rows, l.head+i, l.head+i+1)
		}
	}
}
