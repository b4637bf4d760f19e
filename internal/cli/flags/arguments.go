package flags

import (
	"github.com/spf13/cobra"

	"mcpdbg/internal/cli/exit"
	"mcpdbg/session/target"
)

// CompleteOneOf registers the completions of a flag that takes one of words.
func CompleteOneOf(cmd *cobra.Command, flag string, words ...cobra.Completion) {
	// It fails only for a flag that does not exist.
	_ = cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp))
}

// CompleteNothing turns off file completion for flags without known values.
func CompleteNothing(cmd *cobra.Command, flags ...string) {
	for _, flag := range flags {
		_ = cmd.RegisterFlagCompletionFunc(flag, cobra.NoFileCompletions) // the flag exists
	}
}

// NoArgs rejects arguments before the first --, with a hint.
func NoArgs(cmd *cobra.Command, args []string) error {
	if len(args) > 0 && target.IsURL(args[0]) {
		return URLError(args[0])
	}
	if len(args) > 0 {
		return exit.WithHint(exit.Usagef("%s: unexpected %q: put the server command after --", cmd.CommandPath(), args[0]), ExpandedHint(cmd))
	}
	return nil
}

// URLError returns the error for a server URL, with what to write instead.
func URLError(url string) error {
	return exit.WithHint(exit.Usagef("server URLs are not supported: mcpdbg starts servers that speak over stdio"),
		target.BridgeHint(url))
}
