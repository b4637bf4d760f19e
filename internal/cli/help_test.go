package cli

import (
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"

	"mcpdbg/ui/termsafe"
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
	walk(new(app).rootCommand())
}

// A help text is read in a terminal, which may be no wider than this.
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
