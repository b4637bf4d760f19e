package ui

import (
	"mcpdbg/session"
	verdicts "mcpdbg/session/verdict"
)

// A projection is what the screen derives from one source: which pane lists
// which rows, what they tell, what is wrong with them, what the server offers.
// The log of a session has one. A recording has another one of what was read
// first, and one of the moment in the past that is shown.
type projection struct {
	source   session.Source
	index    *rowIndex
	rows     rowReader
	story    *story
	findings *findings
	trouble  trouble
	catalog  *catalog
}

// newProjection makes the projection of a source, in which nothing is read yet.
func newProjection(source session.Source) *projection {
	p := &projection{
		source: source, index: newRowIndex(), rows: rowReader{source: source},
		findings: newFindings(source), catalog: newCatalog(),
		trouble: trouble{tracker: verdicts.New(source), shown: -1},
	}
	p.story = &story{source: source, rows: p.rows}
	p.index.offered = func(row *session.Row) bool { return p.catalog.wants(source, row) }
	return p
}
