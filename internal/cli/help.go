package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

// helpWidth is the width of help texts, in columns.
const helpWidth = 80

// printUsage prints how to use a command. Cobra's own text does not wrap the
// descriptions of flags, and a template that does would make the linker keep every
// exported method of the program, because templates call methods by name.
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

// availableCommands lists the commands below cmd.
func availableCommands(cmd *cobra.Command) string {
	var list strings.Builder
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() || c.Name() == "help" {
			fmt.Fprintf(&list, "  %-*s %s\n", c.NamePadding(), c.Name(), c.Short)
		}
	}
	return list.String()
}
