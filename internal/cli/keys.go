package cli

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"mcpdbg/ui"
)

func (a *app) keysCommand() *cobra.Command {
	var markdown bool
	cmd := &cobra.Command{
		Use:   "keys",
		Short: "Print everything that can be done in the interface, and its keys",
		Long: `keys prints the actions of the interface with their keys, those of the settings
included, and with the names that the settings know them by:

  # ` + "$XDG_CONFIG_HOME/mcpdbg/config.toml" + `
  [keys]
  filter = ["f", "ctrl+f"]`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			settings, wrong := readSettings() // with something wrong, the table without them helps
			return errors.Join(printKeys(a.stdout, settings, markdown), wrong)
		},
	}
	cmd.Flags().BoolVar(&markdown, "markdown", false, "as tables in Markdown, without the names")
	return cmd
}

// printKeys prints the table of actions.
func printKeys(w io.Writer, settings ui.Settings, markdown bool) error {
	table, err := settings.Actions()
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
