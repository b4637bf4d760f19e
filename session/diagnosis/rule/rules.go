package rule

import (
	"mcpdbg/session/diagnosis"
)

// All returns all rules, in the order of their ids.
func All() []diagnosis.Rule {
	var all []diagnosis.Rule
	for _, family := range [][]*diagnosis.Rule{framingRules, rpcRules, processRules} {
		for _, r := range family {
			all = append(all, *r)
		}
	}
	return all
}

// Checked describes what the rules check. Every output that counts problems shows
// it, because a session without problems may still be broken.
const Checked = "framing, JSON-RPC and process rules; message contents not checked"
