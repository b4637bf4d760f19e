package report

import (
	"fmt"
	"io"

	"mcpdbg/internal/smoke"
)

// A Sink writes one output of a run. Begin and Done may be nil.
type Sink struct {
	Begin  func(head *smoke.Report) error
	Done   func(target int, r *smoke.Result) error // one call at a time
	Finish func(r *smoke.Report) error
}

// AtEnd writes one document at the end.
func AtEnd(w io.Writer, write func(io.Writer, *smoke.Report) error) Sink {
	return Sink{Finish: func(r *smoke.Report) error { return write(w, r) }}
}

// Lines writes a line of JSON for each target as soon as it is done.
func Lines(w io.Writer, targets int) Sink {
	return Sink{
		Begin:  func(head *smoke.Report) error { return startLine(w, head, targets) },
		Done:   func(target int, r *smoke.Result) error { return targetLine(w, target, r) },
		Finish: func(r *smoke.Report) error { return endLine(w, r) },
	}
}

// TextLines writes a line for each target, and a summary. Targets that were not
// begun are only in the summary.
func TextLines(w io.Writer, targets []smoke.Target) Sink {
	columns := columnsFor(targets, 0)
	return Sink{
		Done: func(_ int, r *smoke.Result) error {
			if r.Cause == smoke.CauseCancelled && r.Phase == smoke.PhaseWait {
				return nil
			}
			_, err := fmt.Fprintln(w, columns.Line(r))
			return err
		},
		Finish: func(r *smoke.Report) error { return Summary(w, r) },
	}
}
