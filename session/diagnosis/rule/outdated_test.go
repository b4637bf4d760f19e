package rule

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const (
	listOfEcho = `> {"jsonrpc":"2.0","id":"l","method":"tools/list"}
		< {"jsonrpc":"2.0","id":"l","result":{"tools":[{"name":"echo","inputSchema":{"type":"object"},"outputSchema":{"type":"object","required":["n"]}}]}}` + "\n"
	toolsChanged = `< {"jsonrpc":"2.0","method":"notifications/tools/list_changed"}` + "\n"
	withTools    = `legacy 2025-11-25 {} {"tools":{"listChanged":true}}` + "\n"
)

// TestOutdatedListIsUsed checks that results are checked by the last known list after the
// server announced another one, and that the problem says so.
func TestOutdatedListIsUsed(t *testing.T) {
	bare := callEcho + `< {"jsonrpc":"2.0","id":1,"result":{"content":[]}}` + "\n"
	other := callEcho + `< {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"{}"}],"structuredContent":{}}}` + "\n"
	const note = "; by a list from before the last list_changed"
	for rule, call := range map[string]string{"TOL05": bare, "TOL06": other} {
		current := textsOf(t, rule, withTools+listOfEcho+call)
		require.Len(t, current, 1)
		require.NotContains(t, current[0], note)
		require.Equal(t, []string{current[0] + note}, textsOf(t, rule, withTools+listOfEcho+toolsChanged+call))
		require.Equal(t, current, textsOf(t, rule, withTools+listOfEcho+toolsChanged+listOfEcho+call), "it was requested again")
	}
}

// TestUnlistedResultsAreNotChecked checks that results of tools that an outdated list does
// not have are counted as not checked.
func TestUnlistedResultsAreNotChecked(t *testing.T) {
	another := strings.ReplaceAll(callEcho, "echo", "another") + `< {"jsonrpc":"2.0","id":1,"result":{"content":[],"structuredContent":{}}}` + "\n"
	gaps := func(log string) []string {
		x := new(exampleLog)
		for line := range strings.Lines(log) {
			x.line(t, strings.TrimSpace(line))
		}
		return Check(t.Context(), x.open(t)).Gaps()
	}
	require.Empty(t, gaps(withTools+listOfEcho+another))
	require.Equal(t, []string{"4 results not checked, as the list of tools is out of date"}, gaps(withTools+listOfEcho+toolsChanged+strings.Repeat(another, 4)))
}
