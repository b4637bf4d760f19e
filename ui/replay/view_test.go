package replay

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/recordings"
	replayer "mcpdbg/recordings/replay"
	"mcpdbg/ui/workspace"
)

// recording is one with a call of a read-only tool, one of another, and raw bytes that
// call two.
const recording = `{"mcpdbg":1,"id":"01M7ZW3X4JX6Y8SA30YVDNCT1N","tool":"mcpdbg 0.1.0","start":"2026-11-21T20:17:43.570347Z","placement":"local","argv":["server"],"era":"auto"}
{"n":1,"t":1,"k":"start","process":"mcp-stdio-1","pid":1,"placement":"local"}
{"n":2,"t":2,"k":"stdin","m":{"jsonrpc":"2.0","id":1,"method":"tools/list"}}
{"n":3,"t":3,"k":"stdout","seq":1,"m":{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"echo","annotations":{"readOnlyHint":true}},{"name":"remove"},{"name":"wipe"}]}}}
{"n":4,"t":4,"k":"stdin","m":{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"echo"}}}
{"n":5,"t":5,"k":"stdin","m":{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"remove"}}}
{"n":6,"t":6,"k":"stdin","raw":"[{\"jsonrpc\":\"2.0\",\"id\":8,\"method\":\"tools/call\",\"params\":{\"name\":\"remove\"}},{\"jsonrpc\":\"2.0\",\"id\":9,\"method\":\"tools/call\",\"params\":{\"name\":\"wipe\"}}]"}
`

// TestOptions checks that the plan of a replay sends what the view shows.
func TestOptions(t *testing.T) {
	path := filepath.Join(t.TempDir(), "session.jsonl")
	require.NoError(t, os.WriteFile(path, []byte(recording), 0o600))
	log, err := recordings.Open(path)
	require.NoError(t, err)
	defer func() { require.NoError(t, log.Close()) }()
	v := &view{of: &workspace.Workspace{Log: log}, tools: map[string]bool{}, speed: slices.Index(speeds, 1)}
	v.whole, err = replayer.New(t.Context(), log, replayer.Options{})
	require.NoError(t, err)
	v.show(nil)

	requireSent := func(want int) {
		t.Helper()
		shown := 0
		for i := range v.plan.Items() {
			if becomes, _ := v.fate(&v.plan.Items()[i]); becomes == sent {
				shown++
			}
		}
		require.Equal(t, want, shown)
		plan, err := replayer.New(t.Context(), log, v.options())
		require.NoError(t, err)
		skipped := 0
		for _, it := range plan.Items() {
			if it.Skip != "" {
				skipped++
			}
		}
		require.Equal(t, want, len(plan.Items())-skipped, "the plan sends what the rows show")
	}
	requireSent(2)
	v.at = v.fields() + slices.IndexFunc(v.plan.Items(), func(it replayer.Item) bool { return it.Kind == replayer.Raw })
	v.toggle()
	requireSent(4)
	require.ElementsMatch(t, []string{"remove", "wipe"}, v.options().Tools)
	v.toggle()
	requireSent(2)
	require.Empty(t, v.options().Tools)
	v.all = true
	requireSent(4)
	require.True(t, v.options().AllTools)

	v.all = false
	v.at = slices.IndexFunc([]int{0, 1, 2, 3}, func(line int) bool { kind, _ := v.kind(line); return kind == lineMode })
	v.change(2)
	v.at++
	v.change(1)
	require.Equal(t, replayer.Options{Mode: replayer.Timed, Speed: 2, Interactive: true}, v.options())
}

func TestSpeedText(t *testing.T) {
	var texts []string
	for _, speed := range speeds {
		texts = append(texts, speedText(speed))
	}
	require.Equal(t, "0.25x 0.5x 1x 2x 4x 8x 16x max", strings.Join(texts, " "))
}
