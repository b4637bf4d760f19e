package cli

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"mcpdbg/internal/cli/console"
	"mcpdbg/internal/cli/flags"
	"mcpdbg/internal/verify"
	"mcpdbg/internal/wording"
	"mcpdbg/session/diagnosis"
	"mcpdbg/session/diagnosis/rule"
	"mcpdbg/ui/widget/termsafe"
)

func explainCommand(env *console.Env) *cobra.Command {
	return &cobra.Command{
		Use:                   "explain [RULE...]",
		DisableFlagsInUseLine: true,
		Short:                 "Explain a rule of the protocol, or list all of them",
		Long: `explain prints what a rule finds, in which revisions of the protocol, what the
specification says, which clients or servers fail on it, and what to do. Without
a rule it lists all of them.`,
		Example: `  mcpdbg explain FRM01
  mcpdbg explain | grep progress`,
		ValidArgsFunction: flags.CompleteRules,
		RunE: func(_ *cobra.Command, ids []string) error {
			if len(ids) == 0 {
				return listRules(env.Stdout)
			}
			var rules []diagnosis.Rule
			for _, id := range ids {
				r, ok := verify.RuleByID(id)
				if !ok {
					return unknownRule(id)
				}
				rules = append(rules, r)
			}
			return explainRules(env.Stdout, rules)
		},
	}
}

func unknownRule(id string) error {
	hint := "mcpdbg explain to list all rules"
	if near := wording.Near(id, verify.RuleIDs()); len(near) > 0 {
		hint = "mcpdbg explain " + strings.Join(near[:min(len(near), 5)], ", or ")
	}
	return console.WithHint(console.Usagef("unknown rule %q", id), hint)
}

func listRules(w io.Writer) error {
	b := bufio.NewWriter(w)
	for _, r := range rule.All() {
		_, _ = fmt.Fprintf(b, "%-6s  %-7s  %-7s  %s\n", r.ID, r.Severity, r.Side, r.Title) // Flush reports errors
	}
	return b.Flush()
}

func explainRules(w io.Writer, rules []diagnosis.Rule) error {
	b := bufio.NewWriter(w)
	for i, r := range rules {
		if i > 0 {
			_, _ = fmt.Fprintln(b)
		}
		revisions := "all"
		if len(r.Revisions) > 0 {
			revisions = strings.Join(r.Revisions, ", ")
		}
		_, _ = fmt.Fprintf(b, "%s  %s\n\n", r.ID, r.Title)
		termsafe.Fold(b, "", "", r.Explanation)
		_, _ = fmt.Fprintln(b)
		for _, member := range []struct{ name, text string }{
			{"severity", r.Severity.String()}, {"side", sideText(r.Side)}, {"revisions", revisions},
			{"reference", r.Reference}, {"impact", r.Impact},
		} {
			termsafe.Fold(b, fmt.Sprintf("  %-10s ", member.name), strings.Repeat(" ", 13), member.text)
		}
	}
	return b.Flush()
}

func sideText(side diagnosis.Side) string {
	switch side {
	case diagnosis.Server:
		return "what the server writes"
	case diagnosis.Client:
		return "what the client writes"
	case diagnosis.Both:
		return "what either side writes"
	}
	return "the process of the server"
}
