package probe

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"mcpdbg/session"
	"mcpdbg/session/executor"
)

type leaks struct {
	found  []executor.Descendant
	alive  []executor.Descendant // that could not be killed
	doubts []string
	lost   error
}

// A signal may have cut a shutdown short and ended the server: then nothing is known
// about its streams.
func (l *leaks) note(ctx context.Context, report *session.ShutdownReport, err error) {
	l.found = append(l.found, report.Leaked...)
	l.alive = append(l.alive, report.Survivors...)
	for _, doubt := range report.CannotTell {
		if !slices.Contains(l.doubts, doubt) {
			l.doubts = append(l.doubts, doubt)
		}
	}
	switch {
	case report.Lost != nil:
		l.lost = report.Lost
	case err != nil:
		l.lost = err
	}
}

const maxNamed = 5

func (l *leaks) verdict(ctx context.Context) verdict {
	all := append(slices.Clone(l.alive), l.found...)
	switch {
	case len(l.alive) > 0:
		return failed("leaked, and could not be killed: " + commands(all))
	case len(all) > 0:
		return failed("leaked (killed): " + commands(all))
	case l.lost != nil:
		return notChecked(l.lost.Error())
	case ctx.Err() != nil:
		return notChecked("stopped: " + context.Cause(ctx).Error())
	case len(l.doubts) > 0:
		return notChecked(strings.Join(l.doubts, "; "))
	}
	return passed("")
}

func commands(all []executor.Descendant) string {
	var order []string
	times := map[string]int{}
	for _, d := range all {
		if times[d.Command]++; times[d.Command] == 1 {
			order = append(order, d.Command)
		}
	}
	var names []string
	for _, command := range order[:min(len(order), maxNamed)] {
		name := command
		if n := times[command]; n > 1 {
			name += fmt.Sprintf(" (%d times)", n)
		}
		names = append(names, name)
	}
	text := strings.Join(names, ", ")
	if more := len(order) - len(names); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}
