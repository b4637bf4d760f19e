package rule

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/session/mcp"
)

// TestNoRuleOfTheOtherEra checks that a process that the client uses in one era only is
// never blamed by a rule of the other one, whatever it writes: the messages that
// violate the rules of one era, after a handshake of the other.
func TestNoRuleOfTheOtherEra(t *testing.T) {
	const (
		initialize = `> {"jsonrpc":"2.0","id":"init","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"a test","version":"1"}}}`
		discover   = `> {"jsonrpc":"2.0","id":"discover","method":"server/discover","params":{$META}}`
	)
	of := func(era mcp.Era, revision string) bool { return mcp.IsModern(revision) == (era == mcp.Modern) }
	for _, c := range []struct {
		name  string
		era   mcp.Era
		begin []string
	}{
		{"legacy", mcp.Legacy, []string{"legacy 2025-11-25"}},
		{"legacy, refused", mcp.Legacy, []string{initialize, `< {"jsonrpc":"2.0","id":"init","error":{"code":-32022,"message":"no"}}`}},
		{"legacy, no response", mcp.Legacy, []string{initialize}},
		{"modern", mcp.Modern, []string{"modern"}},
		{"modern, refused", mcp.Modern, []string{discover, `< {"jsonrpc":"2.0","id":"discover","error":{"code":-32601,"message":"no"}}`}},
		{"modern, no response", mcp.Modern, []string{discover}},
	} {
		t.Run(c.name, func(t *testing.T) {
			for id, logs := range allExamples(t) {
				for _, other := range logs {
					x := exampleLog{name: id + ", " + other.name}
					for _, line := range c.begin {
						x.line(t, line)
					}
					for _, entry := range other.entries {
						if entry, ok := inEra(c.era, entry); ok {
							_, body, _ := strings.Cut(entry, `"k":`)
							x.add("%s", `"k":`+strings.TrimSuffix(body, "}\n"))
						}
					}
					for _, p := range x.problems(t) {
						if len(p.Rule.Revisions) == 0 {
							continue
						}
						applies := false
						for _, revision := range p.Rule.Revisions {
							applies = applies || of(c.era, revision)
						}
						require.True(t, applies, "%s: %s %s", x.name, p.Rule.ID, p.Detail)
					}
				}
			}
		})
	}
}

// inEra returns an entry as a client that uses only an era would cause it; false for a
// request or notification that such a client does not send.
func inEra(era mcp.Era, entry string) (string, bool) {
	if !strings.Contains(entry, `"k":"stdin"`) {
		return entry, true
	}
	if era == mcp.Legacy {
		modern := strings.Contains(entry, mcp.MethodDiscover) || strings.Contains(entry, "io.modelcontextprotocol/protocolVersion")
		return entry, !modern
	}
	return entry, strings.Contains(entry, "io.modelcontextprotocol/protocolVersion") && !strings.Contains(entry, mcp.MethodDiscover)
}
