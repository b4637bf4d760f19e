package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"mcpdbg/recordings"
)

func (a *app) recCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "rec",
		Short: "List, print, check, share and remove recordings",
		Long:  "rec lists, prints, checks, shares and removes recordings.\n\n" + recordingNames,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return unknownWord(cmd, args)
			}
			return cmd.Help()
		},
	}
	cmd.AddCommand(a.recListCommand(), a.recInfoCommand(), a.recCatCommand(), a.recVerifyCommand(), a.recRemoveCommand(), a.recPruneCommand(),
		a.recRedactCommand(), a.recExportCommand(), a.recImportCommand())
	return cmd
}

func (a *app) recInfoCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "info FILE",
		Short: "Say what is in a recording, and what is wrong with the session",
		Long: `info reads a recording and prints what was recorded and how it ended, the
requests by method with their times, and the findings: what broke the protocol,
where, and which clients choke on it. docs/findings.md lists the rules.

The exit code is 0 whatever is found, and 2 if the file can't be read.

` + recordingNames,
		ValidArgsFunction: completeRecordings,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usagef("rec info takes one recording")
			}
			path, err := resolveRecording(args[0])
			if err != nil {
				return err
			}
			return a.recInfo(cmd.Context(), path, asJSON)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}

func (a *app) recInfo(ctx context.Context, path string, asJSON bool) error {
	rec, err := recordings.OpenContext(ctx, path)
	if err != nil {
		return unreadable(path, err)
	}
	defer rec.Close()
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	info, err := newRecordingInfo(ctx, path, rec)
	if err != nil {
		return err
	}
	if !asJSON {
		return info.print(a.stdout)
	}
	doc, err := json.Marshal(info)
	if err != nil {
		return fmt.Errorf("rec info: %w", err)
	}
	return a.printJSON(doc)
}
