package summary

import "strings"

// ownID is what the ids of requests from mcpdbg begin with, as in "mcpdbg-4".
const ownID = `"mcpdbg-`

// ID returns the raw id of a request in short: #4 for our fourth, others as they
// are.
func ID(raw string) string {
	if number, ours := strings.CutPrefix(raw, ownID); ours {
		if number, whole := strings.CutSuffix(number, `"`); whole && number != "" && strings.Trim(number, "0123456789") == "" {
			return "#" + number
		}
	}
	return raw
}
