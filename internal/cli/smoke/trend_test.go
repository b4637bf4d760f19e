package smoke_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/cli/clitest"
)

// twenty returns a config file of twenty servers with this command.
func twenty(t *testing.T, command string, args ...string) string {
	t.Helper()
	servers := map[string]any{}
	for i := range 20 {
		servers[fmt.Sprintf("s%02d", i)] = map[string]any{"command": command, "args": args}
	}
	text, err := json.Marshal(map[string]any{"mcpServers": servers})
	require.NoError(t, err)
	return clitest.ConfigFile(t, ".mcp.json", string(text))
}

// Six runs in one folder: the sixth is slow. The history has times of a quiet machine, so
// that five runs are enough however busy this one is.
func TestSmokeTrend(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "nightly")
	fast := twenty(t, clitest.Binary(), "demo-server")
	smoke := func(config string) clitest.Result {
		return clitest.Run(t, "smoke", "--config", config, "--no-record", "--history", folder, "--expect", "handshake p95 <= 1.5x history")
	}
	for i := range 5 {
		r := smoke(fast)
		require.Equal(t, 0, r.Code, r.Stdout+r.Stderr)
		require.Contains(t, r.Stderr, fmt.Sprintf("expectation not checked: handshake p95 <= 1.5x history: %d of 5 passed runs", i))
	}
	evenTimes(t, folder)
	r := smoke(twenty(t, "sh", "-c", "sleep 0.5; exec '"+clitest.Binary()+"' demo-server"))
	require.Equal(t, 1, r.Code, r.Stdout+r.Stderr)
	require.Regexp(t, `expectation failed: handshake p95 <= 1.5x history: \S+ m?s, median of 5 passed runs 40 ms, \d+\.\dx\n`, r.Stderr)

	r = clitest.Run(t, "smoke", "history", folder)
	require.Equal(t, 0, r.Code, r.Stderr)
	require.Contains(t, r.Stdout, "nightly: 6 runs, ")
	require.Regexp(t, `handshake p95 ▁▁▁▁▁█   \S+ m?s, \d+\.\dx the median of 5 runs \(40 ms\)\n`, r.Stdout)
	page := filepath.Join(t.TempDir(), "trend.md")
	r = clitest.Run(t, "smoke", "history", folder, "--json", "--limit", "s00@*", "--report", page)
	require.Equal(t, 0, r.Code, r.Stderr)
	require.FileExists(t, page)
	var trend struct {
		Version int               `json:"mcpdbg_history"`
		Targets int               `json:"targets"`
		Strips  map[string]string `json:"strips"`
	}
	require.NoError(t, json.Unmarshal([]byte(r.Stdout), &trend))
	require.Equal(t, 1, trend.Version)
	require.Equal(t, 1, trend.Targets)
	require.Equal(t, map[string]string{"s00@local": "......"}, trend.Strips)
}

// evenTimes gives all targets of a history the handshakes of a quiet machine.
func evenTimes(t *testing.T, folder string) {
	files, err := filepath.Glob(filepath.Join(folder, "*.json"))
	require.NoError(t, err)
	require.Len(t, files, 5)
	for _, name := range files {
		var digest map[string]any
		data, err := os.ReadFile(name)
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(data, &digest))
		for _, target := range digest["targets"].([]any) {
			target.(map[string]any)["ms"].([]any)[4] = 40
		}
		data, err = json.Marshal(digest)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(name, data, 0o600))
	}
}

func TestTrendUsage(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := clitest.WriteFile(t, "x")
	for args, says := range map[string]string{
		"smoke --expect handshke<2s -- x":          `unknown metric handshke; did you mean handshake?`,
		"check --expect handshake<2 -- x":          `must be a duration`,
		"smoke --history " + file + "/x -- x":      "--history: mkdir",
		"smoke history":                            "smoke history takes one folder",
		"smoke history " + dir + "/none":           "no such file",
		"smoke history " + dir + " --limit [":      "invalid pattern",
		"smoke history " + dir + " --limit x":      "matches no target",
		"smoke history " + dir + " --report x.txt": "must end with .md",
	} {
		r := clitest.InProcess(t, strings.Fields(args)...)
		require.Equal(t, 2, r.Code, "%s: %s%s", args, r.Stdout, r.Stderr)
		require.Contains(t, r.Stderr, says, args)
	}
}
