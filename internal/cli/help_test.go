package cli

import (
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"

	"mcpdbg/internal/cli/console"
	"mcpdbg/ui/widget/termsafe"
)

// everyCommand calls f for each command with its words.
func everyCommand(f func(cmd *cobra.Command, words []string)) {
	var walk func(cmd *cobra.Command)
	walk = func(cmd *cobra.Command) {
		f(cmd, strings.Fields(cmd.CommandPath())[1:])
		for _, below := range cmd.Commands() {
			walk(below)
		}
	}
	walk(rootCommand(new(console.Env)))
}

// Help texts must fit a terminal of helpWidth columns.
func TestHelpFits(t *testing.T) {
	t.Parallel()
	everyCommand(func(cmd *cobra.Command, words []string) {
		r := inProcess(t, append(words, "--help")...)
		require.Equal(t, 0, r.code, r.stderr)
		for line := range strings.Lines(r.stdout) {
			require.LessOrEqual(t, termsafe.Width(strings.TrimRight(line, "\n")), helpWidth, "%s: %s", cmd.CommandPath(), line)
		}
	})
}
