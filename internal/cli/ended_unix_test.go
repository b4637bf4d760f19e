//go:build unix

package cli

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/cli/clitest"
	"mcpdbg/internal/cli/console"
	"mcpdbg/session"
)

// exitedOf returns the last exited entry of a recording.
func exitedOf(t *testing.T, file string) session.ExitedBody {
	t.Helper()
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	var last session.ExitedBody
	for line := range strings.Lines(string(data)) {
		if strings.Contains(line, `"k":"exited"`) {
			last = session.ExitedBody{}
			require.NoError(t, json.Unmarshal([]byte(line), &last))
		}
	}
	return last
}

// Servers that end in various ways, and what ended them.
func TestRecordingSaysWhatEndedServer(t *testing.T) {
	t.Parallel()
	one := clitest.WriteFile(t, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"message":"hi"}}}`)
	for _, c := range []struct {
		fault string
		by    string
		code  int
		says  []string
		not   []string
	}{
		{"", "shutdown", 0, nil, []string{"PRC0"}},
		{"ignores-eof-term", "shutdown", 0, []string{"PRC05"}, []string{"PRC03"}},
		{"answers-error", "shutdown", 1, nil, []string{"PRC03"}},
		{"dies-at-start", "server", 3, []string{"PRC03"}, []string{"PRC08"}},
		{"crash-mid-call:segv", "server", 3, []string{"PRC03", "signal SEGV (crash)", "PRC04"}, []string{"PRC08"}},
		{"crash-mid-call:panic", "server", 3, []string{"PRC03", "exit code 2", "PRC04"}, []string{"PRC08"}},
		{"crash-mid-call:kill", "signal", 3, []string{
			"server killed by signal KILL that mcpdbg did not send (sender unknown): 1 request without a response", "OOM killer", "PRC03"}, []string{"PRC04", "PRC08"}},
	} {
		t.Run(c.fault, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "r.jsonl")
			r := clitest.Run(t, clitest.Against(c.fault, "run", "--json", "--era", "legacy", "--record", file, "--in", one)...)
			require.Equal(t, c.code, r.Code, r.Stderr)
			require.Equal(t, c.by, exitedOf(t, file).By)
			for _, text := range c.says {
				require.Contains(t, r.Stderr, text)
			}
			for _, text := range c.not {
				require.NotContains(t, r.Stderr, text)
			}
		})
	}
}

// A server that another program killed did not die by itself.
func TestOutsideKillIsNotAServerFault(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "r.jsonl")
	cmd := clitest.Program(t, clitest.Against("", "run", "--json", "--era", "legacy", "--record", file)...)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 1<<20)
	pid := 0
	for lines.Scan() {
		var entry struct {
			K, State string
			PID      int
		}
		require.NoError(t, json.Unmarshal(lines.Bytes(), &entry))
		if entry.K == "start" {
			pid = entry.PID
		}
		if entry.State == "ready" {
			require.NoError(t, syscall.Kill(pid, syscall.SIGKILL))
		}
	}
	require.NoError(t, lines.Err())
	require.NoError(t, cmd.Wait(), "nothing was pending: %s", stderr.String())
	require.Contains(t, stderr.String(), "PRC03")
	require.Contains(t, stderr.String(), "killed by signal KILL that mcpdbg did not send (sender unknown)")
	require.Equal(t, "signal", exitedOf(t, file).By)
}

// A server that docker starts may leave a container, which is not visible here,
// also if a script starts docker.
func TestCannotTellContainerState(t *testing.T) {
	t.Parallel()
	bin := filepath.Join(t.TempDir(), "bin")
	require.NoError(t, os.Mkdir(bin, 0o700))
	docker := writeScript(t, filepath.Join(bin, "docker"), clitest.Binary()+" "+console.DemoServer+"\nexit 0\n")
	wrapper := writeScript(t, filepath.Join(bin, "start.sh"), docker+" run -i x\nexit 0\n")
	for _, argv := range [][]string{{docker, "run", "-i", "x"}, {wrapper}, {"env", "A=b", "sh", "-c", docker + " run -i x; true"}} {
		told := func(output string) {
			const told = "container state: cannot tell (started through docker run x, pid "
			if argv[0] == docker { // it is asked for containers with our label, and has none
				require.NotContains(t, output, "container state")
				return
			}
			require.Contains(t, output, told)
			require.Contains(t, output, "): no label was added; ")
			require.Contains(t, output, docker+" kill ID ends it")
		}
		r := clitest.Run(t, append([]string{"run", "--no-record", "--json", "--era", "legacy", "--for", "1ms", "--"}, argv...)...)
		require.Equal(t, 0, r.Code, r.Stderr)
		told(r.Stderr)

		r = clitest.Run(t, append([]string{"list", "tools", "--no-record", "--"}, argv...)...)
		require.Equal(t, 0, r.Code, r.Stderr)
		told(r.Stderr)

		r = clitest.Run(t, append([]string{"smoke", "--no-record", "--json", "--"}, argv...)...)
		require.Equal(t, 0, r.Code, r.Stderr)
		told(r.Stdout)
		by := "shutdown"
		if argv[0] == docker { // the status of a client of an engine is not that of the server
			by = "unknown"
		}
		require.Contains(t, r.Stdout, `"exit_by":"`+by+`"`)
		require.Contains(t, r.Stdout, `"checked":"framing, JSON-RPC, contents and process rules"`)
	}
}

func writeScript(t *testing.T, path, body string) string {
	t.Helper()
	require.NoError(t, os.WriteFile(path, []byte("#!/bin/sh\n"+body), 0o700))
	return path
}
