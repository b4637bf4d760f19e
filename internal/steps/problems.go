package steps

import (
	"context"
	"math"
	"slices"
	"time"

	"mcpdbg/session"
	"mcpdbg/session/diagnosis"
	"mcpdbg/session/diagnosis/cause"
	"mcpdbg/session/diagnosis/rule"
)

// problemsTimeout limits the time for checking one log.
const problemsTimeout = 5 * time.Second

// Found is what the rules found in a log.
type Found struct {
	Problems []diagnosis.Problem // the most severe first
	Ends     []diagnosis.End     // what Problems may follow from
	Count    diagnosis.Count     // of occurrences
	Rows     int                 // entries that were checked
	Of       int                 // all entries
	Gaps     []string            // as rule.Checker.Gaps
}

// Partial reports whether some entries were not checked.
func (f *Found) Partial() bool { return f.Rows < f.Of }

// Problems checks a whole log after it is closed. The problems in texts that
// another program wrote are as the log has them.
func Problems(src session.Source) Found {
	ctx, cancel := context.WithTimeout(context.Background(), problemsTimeout)
	defer cancel()
	checker := rule.New(src)
	more := checker.Advance(ctx, math.MaxInt, math.MaxInt)
	found := Found{Problems: checker.Problems(), Count: checker.Count(), Of: src.Len(), Gaps: checker.Gaps()}
	found.Rows = found.Of
	if more {
		found.Rows, _ = checker.Progress()
	}
	slices.SortStableFunc(found.Problems, func(a, b diagnosis.Problem) int { return int(b.Severity) - int(a.Severity) })
	found.Ends = cause.EndsOf(ctx, src, found.Problems)
	return found
}

// FromClient reports whether a problem is about a message that was sent to the
// server, such as an invalid one that a test sends on purpose. It is not the
// server's.
func FromClient(src session.Source, f diagnosis.Problem) bool {
	row, ok := session.RowAt(src, f.Row)
	return f.Rule.Side == diagnosis.Both && ok && row.Kind == session.KindStdin
}
