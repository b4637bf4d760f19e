// Package rec has the commands that read recordings: rec with its subcommands, and open.
// Each file has one command, with its text and JSON.
package rec

import (
	"context"
	"path/filepath"

	"github.com/spf13/cobra"

	"mcpdbg/internal/cli/console"
	"mcpdbg/internal/cli/flags"
	"mcpdbg/internal/cli/logs"
	"mcpdbg/recordings"
)

// Command returns the command rec; unknown is the error about an unknown subcommand.
func Command(env *console.Env, unknown func(*cobra.Command, []string) error) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "rec",
		Short: "List, print, check, share and remove recordings",
		Long:  "rec lists, prints, checks, shares and removes recordings.\n\n" + flags.RecordingNames,
		Example: `  mcpdbg rec ls
  mcpdbg rec cat last --filter err`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return unknown(cmd, args)
			}
			return cmd.Help()
		},
	}
	cmd.AddCommand(recListCommand(env), recInfoCommand(env), recCatCommand(env), recFindCommand(env), recVerifyCommand(env), recRemoveCommand(env), recPruneCommand(env),
		recRedactCommand(env), recExportCommand(env), recImportCommand(env))
	return cmd
}

func recInfoCommand(env *console.Env) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "info FILE",
		Short: "Summarize a recording and its problems",
		Long: `info reads a recording and prints what was recorded and how it ended, the
requests by method with their times, and the problems: what broke the protocol,
where, and which clients fail on it. docs/reference/problems.md lists the rules.

The exit code is 0 whatever is found, and 2 if the file cannot be read.

` + flags.RecordingNames,
		Example: `  mcpdbg rec info last
  mcpdbg rec info last --json | jq .findings`,
		ValidArgsFunction: flags.CompleteRecordings,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return console.Usagef("rec info takes one recording")
			}
			path, err := flags.ResolveRecording(args[0])
			if err != nil {
				return err
			}
			return infoOf(cmd.Context(), env, path, asJSON)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}

func infoOf(ctx context.Context, env *console.Env, path string, asJSON bool) error {
	name := path
	if abs, err := filepath.Abs(path); err == nil {
		name = abs
	}
	meter := logs.NewMeter(env, "checking "+filepath.Base(path))
	var info *Info
	rec, checker, err := logs.Check(ctx, path, meter, func(rec *recordings.Recording) { info = NewInfo(ctx, name, rec) })
	meter.Close()
	if err != nil {
		return flags.Unreadable(path, err)
	}
	defer rec.Close()
	info.Check(ctx, rec, checker)
	if err := context.Cause(ctx); err != nil {
		return err
	}
	if !asJSON {
		return info.print(env.Stdout)
	}
	return env.PrintDocument(info)
}
