package cli

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/cli/clitest"
)

func TestCompleteFlagValues(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ command, want string }{
		{"replay last --mode", "causal serial timed"},
		{"replay last --speed", "0.25 0.5 1 2 4 8 16 max"},
		{"replay last --era", "auto legacy modern"},
		{"mock last --repeat", "last cycle error"},
		{"mock last --fault", "drop: cut: garbage: exit:"},
		{"run --env-policy", "inherit client none"},
		{"run --overrun", "hold drop"},
		{"run --ssh-transport", "auto native master binary"},
		{"run --path-from", "plain login interactive explicit"},
		{"run --ssh-launch", "guarded plain"},
		{"rec export last --format", "har html jsonl md txtar scenario"},
	} {
		r := clitest.InProcess(t, append(append([]string{"__complete"}, strings.Fields(c.command)...), "")...)
		words := strings.Fields(r.Stdout)
		require.NotEmpty(t, words, c.command)
		require.Equal(t, c.want, strings.Join(words[:len(words)-1], " "), c.command)
	}
}

func TestCompleteHosts(t *testing.T) {
	t.Parallel()
	config := clitest.WriteFile(t, "Host web-1 web-2 *.example\nHost db\n")
	complete := func(typed string) string {
		return clitest.InProcess(t, "__complete", "call", "-F", config, "--ssh", typed).Stdout
	}
	require.Equal(t, "web-1\nweb-2\n:4\n", complete("we"))
	require.Equal(t, "me@web-1\nme@web-2\nme@db\n:4\n", complete("me@"))
	require.Equal(t, ":4\n", complete("x"))
}

// completed returns the completions of the last word, and the directive.
func completed(t *testing.T, words ...string) (offered []string, directive string) {
	t.Helper()
	r := clitest.InProcess(t, append([]string{"__completeNoDesc"}, words...)...)
	require.Equal(t, 0, r.Code, r.Stderr)
	lines := strings.Split(strings.TrimSpace(r.Stdout), "\n")
	return lines[:len(lines)-1], lines[len(lines)-1]
}

func TestCompleteServerCommand(t *testing.T) {
	const files = ":0"
	dir := t.TempDir()
	for name, mode := range map[string]os.FileMode{"my-server": 0o755, "my-server-2": 0o755, "my-notes": 0o644, "other": 0o755} {
		if runtime.GOOS == "windows" {
			name += ".exe"
		}
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), nil, mode))
	}
	require.NoError(t, os.Mkdir(filepath.Join(dir, "my-folder"), 0o700))
	t.Setenv("PATH", dir)
	for _, before := range [][]string{nil, {"run"}, {"call", "--tool", "x", "a=b"}, {"smoke", "--jobs", "3"}} {
		offered, directive := completed(t, append(before[:len(before):len(before)], "--", "my-s")...)
		require.Len(t, offered, 2, "%q", before)
		require.Equal(t, files, directive)
		for _, rest := range [][]string{{"--", "./my"}, {"--", ""}, {"--", "my-server", "my"}, {"--", "my-server", "--fl"}, {"--", "x", "--", "my-s"}} {
			offered, directive = completed(t, append(before[:len(before):len(before)], rest...)...)
			require.Empty(t, offered, "%q", rest)
			require.Equal(t, files, directive, "%q", rest)
		}
	}
}

func TestCompleteFlagsAfterDoubleDash(t *testing.T) {
	t.Parallel()
	for _, command := range [][]string{nil, {"call"}, {"run"}, {"rec", "cat"}} {
		offered, _ := completed(t, append(command, "--")...)
		require.Greater(t, len(offered), 3, "%q", command)
		for _, flag := range offered {
			require.True(t, strings.HasPrefix(flag, "--"), "%q: %s", command, flag)
		}
	}
}

func TestCompleteMethodsAndFaultKinds(t *testing.T) {
	t.Parallel()
	offered, _ := completed(t, "call", "")
	require.Subset(t, offered, []string{"tools/call", "tools/list", "resources/read", "prompts/get", "ping"})
	for _, words := range [][]string{{"call", "tools/call", ""}, {"call", "--tool", "x", ""}} {
		offered, _ = completed(t, words...)
		require.Empty(t, offered, "%q", words)
	}
	offered, _ = completed(t, "demo-server", "--misbehave", "")
	require.Contains(t, offered, "ansi")
	for _, words := range [][]string{{"call", "--tool", ""}, {"run", "--filter", ""}} {
		offered, directive := completed(t, words...)
		require.Empty(t, offered, "%q", words)
		require.Equal(t, ":4", directive, "%q: no files", words)
	}
}

func TestCompleteNewestRecording(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	for _, command := range []string{"open", "rec cat", "rec info", "replay", "mock", "diff"} {
		offered, _ := completed(t, append(strings.Fields(command), "")...)
		require.NotContains(t, offered, "last", "without recordings")
	}
	folder := filepath.Join(os.Getenv("XDG_STATE_HOME"), "mcpdbg", "recordings")
	require.NoError(t, os.MkdirAll(folder, 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "20260101-000000-x-abcdef.jsonl"), nil, 0o600))
	for _, command := range []string{"open", "rec cat", "rec info", "rec export", "replay", "mock", "diff"} {
		offered, _ := completed(t, append(strings.Fields(command), "")...)
		require.Contains(t, offered, "last", command)
		offered, _ = completed(t, append(strings.Fields(command), "la")...)
		require.Equal(t, []string{"last"}, offered, command)
	}
}
