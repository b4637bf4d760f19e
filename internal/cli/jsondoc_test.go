package cli

import (
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/smoke"
	"mcpdbg/recordings/imports"
	"mcpdbg/recordings/redact"
	"mcpdbg/recordings/replay"
)

// Every member that a command prints with --json is named in docs/json.md.
func TestJSONIsDocumented(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/json.md")
	require.NoError(t, err)
	for _, of := range []any{
		listed{}, recordingInfo{}, serverInfo{}, countsInfo{}, methodInfo{}, notifiedInfo{}, strayInfo{}, smoke.Finding{},
		verifyInfo{}, verifyStream{}, verifyProblem{}, redact.Report{}, redact.Item{}, imports.Report{}, imports.Bad{},
		replayDocument{}, replayItem{}, scenarioDocument{}, stepDocument{}, problemDocument{}, replay.Variable{}, replay.Target{}, replay.Question{},
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
