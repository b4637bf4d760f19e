package ui

import (
	"slices"

	"mcpdbg/session"
	"mcpdbg/ui/filter"
)

// A sieve lets through the rows of a pane that its lens shows and that are
// looked for. It belongs to one goroutine at a time.
type sieve struct {
	pane   paneID
	lens   lens
	shown  *filter.Matcher
	wanted *filter.Matcher                         // what is looked for; nil: everything
	also   func(number int, row *session.Row) bool // and this; nil: nothing more

	from              int // number of the first of rows
	rows              []session.Row
	isShown, isWanted []filter.Verdict
}

func newSieve(source session.Source, pane paneID, l lens, wanted *filter.Filter) *sieve {
	s := &sieve{pane: pane, lens: l, shown: l.filter.Over(source)}
	if wanted != nil {
		s.wanted = wanted.Over(source)
	}
	return s
}

// take takes rows, the first with the number from, and looks at all of them at
// once, as far as that is possible without reading messages.
func (s *sieve) take(from int, rows []session.Row) {
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

// passes tells whether row i of those that were taken passes. It reads the
// message if it has to.
func (s *sieve) passes(i int, b *budget) bool {
	number, row := s.from+i, &s.rows[i]
	if s.isShown[i] == filter.No || s.wanted != nil && s.isWanted[i] == filter.No || !belongs(*row, s.pane, s.lens) {
		return false
	}
	if s.also != nil && !s.also(number, row) {
		return false
	}
	return s.reads(s.shown, s.isShown[i], i, b) && (s.wanted == nil || s.reads(s.wanted, s.isWanted[i], i, b))
}

// reads reads the message of row i, unless it is known that it passes.
func (s *sieve) reads(m *filter.Matcher, v filter.Verdict, i int, b *budget) bool {
	if v == filter.Yes {
		return true
	}
	b.bytes -= int(s.rows[i].Len)
	return m.Read(s.from+i, s.rows[i])
}

// belongs tells whether a pane lists rows of a kind.
func belongs(row session.Row, pane paneID, l lens) bool {
	switch pane {
	case stderrID:
		return row.Kind == session.KindStderr && row.Flags&session.FlagLineEnd == 0
	case eventsID:
		return !row.Kind.IsStream()
	}
	return l.lists(row.Kind) && !l.hides(&row)
}
