package traffic

import (
	"slices"

	"mcpdbg/session"
	"mcpdbg/ui/widget/filter"
)

// A rowMatcher selects the rows of a list that its listing shows and that match the
// search. It must be used by one goroutine at a time.
type rowMatcher struct {
	list    ListID
	listing listing
	shown   *filter.Matcher
	wanted  *filter.Matcher                         // the search; nil matches everything
	also    func(number int, row *session.Row) bool // an additional condition; nil for none

	from              int // number of the first of the rows
	rows              []session.Row
	isShown, isWanted []filter.Verdict
}

func newRowMatcher(source session.Source, list ListID, l listing, wanted *filter.Filter) *rowMatcher {
	s := &rowMatcher{list: list, listing: l, shown: l.filter.Matcher(source)}
	if wanted != nil {
		s.wanted = wanted.Matcher(source)
	}
	return s
}

// setRows sets the rows to check, of which from is the number of the first, and checks all of
// them at once as far as possible without reading messages.
func (s *rowMatcher) setRows(from int, rows []session.Row) {
	s.from, s.rows = from, rows
	s.isShown = verdictsOf(s.shown, s.isShown, from, rows)
	if s.wanted != nil {
		s.isWanted = verdictsOf(s.wanted, s.isWanted, from, rows)
	}
}

func verdictsOf(m *filter.Matcher, into []filter.Verdict, from int, rows []session.Row) []filter.Verdict {
	into = slices.Grow(into[:0], len(rows))[:len(rows)]
	m.Rows(from, rows, into)
	return into
}

// passes reports whether row i of these rows passes. It reads the message if
// necessary.
func (s *rowMatcher) passes(i int, b *budget) bool {
	number, row := s.from+i, &s.rows[i]
	if s.isShown[i] == filter.No || s.wanted != nil && s.isWanted[i] == filter.No || !belongs(*row, s.list, s.listing) {
		return false
	}
	if s.also != nil && !s.also(number, row) {
		return false
	}
	return s.reads(s.shown, s.isShown[i], i, b) && (s.wanted == nil || s.reads(s.wanted, s.isWanted[i], i, b))
}

// reads reads the message of row i, unless the row is known to pass.
func (s *rowMatcher) reads(m *filter.Matcher, v filter.Verdict, i int, b *budget) bool {
	if v == filter.Yes {
		return true
	}
	b.bytes -= int(s.rows[i].Len)
	return m.Read(s.from+i, s.rows[i])
}

func belongs(row session.Row, list ListID, l listing) bool {
	switch list {
	case StderrList:
		return row.Kind == session.KindStderr && row.Flags&session.FlagLineEnd == 0
	case EventsList:
		return !row.Kind.IsStream()
	}
	return l.lists(row.Kind) && !l.hides(&row)
}
