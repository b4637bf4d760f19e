package cli

import "github.com/spf13/cobra"

// completeOneOf has the shell complete a flag that is one of some words.
func completeOneOf(cmd *cobra.Command, flag string, words ...cobra.Completion) {
	// It fails only for a flag that is not there.
	_ = cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp))
}
