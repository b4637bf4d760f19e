package jsontree

import (
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/ui/widget/termsafe"
)

func TestJQ(t *testing.T) {
	tree := treeOf(`{"result":{"content":[{"text":"x"}]},"odd key":[[1]],"\u00e9\"<":{"_a1":null},"1a":0,"and":0,"":0}`, 60, 40)
	tree.UnfoldAll(100)
	var got []string
	for i := range tree.Lines() {
		tree.Home()
		tree.Move(i)
		if jq := tree.JQ(); len(got) == 0 || got[len(got)-1] != jq {
			got = append(got, jq)
		}
	}
	require.Equal(t, []string{
		".", ".result", ".result.content", ".result.content[0]", ".result.content[0].text", ".result.content[0]", ".result.content", ".result",
		`."odd key"`, `."odd key"[0]`, `."odd key"[0][0]`, `."odd key"[0]`, `."odd key"`,
		`."é\"<"`, `."é\"<"._a1`, `."é\"<"`, `."1a"`, ".and", `.""`, ".",
	}, got)
	list := treeOf(`[{"a":1}]`, 60, 40)
	list.Move(1)
	require.Equal(t, ".[0]", list.JQ())
	require.Equal(t, ".", NewText([]byte("x"), plain(), termsafe.Options{}).JQ())
}
