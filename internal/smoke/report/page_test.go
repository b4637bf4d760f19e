package report

import (
	"encoding/json"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestPageSortsAndFilters checks that a click on a title sorts ascending, then
// descending, then not at all, and that the search works.
func TestPageSortsAndFilters(t *testing.T) {
	node := need(t, "node")
	out, err := exec.CommandContext(t.Context(), node, "testdata/page_test.js", "page.js").CombinedOutput()
	require.NoError(t, err, "%s", out)
	var got map[string]any
	require.NoError(t, json.Unmarshal(out, &got), "%s", out)
	require.Equal(t, map[string]any{
		"begin":                       "web-10 web-9 Web-11 | 3 targets",
		"bar":                         false,
		"host 1":                      "web-9 web-10 Web-11 | 3 targets | ascending",
		"host 2":                      "Web-11 web-10 web-9 | 3 targets | descending",
		"host 3":                      "web-10 web-9 Web-11 | 3 targets | none",
		"cause 1":                     "web-9 web-10 Web-11 | 3 targets | ascending",
		"cause 2":                     "Web-11 web-10 web-9 | 3 targets | descending",
		"cause 3":                     "web-10 web-9 Web-11 | 3 targets | none",
		"ms 1":                        "web-10 web-9 Web-11 | 3 targets | ascending",
		"ms 2":                        "Web-11 web-9 web-10 | 3 targets | descending",
		"ms 3":                        "web-10 web-9 Web-11 | 3 targets | none",
		`search "WEB-1" cause ""`:     "web-10 Web-11 | 2 of 3 targets",
		`search "fail auth" cause ""`: "web-10 | 1 of 3 targets",
		`search "" cause "!"`:         "web-10 Web-11 | 2 of 3 targets",
		`search "" cause "connect"`:   "Web-11 | 1 of 3 targets",
		`search "web-9" cause "!"`:    " | 0 of 3 targets",
		`search "" cause ""`:          "web-10 web-9 Web-11 | 3 targets",
	}, got)
}
