package rec

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"mcpdbg/internal/cli/console"
	"mcpdbg/internal/cli/flags"
	"mcpdbg/internal/scenario"
	"mcpdbg/internal/scenario/steps"
	"mcpdbg/recordings/formats"
)

const formatScenario = "scenario"

type scenarioExport struct {
	expect  string
	process int
	steps   int // written
}

func (f *scenarioExport) register(cmd *cobra.Command) {
	var all []string
	for _, e := range steps.Expectations() {
		all = append(all, string(e))
	}
	cmd.Flags().StringVar(&f.expect, "expect", string(steps.Shape), "`level` of detail that a scenario expects of each response: "+strings.Join(all, ", "))
	cmd.Flags().IntVar(&f.process, "process", 0, "make a scenario of process `N` only; 0 is all of them, with restarts in between")
	flags.CompleteOneOf(cmd, "expect", all...)
}

// check rejects flags that the format does not support.
func (f *scenarioExport) check(cmd *cobra.Command, format string) error {
	for _, name := range []string{"expect", "process"} {
		if format != formatScenario && cmd.Flags().Changed(name) {
			return console.Usagef("--%s requires --format %s", name, formatScenario)
		}
	}
	if !slices.Contains(steps.Expectations(), steps.Expectation(f.expect)) {
		return console.Usagef("--expect %q: must be ok, shape or exact", f.expect)
	}
	if f.process < 0 {
		return console.Usagef("--process %d: must not be negative", f.process)
	}
	return nil
}

func (f *scenarioExport) write(ctx context.Context, w io.Writer, s formats.Selection) error {
	made, err := steps.FromSession(ctx, s.Source, steps.Options{Expect: steps.Expectation(f.expect), Process: f.process, Include: s.Include})
	switch {
	case errors.Is(err, steps.ErrNothing), errors.Is(err, steps.ErrTooMany):
		return console.WithHint(fmt.Errorf("cannot make a scenario: %w", err), "another part of the recording: --filter, --from, --to")
	case err != nil:
		return err
	}
	f.steps = len(made.Steps)
	return scenario.WriteYAML(w, made)
}
