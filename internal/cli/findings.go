package cli

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"mcpdbg/session"
	"mcpdbg/session/lint"
	"mcpdbg/ui/termsafe"
)

const (
	// shownFindings is how many findings run tells of at its end.
	shownFindings = 10
	// lintPatience is how long it looks for them.
	lintPatience = 3 * time.Second
)

// asIs is for texts that conceal nothing.
func asIs(text string) string { return text }

// reportFindings prints the problems of a session to stderr, errors first, then
// their count and what was checked. Each text passes through conceal.
func (a *app) reportFindings(ctx context.Context, src session.Source, conceal func(string) string) {
	ctx, cancel := context.WithTimeout(ctx, lintPatience)
	defer cancel()
	l := lint.New(src)
	more := l.Advance(ctx, math.MaxInt, math.MaxInt)
	found := l.Findings()
	found = slices.DeleteFunc(found, func(f lint.Finding) bool { return f.Severity == lint.Info })
	slices.SortStableFunc(found, func(x, y lint.Finding) int { return int(y.Severity) - int(x.Severity) })
	say := func(text string) { fmt.Fprintln(a.stderr, termsafe.String("mcpdbg: "+conceal(text))) }
	for i, f := range found {
		if i == shownFindings {
			break
		}
		text := fmt.Sprintf("%s %s entry %d: %s%s", f.Severity.Letter(), f.Rule.ID, f.N, f.Rule.Title, ifAny(": ", f.Detail))
		if f.Count > 1 {
			text += fmt.Sprintf(" (%d times)", f.Count)
		}
		say(text)
	}
	if rest := len(found) - shownFindings; rest > 0 {
		say(fmt.Sprintf("%d more: mcpdbg rec info FILE prints them", rest))
	}
	if len(found) > 0 {
		say(fmt.Sprintf("%v; checked: %s", l.Count(), lint.Checked))
	}
	if rows, _ := l.Looked(); more {
		say(fmt.Sprintf("looked for what is wrong in the first %d of %d entries: mcpdbg rec info FILE looks at all", rows, src.Len()))
	}
}
