package live

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sort"
	"time"

	"mcpdbg/internal/cli/console"
	"mcpdbg/internal/verify"
	"mcpdbg/session"
	"mcpdbg/session/diagnosis"
	"mcpdbg/session/diagnosis/cause"
	"mcpdbg/session/diagnosis/rule"
	"mcpdbg/ui/widget/termsafe"
)

const (
	// at the end of run
	shownProblems = 10
	// lintTimeout is how long it checks for them.
	lintTimeout = 3 * time.Second
)

// AsIs conceals nothing.
func AsIs(text string) string { return text }

// ReportProblems prints the problems of a session to stderr, errors first, then their
// count and what was checked, all through conceal.
func ReportProblems(ctx context.Context, env *console.Env, src session.Source, conceal func(string) string) {
	ctx, cancel := context.WithTimeout(ctx, lintTimeout)
	defer cancel()
	l := rule.New(src)
	more := l.Advance(ctx, math.MaxInt, math.MaxInt)
	found := l.Problems()
	groups := cause.Groups(ctx, src, found)
	count := diagnosis.CountGroups(groups)
	list := verify.List(found, groups)
	groups = slices.DeleteFunc(groups, func(g diagnosis.Group) bool { return g.Severity == diagnosis.Info })
	sort.SliceStable(groups, func(i, j int) bool {
		x, y := &groups[i], &groups[j]
		return int(y.Severity)-int(x.Severity) < 0
	})
	printLine := func(text string) { fmt.Fprintln(env.Stderr, termsafe.String("mcpdbg: "+conceal(text))) }
	for i := range groups[:min(len(groups), shownProblems)] {
		g := &groups[i]
		p := list[g.Items[0]].Flood(g)
		text := fmt.Sprintf("%s entry %d: %s", p.ID, p.N, p.Message())
		if p.Cause != nil {
			text = p.Cause.Text + "; consequences: " + diagnosis.RuleNames(found, g.Items)
		}
		printLine(g.Severity.Letter() + " " + text)
	}
	if rest := len(groups) - shownProblems; rest > 0 {
		printLine(fmt.Sprintf("%d more: mcpdbg rec info FILE lists them all", rest))
	}
	if len(groups) > 0 {
		printLine(fmt.Sprintf("%v; checked: %s", count, l.Checked()))
	}
	if rows, _ := l.Progress(); more {
		printLine(fmt.Sprintf("checked the first %d of %d entries: mcpdbg rec info FILE checks all of them", rows, src.Len()))
	}
}
