package rule

import (
	"mcpdbg/session/diagnosis"
	"mcpdbg/session/diagnosis/message"
	"mcpdbg/session/diagnosis/rule/contents"
	"mcpdbg/session/diagnosis/rule/lifecycle"
	"mcpdbg/session/diagnosis/rule/shapes"
)

// All returns all rules, in the order of their ids.
func All() []diagnosis.Rule {
	var all []diagnosis.Rule
	for _, family := range [][]*diagnosis.Rule{framingRules, rpcRules, shapes.Rules, lifecycle.Rules, contents.Rules, processRules} {
		for _, r := range family {
			all = append(all, *r)
		}
	}
	return all
}

// newGroups returns the checkers of the rules about contents, for one process.
func newGroups(report message.Report) []message.Checker {
	return []message.Checker{shapes.New(report), lifecycle.New(report), contents.New(report)}
}

// Checked describes what the rules check. Every output that counts problems shows
// it, because a session without problems may still be broken.
const Checked = "framing, JSON-RPC and process rules; message contents not checked"
