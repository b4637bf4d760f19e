package workspace

import (
	"mcpdbg/session"
	"mcpdbg/session/diagnosis/cause"
	"mcpdbg/session/elements"
)

// A Projection is what the screen derives from one source: the rows of each pane,
// the lifecycle of the process, the problems and their likely causes, and the
// catalog of the server. The log of a session has one. A recording also has one
// of its last rows while the rest is read, and one of the past moment that is
// shown.
type Projection struct {
	Source    *elements.Source
	Index     *Index
	Rows      Rows
	Lifecycle *Lifecycle
	Problems  *Problems
	Causes    Causes
	Catalog   *Catalog

	server knownServer
}

// NewProjection returns the projection of a source; no rows are read yet.
func NewProjection(source session.Source) *Projection { return project(elements.New(source)) }

// Past returns the projection of the same log at an earlier moment.
func (p *Projection) Past(moment session.Source) *Projection { return project(p.Source.Past(moment)) }

func project(source *elements.Source) *Projection {
	p := &Projection{
		Source: source, Index: NewIndex(), Rows: Rows{Source: source},
		Problems: NewProblems(source), Catalog: newCatalog(),
		Causes: Causes{Tracker: cause.New(source), Shown: -1},
	}
	p.Lifecycle = &Lifecycle{Source: source, Rows: p.Rows}
	p.Index.offered = func(row *session.Row) bool { return p.Catalog.wants(source, row) }
	return p
}
