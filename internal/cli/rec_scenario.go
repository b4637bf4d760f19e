package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"mcpdbg/recordings/export"
	"mcpdbg/recordings/steps"
	"mcpdbg/session/scenario"
)

// formatScenario is the format of rec export that mcpdbg run --scenario reads.
const formatScenario = "scenario"

// scenarioExport say what a scenario has that is made of a recording.
type scenarioExport struct {
	expect  string
	process int
}

func (f *scenarioExport) register(cmd *cobra.Command) {
	var all []string
	for _, e := range steps.Expectations() {
		all = append(all, string(e))
	}
	cmd.Flags().StringVar(&f.expect, "expect", string(steps.Shape), "how `much` a scenario expects of each answer: "+strings.Join(all, ", "))
	cmd.Flags().IntVar(&f.process, "process", 0, "make a scenario of that process `number` alone; 0 is all of them, with restarts between")
	completeOneOf(cmd, "expect", all...)
}

// check refuses flags that are not for the format, and values that are none.
func (f *scenarioExport) check(cmd *cobra.Command, format string) error {
	for _, name := range []string{"expect", "process"} {
		if format != formatScenario && cmd.Flags().Changed(name) {
			return usagef("--%s is for --format %s", name, formatScenario)
		}
	}
	if !slices.Contains(steps.Expectations(), steps.Expectation(f.expect)) {
		return usagef("--expect: %q is none of ok, shape, exact", f.expect)
	}
	if f.process < 0 {
		return usagef("--process: processes count from 1")
	}
	return nil
}

// write writes the scenario of a selection.
func (f *scenarioExport) write(ctx context.Context, w io.Writer, s export.Selection) error {
	made, err := steps.Of(ctx, s.Source, steps.Options{Expect: steps.Expectation(f.expect), Process: f.process, Include: s.Include})
	switch {
	case errors.Is(err, steps.ErrNothing), errors.Is(err, steps.ErrTooMany):
		return withHint(fmt.Errorf("no scenario: %w", err), "another part of the recording: --filter, --from, --to")
	case err != nil:
		return err
	}
	return scenario.WriteYAML(w, made)
}
