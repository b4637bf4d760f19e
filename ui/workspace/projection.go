package workspace

import (
	"mcpdbg/session"
	"mcpdbg/session/diagnosis/cause"
	"mcpdbg/session/elements"
)

// A Projection is derived from one source: the rows of each pane, the lifecycle of the
// process, the problems and their likely causes, and the catalog of the server. The log
// of a session has one. A recording also has one of its last rows while the rest is read,
// and one of the shown past moment.
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

// Header returns that of the log, with the command that was started last.
func (p *Projection) Header() session.Header {
	h := p.Source.Header()
	if argv := p.Lifecycle.Start.Argv; argv != nil {
		h.Argv = argv
	}
	return h
}

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

// Renumber maps a row number to that in another projection; nil keeps it.
type Renumber func(row int) int

// Renumbering maps row numbers of the shown projection to another. One of them may begin
// in the middle of the log, so an entry is identified by its offset in the file.
func (w *Workspace) Renumbering(to *Projection) Renumber {
	from := w.Shown
	if from.Index.Partial == to.Index.Partial {
		return nil
	}
	old := from.Rows
	return func(row int) int {
		r, ok := old.At(from.Index.Exchanges.Parent(row))
		if !ok {
			return 0
		}
		return rowAt(to.Source, r.Off)
	}
}

// rowAt returns the row whose entry begins at an offset in the file, or the first after
// it.
func rowAt(source session.Source, off int64) int {
	rows := Rows{Source: source}
	low, high := 0, source.Len()
	for low < high {
		middle := (low + high) / 2
		if row, ok := rows.At(middle); ok && row.Off < off {
			low = middle + 1
		} else {
			high = middle
		}
	}
	return low
}
