package filter

import (
	"sort"

	"mcpdbg/session"
)

// numbers includes both ends.
type numbers struct{ low, high uint64 }

// numberTest tests the number of an entry. Numbers only grow, so the matching entries are
// consecutive rows.
type numberTest struct {
	decided
	numbers
}

func (t numberTest) contextual() bool { return true }

func (t numberTest) row(m *Matcher, index int, _ session.Row) Verdict {
	if m.rough {
		return Unread
	}
	s := &m.spans[index]
	number := m.number
	if m.batch > 0 {
		number = m.batch - 1
	}
	if number >= s.rows {
		*s = m.span(t.numbers)
	}
	return verdictOf(s.from <= number && number < s.to)
}

// A span is the rows [from, to) among the first rows of a log.
type span struct{ from, to, rows int }

// span finds the rows of the entries with these numbers by reading a few of them. In a
// complete log, row i has entry i+1.
func (m *Matcher) span(n numbers) span {
	rows := m.source.Len()
	if m.entryNumber(rows-1) == uint64(rows) {
		return span{int(min(max(n.low, 1)-1, uint64(rows))), int(min(n.high, uint64(rows))), rows}
	}
	return span{
		sort.Search(rows, func(row int) bool { return m.entryNumber(row) >= n.low }),
		sort.Search(rows, func(row int) bool { return m.entryNumber(row) > n.high }),
		rows,
	}
}

// entryNumber returns, for an unreadable entry, its number in a complete log.
func (m *Matcher) entryNumber(row int) uint64 {
	if m.source.Rows(row, m.again[:]) == 1 {
		if e, err := m.entry(m.again[0], 1); err == nil {
			return e.N
		}
	}
	return uint64(row) + 1
}

// seqTest tests the sequence number of an event of a process. A line of several chunks
// has all their numbers.
type seqTest struct {
	ownRow
	numbers
}

func (seqTest) row(_ *Matcher, _ int, r session.Row) Verdict {
	switch r.Kind {
	case session.KindStdin, session.KindStart, session.KindEnv, session.KindPhase, session.KindAct, session.KindNote:
		return No // these have none
	}
	return Unread
}

func (t seqTest) message(msg *message) bool {
	e, err := msg.matcher.entry(msg.row, 1)
	if err != nil || e.Seq == 0 {
		return false
	}
	first := e.Seq
	if e.First != 0 {
		first = e.First
	}
	return first <= t.high && t.low <= e.Seq
}

// runTest tests the process of an entry: 1 is the first one started, 0 is everything
// before.
type runTest struct {
	decided
	numbers
}

func (t runTest) row(_ *Matcher, _ int, r session.Row) Verdict {
	return verdictOf(t.low <= uint64(r.Run) && uint64(r.Run) <= t.high)
}
