//go:build long && linux

package tap_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/cli/clitest"
	"mcpdbg/internal/testhome"
)

func init() {
	liveRestarts, liveKills = 50, 100
	hostileSizes = map[int]int{64 << 10: 1 << 30, 1: 16 << 20}
}

// clients returns the folder of the programs that only the long tests have.
func clients(t *testing.T) string {
	t.Helper()
	packages := filepath.Join(os.Getenv(testhome.Tools), "clients", "current", "node_modules")
	clitest.NeedFile(t, filepath.Join(packages, ".bin", "codex"))
	return packages
}

func TestLongCodexAcrossRestarts(t *testing.T) {
	packages := clients(t)
	for _, server := range []string{"everything", "counter"} {
		t.Run(server, func(t *testing.T) { acrossRestarts(t, packages, "codex", server) })
	}
}

// TestLongClientsSeeNoTap: programs print the same with a tap as without one.
func TestLongClientsSeeNoTap(t *testing.T) {
	bin := filepath.Join(clients(t), ".bin")
	home := shortHome(t)
	server := []string{clitest.Reference(t), "stdio"}
	tap := []string{clitest.Binary(), "tap", "--name", "s", "--"}
	live := []string{clitest.Binary(), "tap", "--live", "--name", "s", "--"}
	config := filepath.Join(home, "mcp.json")
	inspector := []string{filepath.Join(bin, "mcp-inspector"), "--cli", "--config", config, "--server", "s", "--method"}
	for _, program := range []struct {
		name, config string
		argv         []string
		want         string
	}{
		{"Inspector lists tools", config, append(inspector, "tools/list"), `"echo"`},
		{"Inspector calls a tool", config, append(inspector, "tools/call", "--tool-name", "echo", "--tool-arg", "message=hi"), "Echo: hi"},
		{"Inspector calls no tool", config, append(inspector, "tools/call", "--tool-name", "nope"), ""},
		{"Claude Code", filepath.Join(home, ".claude.json"), []string{filepath.Join(bin, "claude"), "mcp", "list"}, "Connected"},
		{"Gemini CLI", filepath.Join(home, ".gemini", "settings.json"), []string{filepath.Join(bin, "gemini"), "mcp", "list"}, "Connected"},
	} {
		t.Run(program.name, func(t *testing.T) {
			var direct clitest.Result
			for i, before := range [][]string{nil, tap, live} {
				argv := append(before[:len(before):len(before)], server...)
				text, err := json.Marshal(map[string]any{"mcpServers": map[string]any{"s": map[string]any{"command": argv[0], "args": argv[1:]}}})
				require.NoError(t, err)
				require.NoError(t, os.MkdirAll(filepath.Dir(program.config), 0o700))
				require.NoError(t, os.WriteFile(program.config, text, 0o600))
				cmd := clitest.Command(t, program.argv[0], program.argv[1:]...)
				cmd.Dir = home
				cmd.Env = append(cmd.Env, "HOME="+home, "GEMINI_CLI_TRUST_WORKSPACE=true")
				r := clitest.Finish(t, cmd)
				r.Stdout = strings.ReplaceAll(r.Stdout, strings.Join(argv, " "), "COMMAND")
				if i == 0 {
					direct = r
					require.Contains(t, fmt.Sprint(r.Stdout, r.Stderr), program.want)
				}
				require.Equal(t, direct.Stdout, r.Stdout)
				require.Equal(t, direct.Code, r.Code)
			}
		})
	}
	taps, err := filepath.Glob(filepath.Join(home, ".local/state/mcpdbg/recordings/*.jsonl"))
	require.NoError(t, err)
	require.Len(t, taps, 10, "of two taps for each program")
}
