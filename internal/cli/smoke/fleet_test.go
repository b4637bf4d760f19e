package smoke_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/cli/clitest"
)

// threeServers returns a config file with one server that does not start, and two good
// ones.
func threeServers(t *testing.T) string {
	return clitest.ConfigFile(t, ".mcp.json", fmt.Sprintf(`{"mcpServers":{
		"bad":{"command":%[1]q,"args":["demo-server","--misbehave","dies-at-start"]},
		"one":{"command":%[1]q,"args":["demo-server"]},
		"two":{"command":%[1]q,"args":["demo-server"]}}}`, clitest.Binary()))
}

func TestStoppedRuns(t *testing.T) {
	t.Parallel()
	file := threeServers(t)
	for _, command := range []string{"smoke", "check"} {
		r := clitest.Run(t, command, "--config", file, "--jobs", "1", "--stop-over", "0")
		require.Contains(t, r.Stdout, "too many targets failed", command)
		require.Contains(t, []int{1, 3}, r.Code, "that of the failure")

		junit := filepath.Join(t.TempDir(), "junit.xml")
		r = clitest.Run(t, command, "--config", file, "--run-timeout", "1ns", "--junit", junit)
		require.Equal(t, 4, r.Code, "%s: %s", command, r.Stdout)
		require.Contains(t, r.Stdout, "the run timed out")
		require.FileExists(t, junit)
	}
}

func TestFailOnSide(t *testing.T) {
	t.Parallel()
	r := clitest.Run(t, "smoke", "--config", threeServers(t), "--fail-on", "host")
	require.Equal(t, 0, r.Code, r.Stdout)
	require.Contains(t, r.Stdout, "1 failed")
}

func TestAcceptedTarget(t *testing.T) {
	t.Parallel()
	file, accepted := threeServers(t), filepath.Join(t.TempDir(), "accepted.txt")
	run := func(command, id, expires string, more ...string) clitest.Result {
		text := fmt.Sprintf("target %s\n  owner: ana\n  reason: OPS-4411\n  expires: %s\n", id, expires)
		require.NoError(t, os.WriteFile(accepted, []byte(text), 0o600))
		return clitest.Run(t, append([]string{command, "--config", file, "--accepted", accepted}, more...)...)
	}
	r := run("smoke", "bad@local", "2999-01-01")
	require.Equal(t, 0, r.Code, r.Stdout)
	require.Regexp(t, `(?m)^tolerated  local  bad .*ana, until 2999-01-01; handshake: `, r.Stdout)
	r = run("smoke", "bad@local", "2026-01-01")
	require.Equal(t, 1, r.Code)
	require.Contains(t, r.Stderr, "target bad@local expired on 2026-01-01")
	r = run("smoke", "one@local", "2999-01-01", "--server", "one")
	require.Equal(t, 0, r.Code)
	require.Contains(t, r.Stderr, "target one@local no longer fails: remove it")
	r = run("smoke", "none@local", "2999-01-01", "--server", "one")
	require.Equal(t, 0, r.Code)
	require.Contains(t, r.Stderr, "target none@local is not among the targets: remove it")
	r = run("check", "bad@local", "2999-01-01", "--no-calls", "--server", "bad")
	require.Equal(t, 0, r.Code, r.Stdout)
}

// One file of accepted problems serves both commands.
func TestAcceptedProblems(t *testing.T) {
	t.Parallel()
	accepted := filepath.Join(t.TempDir(), "accepted.txt")
	args := func(more ...string) []string {
		return clitest.Against("stray-text", append([]string{"smoke", "--accepted", accepted}, more...)...)
	}
	require.Equal(t, 2, clitest.Run(t, args()...).Code)
	r := clitest.Run(t, args("--update")...)
	require.Equal(t, 0, r.Code, r.Stdout)
	require.Equal(t, 0, clitest.Run(t, args()...).Code)
	require.Equal(t, 1, clitest.Run(t, clitest.Against("stray-text", "smoke")...).Code)
}

func TestNameRepeatAndRecordings(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	r := clitest.Run(t, clitest.Against("", "smoke", "--json", "--name", "notes", "--repeat", "3", "--recordings", folder, "--keep-recordings", "failed")...)
	require.Equal(t, 0, r.Code, r.Stderr)
	one := smoked(t, r).Targets[0]
	require.Equal(t, "notes", one.Server)
	require.Empty(t, one.Recording)
	left, err := filepath.Glob(filepath.Join(folder, "*.jsonl"))
	require.NoError(t, err)
	require.Empty(t, left)

	r = clitest.Run(t, clitest.Against("dies-at-start", "smoke", "--recordings", folder, "--keep-recordings", "failed")...)
	require.Equal(t, 1, r.Code)
	left, err = filepath.Glob(filepath.Join(folder, "*.jsonl"))
	require.NoError(t, err)
	require.Len(t, left, 1)
}

func TestFleetUsage(t *testing.T) {
	t.Parallel()
	for _, command := range []string{"smoke", "check"} {
		for flag, says := range map[string]string{
			"--stop-over=x": `--stop-over "x": must be a number or a percentage`, "--stop-over=101%": "must be a number or a percentage",
			"--fail-on=new": "--fail-on new requires --history", "--repeat=0": "--repeat must be at least 1", "--jobs=0": "--jobs must be at least 1",
			"--keep-recordings=x": `--keep-recordings "x": must be all or failed`, "--update": "--update requires --accepted FILE",
			"--run-timeout=-1s": "--run-timeout must not be negative", "--retries=-1": "--retries must not be negative",
		} {
			r := clitest.InProcess(t, command, flag, "--", "x")
			require.Equal(t, 2, r.Code, "%s: %s", flag, r.Stdout)
			require.Contains(t, r.Stderr, says, flag)
		}
	}
}
