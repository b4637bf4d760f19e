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

// In columns.
const helpWidth = 80

// Cobra's own text does not wrap the descriptions of flags, and a template would make the
// linker keep every exported method of the program, because templates call methods by
// name.
func printUsage(cmd *cobra.Command) error {
	var u strings.Builder
	u.WriteString("Usage:\n")
	if cmd.Runnable() {
		u.WriteString("  " + cmd.UseLine() + "\n")
	}
	if cmd.HasAvailableSubCommands() {
		u.WriteString("  " + cmd.CommandPath() + " [command]\n")
	}
	writeSection(&u, "Examples", cmd.Example)
	writeSection(&u, "Available Commands", availableCommands(cmd))
	writeSection(&u, "Flags", cmd.LocalFlags().FlagUsagesWrapped(helpWidth))
	writeSection(&u, "Global Flags", cmd.InheritedFlags().FlagUsagesWrapped(helpWidth))
	if cmd.HasAvailableSubCommands() {
		u.WriteString("\nUse \"" + cmd.CommandPath() + " [command] --help\" for more information about a command.\n")
	}
	_, err := fmt.Fprint(cmd.OutOrStderr(), u.String())
	return err
}

// writeSection writes a section, unless it is empty.
func writeSection(w *strings.Builder, title, text string) {
	if text = strings.TrimRight(text, " \n"); text != "" {
		w.WriteString("\n" + title + ":\n" + text + "\n")
	}
}

func availableCommands(cmd *cobra.Command) string {
	var list strings.Builder
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() || c.Name() == "help" {
			fmt.Fprintf(&list, "  %-*s %s\n", c.NamePadding(), c.Name(), c.Short)
		}
	}
	return list.String()
}

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
