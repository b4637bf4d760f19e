package flags

import (
	"strings"

	"github.com/spf13/cobra"

	"mcpdbg/session/diagnosis/rule"
)

// CompleteRules completes the ids of rules.
func CompleteRules(_ *cobra.Command, _ []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	var ids []cobra.Completion
	for _, r := range rule.All() {
		if strings.HasPrefix(r.ID, strings.ToUpper(typed)) {
			ids = append(ids, cobra.CompletionWithDesc(r.ID, r.Title))
		}
	}
	return ids, cobra.ShellCompDirectiveNoFileComp
}
