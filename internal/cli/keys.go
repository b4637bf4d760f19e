package cli

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"mcpdbg/internal/cli/console"
	"mcpdbg/internal/cli/flags"
	"mcpdbg/ui"
)

func keysCommand(env *console.Env) *cobra.Command {
	var markdown bool
	cmd := &cobra.Command{
		Use:   "keys",
		Short: "Print all actions of the interface and their keys",
		Long: `keys prints the actions of the interface with their keys, including those from
your settings, and the names by which the settings refer to them:

  # ` + "$XDG_CONFIG_HOME/mcpdbg/config.toml" + `
  [keys]
  filter = ["f", "ctrl+f"]`,
		Example: `  mcpdbg keys | grep -i filter`,
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			settings, wrong := flags.ReadSettings() // if they are invalid, print the table without them
			return errors.Join(printKeys(env.Stdout, settings, markdown), wrong)
		},
	}
	cmd.Flags().BoolVar(&markdown, "markdown", false, "print Markdown tables, without the names")
	return cmd
}

// printKeys prints the table of actions.
func printKeys(w io.Writer, settings ui.Settings, markdown bool) error {
	table, err := ui.ActionsOf(settings)
	if err != nil {
		return err
	}
	text := table.Markdown()
	if !markdown {
		text = table.Text()
	}
	_, err = fmt.Fprintln(w, strings.TrimRight(text, "\n"))
	return err
}
