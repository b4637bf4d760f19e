package rule

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestDocsUpToDate checks that the list in docs/reference/problems.md matches the rules.
func TestDocsUpToDate(t *testing.T) {
	const (
		path       = "../../../docs/reference/problems.md"
		begin, end = "<!-- rules: go test ./session/diagnosis/rule -update -->\n", "<!-- end of rules -->"
	)
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	head, rest, ok := strings.Cut(string(data), begin)
	require.True(t, ok, "%s has no %q", path, begin)
	list, tail, ok := strings.Cut(rest, end)
	require.True(t, ok, "%s has no %q", path, end)
	want := "\n" + rulesList() + "\n"
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(head+begin+want+end+tail), 0o644))
		return
	}
	require.Equal(t, want, list, "the list of rules is stale: go test ./session/diagnosis/rule -update")
}

// sentence is the first one of a text: its period follows no other one.
var sentence = regexp.MustCompile(`^.*?[^.]\.( |$)`)

// rulesList returns a line for each rule, with the first sentence of its explanation.
func rulesList() string {
	var b strings.Builder
	for _, r := range All() {
		revisions := ""
		if n := len(r.Revisions); n == 1 {
			revisions = " (" + r.Revisions[0] + ")"
		} else if n > 1 {
			revisions = " (" + r.Revisions[0] + " to " + r.Revisions[n-1] + ")"
		}
		fmt.Fprintf(&b, "- %s, %s, %s: **%s**%s. %s\n", r.ID, r.Severity, r.Side, r.Title, revisions, strings.TrimSpace(sentence.FindString(r.Explanation)))
	}
	return b.String()
}
