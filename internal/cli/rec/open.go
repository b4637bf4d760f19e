package rec

import (
	"context"

	"github.com/spf13/cobra"

	"mcpdbg/internal/cli/console"
	"mcpdbg/internal/cli/flags"
	"mcpdbg/internal/cli/tui"
)

// OpenCommand returns the command open.
func OpenCommand(env *console.Env) *cobra.Command {
	var s flags.Screen
	attach := false
	cmd := &cobra.Command{
		Use:   "open FILE...",
		Short: "Open recordings in the interface",
		Long: `open shows recordings in the interface, with the same panes, filters, searches
and problems as a live session; nothing can be sent. Several recordings are
opened together. That of a tap is followed; if the tap is live, its server can
be restarted, and messages can be held, edited and sent.

If stdout is not a terminal, it prints them as rec cat does: one line per entry.

` + flags.RecordingNames,
		Example: `  mcpdbg open last
  mcpdbg open session.jsonl
  mcpdbg open --attach last
  mcpdbg open before.jsonl after.jsonl
  mcpdbg open session.jsonl | grep tools/call`,
		ValidArgsFunction: flags.CompleteRecordings,
		RunE: func(cmd *cobra.Command, files []string) error {
			switch {
			case env.HasCommand:
				return console.Usagef("open takes recordings, not a command")
			case len(files) == 0:
				return console.WithHint(console.Usagef("open: no recording given"), flags.ListHint)
			}
			if err := flags.ResolveRecordings(files); err != nil {
				return err
			}
			if err := flags.ApplyScreen(env, s); err != nil {
				return err
			}
			if !env.Terminal {
				if attach {
					return console.Usagef("--attach needs a terminal")
				}
				return printRecordings(cmd.Context(), env, files)
			}
			return tui.ShowRecordings(cmd.Context(), env, files, attach)
		},
	}
	s.Register(cmd)
	cmd.Flags().BoolVar(&attach, "attach", false, "steer the live tap that writes the recording: hold,\nedit and send messages")
	return cmd
}

func printRecordings(ctx context.Context, env *console.Env, files []string) error {
	for _, path := range files {
		if err := recCat(ctx, env, path, catOptions{}); err != nil {
			return err
		}
	}
	return nil
}
