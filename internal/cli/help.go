package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

// helpWidth is the width of help texts, in columns.
const helpWidth = 80

// foldHelp wraps the flag descriptions of cmd and its subcommands at helpWidth.
func foldHelp(cmd *cobra.Command) {
	cmd.SetUsageTemplate(strings.ReplaceAll(cmd.UsageTemplate(), ".FlagUsages", fmt.Sprintf(".FlagUsagesWrapped %d", helpWidth)))
}
