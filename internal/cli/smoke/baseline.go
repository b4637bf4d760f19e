package smoke

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"mcpdbg/internal/cli/console"
	"mcpdbg/internal/cli/flags"
	"mcpdbg/internal/verify"
	"mcpdbg/internal/verify/probe"
	"mcpdbg/internal/verify/report"
	"mcpdbg/internal/verify/surface"
	"mcpdbg/internal/wording"
	"mcpdbg/recordings"
	"mcpdbg/ui/widget/termsafe"
)

// A file or one of the hosts; nil without --baseline.
func smokeBaseline(ctx context.Context, f *smokeFlags, fl *fleet) (*probe.Baseline, error) {
	name := f.baseline
	if name == "" {
		return nil, nil
	}
	_, err := os.Stat(name)
	switch {
	case err == nil:
		return fl.baselineFile(ctx, name, f.out.quiet)
	case !errors.Is(err, fs.ErrNotExist):
		return nil, console.Usagef("--baseline: %v", err)
	case !slices.ContainsFunc(fl.plan.Targets, func(t verify.Target) bool { return t.Host == name }):
		return nil, console.WithHint(console.Usagef("--baseline %s: file not found, and not one of the tested hosts", name),
			"--ssh "+wording.Quote(name)+" to test that host, too")
	}
	return &probe.Baseline{Name: name, Host: name}, nil
}

// baselineFile must have every server: one that is compared with nothing would seem
// unchanged. Missing lists are reported.
func (fl *fleet) baselineFile(ctx context.Context, path string, quiet bool) (*probe.Baseline, error) {
	file, err := surface.FromFile(ctx, path, passedTargets)
	if err != nil {
		return nil, baselineError(path, err)
	}
	for i := range fl.servers {
		inv, err := file.For(fl.servers[i].Name)
		if err != nil {
			return nil, baselineError(path, err)
		}
		if lacks := inv.Missing(); len(lacks) > 0 && !quiet {
			fmt.Fprintln(fl.env.Stderr, termsafe.String(fmt.Sprintf("mcpdbg: note: --baseline %s: %s of %s are not compared: the baseline lacks them",
				path, strings.Join(lacks, " and "), flags.ServerWord(fl.servers[i].Name))))
		}
	}
	return &probe.Baseline{Name: path, For: file.For}, nil
}

// passedTargets returns nil for a file that is not a report.
func passedTargets(r io.Reader) ([]surface.Target, error) {
	read, err := report.Read(r)
	switch {
	case errors.Is(err, report.ErrNotReport):
		return nil, nil
	case err != nil:
		return nil, err
	}
	passed := []surface.Target{}
	for i := range read.Targets {
		if t := &read.Targets[i]; t.OK {
			passed = append(passed, surface.Target{Server: t.Server, Recording: t.Recording()})
		}
	}
	return passed, nil
}

func baselineError(path string, err error) error {
	if errors.As(err, new(*console.SignalError)) {
		return err
	}
	if missing, ok := errors.AsType[*surface.MissingError](err); ok {
		return console.WithHint(console.Usagef("--baseline: %v", err), missing.Hint)
	}
	if _, foreign := errors.AsType[*recordings.FormatError](err); foreign {
		return console.WithHint(console.Usagef("--baseline: %v", err), "a recording, or a report in JSON of mcpdbg smoke")
	}
	failed := console.Usagef("--baseline %s: %v", path, err)
	if errors.Is(err, fs.ErrNotExist) {
		return console.WithHint(failed, "keep the recordings that the report names where they were, or next to the report")
	}
	return failed
}
