package ui

import (
	tea "charm.land/bubbletea/v2"

	"mcpdbg/session"
	"mcpdbg/ui/filter"
	"mcpdbg/ui/table"
)

// How much one step of a scan may do before it lets go, so that it can be
// given up and shows what it found: a few milliseconds of work.
const (
	stepRows  = 1 << 16
	stepBytes = 4 << 20

	// blockRows and blockBytes are how much of a log is given to a filter at
	// once, which searches its text without reading the messages one by one. That
	// makes a byte as cheap as an eighth of one that is read.
	blockRows   = 4096
	blockBytes  = 16 << 20
	searchShare = 8
)

// block cuts rows to what is looked at once: the first ones, or the last.
func block(rows []session.Row, last bool) []session.Row {
	bytes := 0
	for i := range rows {
		at := i
		if last {
			at = len(rows) - 1 - i
		}
		if bytes += int(rows[at].Len); bytes > blockBytes && i > 0 {
			if last {
				return rows[at+1:]
			}
			return rows[:at]
		}
	}
	return rows
}

// A scan finds what a lens lets through of a log, in steps: rows that are new
// first, then the older ones from the end on. It is passed from step to step and
// never used by two at a time.
type scan struct {
	generation int
	source     session.Source
	lens       lens
	matcher    *filter.Matcher
	listed     [256]bool // by kind of entry, what the lens looks at

	total int // rows there were at the beginning
	older int // of them, rows [0, older) are still to be looked at
	newer int // so are rows from newer on

	// open are requests that had no answer when they were looked at; what
	// becomes of them may change whether they pass.
	open     []int
	rows     []session.Row // memory for blockRows
	verdicts []filter.Verdict
	one      rowReader
}

func newScan(generation int, source session.Source, l lens, rows int) *scan {
	s := &scan{
		generation: generation, source: source, lens: l, matcher: l.filter.Over(source),
		total: rows, older: rows, newer: rows, one: rowReader{source: source},
		rows: make([]session.Row, blockRows), verdicts: make([]filter.Verdict, blockRows),
	}
	for kind := range s.listed {
		s.listed[kind] = l.lists(session.Kind(kind))
	}
	return s
}

// scanned is what one step of a scan found.
type scanned struct {
	scan    *scan
	front   []foundItem // older rows that pass, from the last to the first
	back    []foundItem // newer rows that pass
	changed []verdict
}

// A foundItem is a row that passes, with what it folds with.
type foundItem struct{ row, kind uint32 }

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
		some := s.rows[:min(len(s.rows), rows-s.newer)]
		some = block(some[:s.source.Rows(s.newer, some)], false)
		if len(some) == 0 {
			return
		}
		s.look(s.newer, some, &budget)
		for i := range some {
			if s.passes(s.newer, &some[i], s.verdicts[i], &budget) {
				found.back = append(found.back, foundItem{uint32(s.newer), floodKind(&some[i])})
			}
			s.settle(found, some[i], &budget)
			if s.newer++; budget.bytes <= 0 {
				return
			}
		}
	}
}

func (s *scan) backward(found *scanned) {
	budget := budget{rows: stepRows, bytes: stepBytes}
	for s.older > 0 && budget.left() {
		from := max(s.older-len(s.rows), 0)
		some := s.rows[:s.older-from]
		if s.source.Rows(from, some) < len(some) {
			s.older = 0 // cannot be read
			return
		}
		some = block(some, true)
		s.look(s.older-len(some), some, &budget)
		for i := len(some) - 1; i >= 0 && budget.bytes > 0; i-- {
			s.older--
			if s.passes(s.older, &some[i], s.verdicts[i], &budget) {
				found.front = append(found.front, foundItem{uint32(s.older), floodKind(&some[i])})
			}
		}
	}
}

// look asks the filter about rows, the first with the number from.
func (s *scan) look(from int, rows []session.Row, b *budget) {
	b.rows -= len(rows)
	s.matcher.Rows(from, rows, s.verdicts)
	if s.matcher.Searches() {
		for i := range rows {
			b.bytes -= int(rows[i].Len) / searchShare
		}
	}
}

// passes looks at one row, of which v is what the index says.
func (s *scan) passes(number int, row *session.Row, v filter.Verdict, b *budget) bool {
	if row.State == session.ReqPending {
		s.open = append(s.open, number)
	}
	return v != filter.No && s.lists(row) && (v == filter.Yes || s.read(number, row, b))
}

func (s *scan) lists(row *session.Row) bool { return s.listed[row.Kind] && !s.lens.hides(row) }

// read decides about a row by its message.
func (s *scan) read(number int, row *session.Row, b *budget) bool {
	b.bytes -= int(row.Len)
	return s.matcher.Read(number, *row)
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
	open := s.open[:0]
	for _, request := range s.open {
		if !s.again(found, request, b) {
			open = append(open, request)
		}
	}
	s.open = open
}

// again looks again at a request. It returns false if that is of no use yet.
func (s *scan) again(found *scanned, request int, b *budget) bool {
	row, ok := s.one.at(request)
	if !ok || row.State == session.ReqPending || request < s.older {
		return false
	}
	b.bytes -= int(row.Len)
	passes := s.lists(&row) && s.matcher.Match(request, row)
	found.changed = append(found.changed, verdict{uint32(request), passes})
	return true
}

// budget is what is left of one step.
type budget struct{ rows, bytes int }

func (b *budget) left() bool { return b.rows > 0 && b.bytes > 0 }

// addTo adds what a step found to a list.
func (found *scanned) addTo(list *table.Folded) {
	for _, item := range found.front {
		list.Prepend(item.row, item.kind)
	}
	for _, item := range found.back {
		list.Append(item.row, item.kind)
	}
	for _, v := range found.changed {
		if v.passes {
			list.Insert(int(v.row))
		} else {
			list.Remove(int(v.row))
		}
	}
}
