package live

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"mcpdbg/internal/cli/console"
	"mcpdbg/internal/problems"
	"mcpdbg/session"
	"mcpdbg/session/diagnosis"
	"mcpdbg/session/diagnosis/rule"
	"mcpdbg/ui/widget/termsafe"
)

const (
	// shownProblems is how many problems run prints at its end.
	shownProblems = 10
	// lintTimeout is how long it checks for them.
	lintTimeout = 3 * time.Second
)

// AsIs returns text unchanged, where there are no secrets to conceal.
func AsIs(text string) string { return text }

// ReportProblems prints the problems of a session to stderr, errors first, then
// their count and what was checked. Each text passes through conceal.
func ReportProblems(ctx context.Context, env *console.Env, src session.Source, conceal func(string) string) {
	ctx, cancel := context.WithTimeout(ctx, lintTimeout)
	defer cancel()
	l := rule.New(src)
	more := l.Advance(ctx, math.MaxInt, math.MaxInt)
	found := l.Problems()
	found = slices.DeleteFunc(found, func(f diagnosis.Problem) bool { return f.Severity == diagnosis.Info })
	slices.SortStableFunc(found, func(x, y diagnosis.Problem) int { return int(y.Severity) - int(x.Severity) })
	printLine := func(text string) { fmt.Fprintln(env.Stderr, termsafe.String("mcpdbg: "+conceal(text))) }
	for i, f := range found {
		if i == shownProblems {
			break
		}
		p := problems.Of(f)
		printLine(fmt.Sprintf("%s %s entry %d: %s", f.Severity.Letter(), f.Rule.ID, f.N, p.Message()))
	}
	if rest := len(found) - shownProblems; rest > 0 {
		printLine(fmt.Sprintf("%d more: mcpdbg rec info FILE lists them all", rest))
	}
	if len(found) > 0 {
		printLine(fmt.Sprintf("%v; checked: %s", l.Count(), l.Checked()))
	}
	if rows, _ := l.Progress(); more {
		printLine(fmt.Sprintf("checked the first %d of %d entries: mcpdbg rec info FILE checks all of them", rows, src.Len()))
	}
}
