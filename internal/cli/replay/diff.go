package replay

import (
	"context"

	"github.com/spf13/cobra"

	"mcpdbg/internal/cli/console"
	"mcpdbg/internal/cli/flags"
	"mcpdbg/recordings"
	"mcpdbg/recordings/compare"
)

// DiffCommand returns the command diff.
func DiffCommand(env *console.Env) *cobra.Command {
	var f comparisonFlags
	cmd := &cobra.Command{
		Use:   "diff A B",
		Short: "Compare two recordings",
		Long: `diff compares the sessions of two recordings: the responses, the requests that
only one of them has, and the server's own requests. Requests are matched by
their contents, not by id, and lists are compared by name. Values that change
from run to run, such as times, ids and process ids, are equal if both sides
have one of the same type; where the type is a guess, both are listed. Each
difference has a JSON pointer and the arguments of the call, in a long text the
character, too. Differences in list order, versions and notifications are shown
but do not count; times count with --max-time and --max-slowdown.

` + flags.RecordingNames + `

Rules say what else to ignore, one per line, with a JSON pointer into the
message. --accept writes rules for all current differences.

The exit code is 0 if the sessions are equal, 1 if they differ (0 with
--accept), and 2 if a file cannot be read.`,
		Example: `  mcpdbg diff before.jsonl after.jsonl
  mcpdbg diff --ignore tools/call:/result/content/*/text before.jsonl last
  mcpdbg diff --rules mcp.rules --junit report.xml before.jsonl after.jsonl`,
		ValidArgsFunction: flags.CompleteRecordings,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) != 2 {
				return console.Usagef("diff takes two recordings")
			}
			return diffRecordings(cmd.Context(), env, args, f)
		},
	}
	f.register(cmd)
	return cmd
}

func diffRecordings(ctx context.Context, env *console.Env, paths []string, f comparisonFlags) error {
	opts, err := f.options(ctx, env)
	if err != nil {
		return err
	}
	if err := flags.ResolveRecordings(paths); err != nil {
		return err
	}
	first, err := recordings.OpenContext(ctx, paths[0])
	if err != nil {
		return flags.Unreadable(paths[0], err)
	}
	defer first.Close()
	second, err := recordings.OpenContext(ctx, paths[1])
	if err != nil {
		return flags.Unreadable(paths[1], err)
	}
	defer second.Close()
	report, err := compare.Compare(ctx, first, second, opts)
	if err != nil {
		return err
	}
	return printComparison(env, report, f, paths[0], paths[1])
}
