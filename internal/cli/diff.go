package cli

import (
	"context"

	"github.com/spf13/cobra"

	"mcpdbg/recordings"
	"mcpdbg/recordings/compare"
)

func (a *app) diffCommand() *cobra.Command {
	var f comparisonFlags
	cmd := &cobra.Command{
		Use:   "diff A B",
		Short: "Compare two recordings",
		Long: `diff says what the sessions of two recordings differ in: what requests were
answered with, which requests only one has, and what the server asked. Requests
are found by what they ask, not by their ids, and lists are compared by names.
Values that are others in each run, such as times, ids and pids, are equal if
both sides have one of that type. The order of lists, versions and notifications
are shown and do not count; times count with --max-time and --max-slowdown.

` + recordingNames + `

What else does not count is said by rules, one a line, with a pointer into the
message. --accept writes those for all that differs now.

The exit code is 0 if the sessions are the same, 1 if they differ (0 with
--accept), and 2 if a file can't be read.`,
		Example: `  mcpdbg diff before.jsonl after.jsonl
  mcpdbg diff --ignore tools/call:/result/content/*/text before.jsonl last
  mcpdbg diff --rules mcp.rules --junit report.xml before.jsonl after.jsonl`,
		ValidArgsFunction: completeRecordings,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) != 2 {
				return usagef("diff takes two recordings")
			}
			return a.diff(cmd.Context(), args, f)
		},
	}
	f.register(cmd)
	return cmd
}

func (a *app) diff(ctx context.Context, paths []string, f comparisonFlags) error {
	opts, err := f.options(ctx, a)
	if err != nil {
		return err
	}
	if err := resolveRecordings(paths); err != nil {
		return err
	}
	first, err := recordings.OpenContext(ctx, paths[0])
	if err != nil {
		return unreadable(paths[0], err)
	}
	defer first.Close()
	second, err := recordings.OpenContext(ctx, paths[1])
	if err != nil {
		return unreadable(paths[1], err)
	}
	defer second.Close()
	report, err := compare.Compare(ctx, first, second, opts)
	if err != nil {
		return err
	}
	return a.printComparison(report, f, paths[0], paths[1])
}
