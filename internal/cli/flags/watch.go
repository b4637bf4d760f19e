package flags

import (
	"github.com/spf13/cobra"

	"mcpdbg/internal/cli/exit"
	"mcpdbg/recordings/replay"
)

// Watch are the flags of commands that restart their server when files
// change.
type Watch struct {
	Globs  []string
	Calls  int
	All    bool
	Tools  []string
	Poll   bool
	Before string
}

// Register adds the flags.
func (w *Watch) Register(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringArrayVar(&w.Globs, "watch", nil, "restart the server when a file that matches `GLOB` changes, and print what changed in its responses; !GLOB excludes files; may be repeated")
	f.StringVar(&w.Before, "watch-run", "", "with --watch: first run this `COMMAND` in the shell; restart only if it succeeds")
	f.IntVar(&w.Calls, "watch-calls", replay.DefaultCalls, "with --watch: re-send the last `N` different requests")
	f.BoolVar(&w.All, "watch-all", false, "with --watch: also re-send calls of tools that are not known to be read-only, and other requests that may have side effects")
	f.StringArrayVar(&w.Tools, "watch-tool", nil, "with --watch: re-send calls of the tool `NAME`, even if it has side effects; may be repeated")
	f.BoolVar(&w.Poll, "watch-poll", false, "with --watch: check the files every second, where the system does not report changes")
}

// Check rejects invalid flags.
func (w *Watch) Check(cmd *cobra.Command) error {
	if len(w.Globs) == 0 {
		for _, name := range []string{"watch-run", "watch-calls", "watch-all", "watch-tool", "watch-poll"} {
			if cmd.Flags().Changed(name) {
				return exit.Usagef("--%s requires --watch", name)
			}
		}
	}
	if w.Calls < 0 {
		return exit.Usagef("--watch-calls %d: must not be negative", w.Calls)
	}
	return nil
}

// ExpandedHint returns a hint about arguments before the first -- that may come
// from an unquoted glob.
func ExpandedHint(cmd *cobra.Command) string {
	if f := cmd.Flags().Lookup("watch"); f == nil || !f.Changed {
		return ""
	}
	return "quote the glob, which the shell has expanded, as in --watch '*.go'"
}
