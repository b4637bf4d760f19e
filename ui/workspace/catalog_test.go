package workspace

import (
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/framing"
	"mcpdbg/session"
)

// TestCatalogBytes checks that the memory of a list is bounded, and that
// omitted items are counted.
func TestCatalogBytes(t *testing.T) {
	run := &PageRun{Bytes: maxCatalogBytes - 30}
	run.Decode([]byte(`{"tools":[{"name":"fits"},{"name":"does not fit any more"},{"name":"x"}]}`), MemberTools)
	require.Len(t, run.Items, 2)
	require.Equal(t, 1, run.LeftOut)
	require.True(t, run.Last)
}

// TestCatalogUnread checks that the latest responses are read if there are more
// than are kept.
func TestCatalogUnread(t *testing.T) {
	c := newCatalog()
	c.Methods = []MethodMeaning{meansNothing, 1}
	row := session.Row{Kind: session.KindStdout, Msg: framing.Response, Method: 1}
	for number := range uint32(maxCatalogPages + 1) {
		c.Notice(nil, number, &row)
	}
	unread := c.Lists[0].Unread
	require.Len(t, unread, maxCatalogPages/2+1)
	require.EqualValues(t, maxCatalogPages, unread[len(unread)-1])
}
