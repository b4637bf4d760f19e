package filter

import (
	"slices"

	"mcpdbg/framing"
	"mcpdbg/session"
	"mcpdbg/session/elements"
)

// namesBatches reports whether a word is kind:batch, which is about batches and not
// about what is in them.
func (f *Filter) namesBatches() bool {
	for _, words := range f.alternatives {
		for _, w := range words {
			if t, ok := w.test.(kindTest); ok && slices.Contains(t.kinds, framing.Batch) {
				return true
			}
		}
	}
	return false
}

// hasElements reports whether a row is a batch whose elements have rows: it passes
// if one of them does.
func (m *Matcher) hasElements(r *session.Row) bool {
	return r.Msg == framing.Batch && m.batches != nil
}

// elementMatches reports whether an element of the batch at a row passes.
func (m *Matcher) elementMatches(number int) bool {
	m.batch = number + 1
	defer func() {
		m.batch = 0
		m.batches.Forget()
	}()
	for _, element := range m.batches.Numbers(number) {
		if row, ok := session.RowAt(m.source, element); ok && m.read(element, row) {
			return true
		}
	}
	return false
}

// paired returns the current row; if its partner is in a batch, with that of the
// element.
func (m *Matcher) paired(r session.Row) session.Row {
	if m.batches == nil || m.number >= elements.First {
		return r
	}
	return m.batches.Paired(m.number, r)
}
