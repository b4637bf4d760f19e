package filter

import (
	"mcpdbg/session"
)

// numbers is a range of numbers, both ends included.
type numbers struct{ low, high uint64 }

func (n numbers) has(number uint64) bool { return n.low <= number && number <= n.high }

// numberTest is the number of an entry in the log. As long as no number is
// left out before a row, which one reading tells for all before it, the number
// of the row says it.
type numberTest struct {
	numbers
}

func (t numberTest) beside() bool { return true }

func (t numberTest) row(m *Matcher, _ int, _ session.Row) Verdict {
	if !m.rough && m.dense() {
		return verdictOf(t.has(uint64(m.number) + 1))
	}
	return Unread
}

func (t numberTest) message(msg *message) bool {
	e, err := msg.source.Entry(msg.row, headRead)
	return err == nil && t.has(e.N)
}

// dense tells whether row number i is entry i+1, for the row that is looked
// at. Numbers only ever grow, so if it is true for a row it is for all before.
func (m *Matcher) dense() bool {
	if m.number < m.denseRows {
		return true
	}
	if m.gaps {
		return false
	}
	var last [1]session.Row
	rows := m.source.Len()
	if m.source.Rows(rows-1, last[:]) == 1 {
		if e, err := m.source.Entry(last[0], headRead); err == nil && e.N == uint64(rows) {
			m.denseRows = rows
			return m.number < rows
		}
	}
	m.gaps = true
	return false
}

// seqTest is the sequence number of an event of a process. A line over several
// chunks has all of theirs.
type seqTest struct {
	ownRow
	numbers
}

func (seqTest) row(_ *Matcher, _ int, r session.Row) Verdict {
	switch r.Kind {
	case session.KindStdin, session.KindStart, session.KindEnv, session.KindPhase, session.KindAct, session.KindNote:
		return No // have none
	}
	return Unread
}

func (t seqTest) message(msg *message) bool {
	e, err := msg.source.Entry(msg.row, headRead)
	if err != nil || e.Seq == 0 {
		return false
	}
	first := e.Seq
	if e.First != 0 {
		first = e.First
	}
	return first <= t.high && t.low <= e.Seq
}

// runTest is the process that an entry belongs to: the first one that was
// started is 1, what came before it 0.
type runTest struct {
	decided
	numbers
}

func (t runTest) row(_ *Matcher, _ int, r session.Row) Verdict {
	return verdictOf(t.has(uint64(r.Run)))
}
