package rule

import (
	"cmp"
	"slices"
	"strings"

	"mcpdbg/session/diagnosis"
	"mcpdbg/session/diagnosis/message"
	"mcpdbg/session/diagnosis/rule/contents"
	"mcpdbg/session/diagnosis/rule/lifecycle"
	"mcpdbg/session/diagnosis/rule/methods"
	"mcpdbg/session/diagnosis/rule/shapes"
	"mcpdbg/session/diagnosis/rule/tasks"
)

// All returns all rules: family by family, and each in the order of its ids.
func All() []diagnosis.Rule {
	var all []diagnosis.Rule
	families := map[string]int{} // packages share some
	for _, rules := range [][]*diagnosis.Rule{framingRules, rpcRules, methods.Rules, shapes.Rules, lifecycle.Rules, tasks.Rules, contents.Rules, processRules} {
		for _, r := range rules {
			all = append(all, *r)
			if _, known := families[family(r)]; !known {
				families[family(r)] = len(families)
			}
		}
	}
	slices.SortFunc(all, func(a, b diagnosis.Rule) int {
		return cmp.Or(cmp.Compare(families[family(&a)], families[family(&b)]), cmp.Compare(a.ID, b.ID))
	})
	return all
}

// family returns the letters of the id of a rule.
func family(r *diagnosis.Rule) string { return strings.TrimRight(r.ID, "0123456789") }

// groups are the checkers of the rules about contents, for one process.
type groups struct {
	all       []message.Checker
	lifecycle *lifecycle.Checker // one of all
	contents  *contents.Checker  // one of all
}

// newGroups returns the groups of a process. started is false if the log may begin
// after it.
func (l *Checker) newGroups(started bool) groups {
	order, inside := lifecycle.New(l.reportIn, &l.past, started), contents.New(l.reportIn)
	all := []message.Checker{methods.New(l.reportIn), shapes.New(l.reportIn), order, tasks.New(l.reportIn), inside}
	return groups{all, order, inside}
}

// Set is the version of the set of rules: the day of its last change. It changes
// whenever another rule may find something in the same log, so that reports of
// different programs can be compared.
const Set = "2026-11-24.4"

// Checked describes what the rules check. Every output that counts problems shows
// it, because a session without problems may still be broken. Checker.Checked adds
// the exceptions.
const Checked = "framing, JSON-RPC, contents and process rules"
