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

func isInterrupt(err error) bool { return errors.Is(err, ui.ErrInterrupted) }

// prompter asks on the terminal, for commands that have no screen.
func (a *app) prompter() *prompter {
	return &prompter{interrupt: a.interrupt, open: func() (terminal, error) {
		tty, err := ui.OpenTTY()
		if err != nil {
			return nil, err
		}
		return tty, nil
	}}
}

// interactive debugs argv on the screen, under a name, or that of the program.
// A server that does not start is shown there, with all that is known about it.
func (a *app) interactive(ctx context.Context, t targetFlags, argv []string, name string) error {
	prompter := ui.NewPrompter()
	l, err := a.prepare(t, argv, prompter)
	if err != nil {
		return err
	}
	if name == "" {
		name = filepath.Base(argv[0])
	}
	place := "local"
	if t.ssh.remote() {
		place = t.ssh.dest
	}
	err = ui.Run(ctx, ui.Options{
		Session: l.Session, Source: l.log, Prompter: prompter,
		Title: fmt.Sprintf("%s (%s)", name, place), Start: l.Open,
	})
	if err == nil {
		err = context.Cause(ctx) // a signal, if one did it
	}
	report, endErr := l.end(ctx)
	a.reportNeeded(report)
	a.reportEnd(l, true, report, err)
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
