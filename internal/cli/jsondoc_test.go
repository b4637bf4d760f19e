package cli

import (
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/cli/rec"
	"mcpdbg/internal/cli/replay"
	runcmd "mcpdbg/internal/cli/run"
	"mcpdbg/internal/problems"
	"mcpdbg/recordings"
	"mcpdbg/recordings/imports"
	"mcpdbg/recordings/redact"
	recreplay "mcpdbg/recordings/replay"
)

// Every member that a command prints with --json is named in docs/reference/json.md.
func TestJSONIsDocumented(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/reference/json.md")
	require.NoError(t, err)
	for _, of := range []any{
		rec.Listed{}, rec.Info{}, rec.ServerInfo{}, rec.CountsInfo{}, rec.MethodInfo{}, rec.NotifiedInfo{}, rec.StrayInfo{}, problems.Problem{},
		rec.Verification{}, recordings.Stream{}, recordings.Problem{}, redact.Report{}, redact.Item{}, imports.Report{}, imports.UnreadLine{},
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
