package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"mcpdbg/internal/smoke"
	"mcpdbg/internal/smoke/inventory"
	"mcpdbg/recordings"
	"mcpdbg/ui/termsafe"
)

// smokeBaseline is what --baseline names: a file, or else one of the hosts; nil
// for nothing.
func smokeBaseline(ctx context.Context, f *smokeFlags, fl *fleet) (*smoke.Baseline, error) {
	name := f.baseline
	if name == "" {
		return nil, nil
	}
	_, err := os.Stat(name)
	switch {
	case err == nil:
		return fl.baselineFile(ctx, name, f.out.quiet)
	case !errors.Is(err, fs.ErrNotExist):
		return nil, usagef("--baseline: %v", err)
	case !slices.ContainsFunc(fl.targets, func(t smoke.Target) bool { return t.Host == name }):
		return nil, withHint(usagef("--baseline %s: there is no such file, and it is none of the hosts that are tested", name),
			"--ssh "+word(name)+" has it tested, too")
	}
	return &smoke.Baseline{Name: name, Host: name}, nil
}

// baselineFile reads a recording, or the document of a run. It has to have each
// server: one that is compared with nothing would seem to be unchanged. Lists that
// it has not are told of.
func (fl *fleet) baselineFile(ctx context.Context, path string, quiet bool) (*smoke.Baseline, error) {
	file, err := inventory.FromFile(ctx, path)
	if err != nil {
		return nil, baselineError(path, err)
	}
	for i := range fl.servers {
		inv, err := file.For(fl.servers[i].name)
		if err != nil {
			return nil, baselineError(path, err)
		}
		if lacks := inv.Lacks(); len(lacks) > 0 && !quiet {
			fmt.Fprintln(fl.app.stderr, termsafe.String(fmt.Sprintf("mcpdbg: note: --baseline %s: %s of %s are not compared: they were not read there",
				path, strings.Join(lacks, " and "), serverWord(fl.servers[i].name))))
		}
	}
	return &smoke.Baseline{Name: path, For: file.For}, nil
}

func baselineError(path string, err error) error {
	if errors.As(err, new(*signalError)) {
		return err
	}
	if missing, ok := errors.AsType[*inventory.MissingError](err); ok {
		return withHint(usagef("--baseline: %v", err), missing.Hint)
	}
	if _, foreign := errors.AsType[*recordings.FormatError](err); foreign {
		return withHint(usagef("--baseline: %v", err), "a baseline is a recording, or what mcpdbg smoke printed with --json or --jsonl")
	}
	failed := usagef("--baseline %s: %v", path, err)
	if errors.Is(err, fs.ErrNotExist) {
		return withHint(failed, "a report is compared by the recordings that it names: they have to be where they were, or beside it")
	}
	return failed
}
