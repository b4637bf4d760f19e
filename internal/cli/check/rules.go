package check

import (
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mcpdbg/internal/cli/exit"
	"mcpdbg/internal/problems"
	"mcpdbg/internal/wording"
)

// keep returns which rules are reported; nil means all.
func (f *checkFlags) keep() (func(id string) bool, error) {
	if !f.partial() {
		return nil, nil
	}
	only, err := ruleIDs("only", f.only)
	if err != nil {
		return nil, err
	}
	skip, err := ruleIDs("skip", f.skip)
	if err != nil {
		return nil, err
	}
	return func(id string) bool {
		return (len(only) == 0 || slices.Contains(only, id)) && !slices.Contains(skip, id)
	}, nil
}

// ruleIDs returns the ids of rules as they are written in reports.
func ruleIDs(flag string, names []string) ([]string, error) {
	var ids []string
	for _, name := range names {
		r, ok := problems.RuleByID(name)
		if !ok {
			return nil, exit.WithHint(exit.Usagef("--%s %s: unknown rule", flag, name), wording.DidYouMean("--"+flag+" ", name, problems.RuleIDs()))
		}
		ids = append(ids, r.ID)
	}
	return ids, nil
}

// onlyPassive rejects flags that are about a server.
func onlyPassive(cmd *cobra.Command) error {
	var err error
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if err == nil && !passiveFlags[f.Name] {
			err = exit.Usagef("--%s cannot be combined with a recording: no server is started", f.Name)
		}
	})
	return err
}
