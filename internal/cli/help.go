package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

// helpWidth is how wide a help text is, in columns.
const helpWidth = 80

// foldHelp has the flags of cmd, and of the commands below it, described in lines
// that fit, and not broken wherever a terminal ends.
func foldHelp(cmd *cobra.Command) {
	cmd.SetUsageTemplate(strings.ReplaceAll(cmd.UsageTemplate(), ".FlagUsages", fmt.Sprintf(".FlagUsagesWrapped %d", helpWidth)))
}
