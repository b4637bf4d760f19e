package cli

import (
	"encoding/json"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/cli/clitest"
	"mcpdbg/internal/cli/rec"
	"mcpdbg/internal/cli/replay"
	runcmd "mcpdbg/internal/cli/run"
	"mcpdbg/internal/verify"
	"mcpdbg/internal/verify/history"
	"mcpdbg/recordings"
	"mcpdbg/recordings/digest"
	"mcpdbg/recordings/formats"
	"mcpdbg/recordings/redact"
	recreplay "mcpdbg/recordings/replay"
)

// Every member that a command prints with --json is named in docs/reference/json.md.
func TestJSONIsDocumented(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/reference/json.md")
	require.NoError(t, err)
	for _, of := range []any{
		rec.Listed{}, rec.FoundEntry{}, rec.Info{}, digest.Peer{}, rec.CountsInfo{}, digest.Line{}, digest.Failure{}, digest.ToolCount{}, digest.Call{}, digest.Slowing{}, digest.Cause{}, rec.NotifiedInfo{}, rec.StrayInfo{}, verify.Problem{},
		rec.Verification{}, recordings.Stream{}, recordings.Problem{}, redact.Report{}, redact.Item{}, formats.ImportReport{}, formats.UnreadLine{},
		history.Trend{}, history.Run{}, history.Figure{}, history.Slower{}, history.Flaky{},
		replay.Document{}, replay.Item{}, runcmd.ScenarioDocument{}, runcmd.StepDocument{}, runcmd.ProblemDocument{}, recreplay.Variable{}, recreplay.Target{}, recreplay.ServerRequest{},
	} {
		kind := reflect.TypeOf(of)
		for i := range kind.NumField() {
			name, _, _ := strings.Cut(kind.Field(i).Tag.Get("json"), ",")
			if name != "" && name != "-" {
				require.Contains(t, string(page), "`"+name+"`", kind)
			}
		}
	}
}

func TestSchema(t *testing.T) {
	t.Parallel()
	r := clitest.InProcess(t, "schema")
	require.Equal(t, 0, r.Code, r.Stderr)
	names := strings.Fields(r.Stdout)
	require.Contains(t, names, "scenario")
	for _, name := range names {
		r := clitest.InProcess(t, "schema", name)
		require.Equal(t, 0, r.Code, r.Stderr)
		var schema struct {
			Draft string `json:"$schema"`
		}
		require.NoError(t, json.Unmarshal([]byte(r.Stdout), &schema), name)
		require.Equal(t, "https://json-schema.org/draft/2020-12/schema", schema.Draft, name)
	}
	r = clitest.InProcess(t, "schema", "scenarios")
	require.Equal(t, 2, r.Code)
	require.Contains(t, r.Stderr, "unknown schema \"scenarios\"\n  try: one of answers, check, report, scenario")
	require.Contains(t, clitest.InProcess(t, "__complete", "schema", "").Stdout, "scenario\n")
}
