package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"mcpdbg/session"
	"mcpdbg/session/executor"
	"mcpdbg/ui"
	"mcpdbg/ui/termsafe"
)

// This is the one file outside ui/ that knows the terminal interface.

func isTerminal(f *os.File) bool { return ui.IsTerminal(f) }

// interactive debugs argv on the screen, under a name, or that of the program.
// A server that does not start is shown there, with all that is known about it.
func (a *app) interactive(ctx context.Context, t targetFlags, argv []string, name string) error {
	l, err := a.prepare(t, argv)
	if err != nil {
		return err
	}
	if name == "" {
		name = filepath.Base(argv[0])
	}
	err = ui.Run(ctx, ui.Options{
		Session: l.Session, Source: l.log,
		Title: name + " (local)", Start: l.Open,
	})
	if err == nil {
		err = context.Cause(ctx) // a signal, if one did it
	}
	report, endErr := l.end(ctx)
	a.reportNeeded(report)
	a.reportEnd(l, true, report)
	return errors.Join(err, endErr)
}

// reportNeeded says what it took to end the server.
func (a *app) reportNeeded(report session.ShutdownReport) {
	if report.Needed == 0 || report.Exit == nil {
		return
	}
	how := map[executor.Step]string{
		executor.StepCloseStdin: "when its stdin was closed",
		executor.StepTerm:       "after TERM",
		executor.StepKill:       "after KILL",
	}[report.Needed]
	fmt.Fprintln(a.stderr, termsafe.String(fmt.Sprintf("mcpdbg: the server ended %s: %s", how, session.DescribeExit(*report.Exit))))
}
