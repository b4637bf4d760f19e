package rule

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestSetIsRaised checks that Set changes with the list of rules, which testdata/set.txt
// has. That a rule finds something else is left to the judgement of its author.
func TestSetIsRaised(t *testing.T) {
	const path = "testdata/set.txt"
	var b strings.Builder
	fmt.Fprintf(&b, "set %s\n", Set)
	for _, r := range All() {
		fmt.Fprintf(&b, "%s %s %s %s\n", r.ID, r.Severity, r.Side, strings.Join(r.Revisions, ","))
	}
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	before, rules := string(data), b.String()
	if before == rules {
		return
	}
	require.NotContains(t, before, "set "+Set+"\n", "the rules changed: raise Set (a second change of one day ends in .2), then go test ./session/diagnosis/rule -update")
	if !*update {
		require.Equal(t, before, rules, "go test ./session/diagnosis/rule -update")
	}
	require.NoError(t, os.WriteFile(path, []byte(rules), 0o644))
}

// TestUnknownMethodSeverity checks that an unknown request of the server is a warning,
// unless it may belong to something that a side declared.
func TestUnknownMethodSeverity(t *testing.T) {
	want := map[string]string{
		"a request named log":               "warning",
		"a request before the handshake":    "warning",
		"a request of the client":           "info",
		"a notification":                    "info",
		"of an experimental capability":     "info",
		"of an extension that is not known": "info",
	}
	got := map[string]string{}
	for _, x := range allExamples(t)["RPC22"] {
		if x.bad {
			got[x.name] = x.problems(t)[0].Severity.String()
		}
	}
	require.Equal(t, want, got)
}
