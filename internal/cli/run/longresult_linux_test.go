package run_test

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/cli/clitest"
	"mcpdbg/sshexec/sshtest"
)

// longResult is a server in the shell whose response to the first call is long. It
// ends with the given commands.
func longResult(begin string, bytes int, end string) []string {
	return []string{"sh", "-c", fmt.Sprintf(`
read -r line
echo '{"jsonrpc":"2.0","id":"mcpdbg-1","result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"long","version":"1"}}}'
read -r line
read -r line
printf '%%s' '%s'
head -c %d /dev/zero | tr '\0' x
%s`, begin, bytes, end)}
}

const longBegin = `{"jsonrpc":"2.0","id":"mcpdbg-2","result":{"a":"`

// callLong is a call of a server with a long result.
func callLong(server []string, args ...string) []string {
	return append(append([]string{"call", "--era", "legacy", "--tool", "x"}, args...), append([]string{"--"}, server...)...)
}

func TestCallPrintsALongResult(t *testing.T) {
	t.Parallel()
	const size = 3_000_000
	text := strings.Repeat("x", size)
	for _, c := range []struct {
		name, begin, end, want string
		code                   int
	}{
		{"id first", longBegin, `printf '%s\n' '"}}'; cat >/dev/null`, `{"a":"` + text + "\"}\n", 0},
		{"an error of the tool", longBegin, `printf '%s\n' '","isError":true}}'; cat >/dev/null`, `{"a":"` + text + "\",\"isError\":true}\n", 1},
		{"result first", `{"result":{"a":"`, `printf '%s\n' '"},"jsonrpc":"2.0","id":"mcpdbg-2"}'; cat >/dev/null`, `{"a":"` + text + "\"}\n", 0},
		{"not verbatim", longBegin, `printf '%s\r\n' '"}}'; cat >/dev/null`, `{"a":"` + text + "\"}\n", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "a.jsonl")
			r := clitest.Finish(t, clitest.Program(t, callLong(longResult(c.begin, size, c.end), "--record", file)...))
			require.Equal(t, c.code, r.Code, r.Stderr)
			same := c.want == r.Stdout // the report of require.Equal would have megabytes
			require.True(t, same, "%d bytes: %.60q", len(r.Stdout), r.Stdout)
			r = clitest.Finish(t, clitest.Program(t, "rec", "verify", file))
			require.Equal(t, 0, r.Code, r.Stdout+r.Stderr)
			files, err := os.ReadDir(filepath.Dir(file))
			require.NoError(t, err)
			require.Len(t, files, 1)
		})
	}
}

// What there is of a cut result stays on stdout, and stderr and the exit code say so.
func TestCallPrintsACutResult(t *testing.T) {
	t.Parallel()
	const size = 3_000_000
	part := `{"a":"` + strings.Repeat("x", size)
	for _, c := range []struct {
		name, begin, end string
		args             []string
		want, why        string
		code             int
	}{
		{"the server ends", longBegin, "exit 7", nil, part, "server ended before it answered: exit code 7", 3},
		{"an invalid line", longBegin, `printf '%s\n' '",}}'; exit`, nil, part + `"`, "server ended before it answered: exit code 0", 3},
		{"timeout", longBegin, "sleep 60", []string{"--timeout", "3s"}, part, "timed out after 3s", 4},
		{"nothing is printed before the id", `{"result":{"a":"`, "exit 7", nil, "", "", 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "a.jsonl")
			r := clitest.Finish(t, clitest.Program(t, callLong(longResult(c.begin, size, c.end), append(c.args, "--record", file)...)...))
			require.Equal(t, c.code, r.Code, r.Stderr)
			require.True(t, strings.HasPrefix(c.want, r.Stdout) && (r.Stdout == "") == (c.want == ""), "%d bytes: %.60q", len(r.Stdout), r.Stdout)
			if r.Stdout != "" {
				require.Contains(t, r.Stderr, fmt.Sprintf("the result was cut after %d bytes, which are on standard output: ", len(r.Stdout)))
			} else {
				require.NotContains(t, r.Stderr, "cut")
			}
			require.Contains(t, r.Stderr, c.why)
			r = clitest.Finish(t, clitest.Program(t, "rec", "verify", file))
			require.Equal(t, 0, r.Code, r.Stdout+r.Stderr)
		})
	}
}

// TestCallOfATooLongResultEnds checks that a response beyond the limit ends the call with
// an error that the recording repeats.
func TestCallOfATooLongResultEnds(t *testing.T) {
	t.Parallel()
	const why = "the response to id 2 is longer than --line-limit 1M"
	idLast := `printf '%s\n' '"},"jsonrpc":"2.0","id":"mcpdbg-2"}'; cat >/dev/null`
	for _, c := range []struct {
		name, begin, end string
		args             []string
		printed          bool // a part of the result
	}{
		{"id first", longBegin, "cat >/dev/null", nil, true},
		{"id first, JSON", longBegin, "cat >/dev/null", []string{"--json"}, false},
		{"id last", `{"result":{"a":"`, idLast, nil, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "a.jsonl")
			r := clitest.Finish(t, clitest.Program(t, callLong(longResult(c.begin, 3_000_000, c.end), append(c.args, "--line-limit", "1M", "--record", file)...)...))
			require.Equal(t, 3, r.Code, r.Stderr)
			require.Equal(t, c.printed, r.Stdout != "")
			require.Contains(t, r.Stderr, why)
			require.Contains(t, r.Stderr, "a larger --line-limit")
			r = clitest.Finish(t, clitest.Program(t, "rec", "info", file))
			require.Equal(t, 0, r.Code, r.Stderr)
			require.Contains(t, r.Stdout, ": "+why+"\n")
			require.NotContains(t, r.Stdout, "no response")
			r = clitest.Finish(t, clitest.Program(t, "rec", "verify", file))
			require.Equal(t, 0, r.Code, r.Stdout+r.Stderr)
		})
	}
}

// The result is on stdout before it is complete.
func TestCallStreamsALongResult(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	more := filepath.Join(dir, "more")
	server := longResult(longBegin, 3_000_000, fmt.Sprintf(`while [ ! -e '%s' ]; do sleep 0.05; done; printf '%%s\n' '"}}'; cat >/dev/null`, more))
	cmd := clitest.Program(t, callLong(server, "--no-record")...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	first := make([]byte, 2_500_000)
	_, err = io.ReadFull(out, first)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(more, nil, 0o600))
	rest, err := io.ReadAll(out)
	require.NoError(t, err)
	require.NoError(t, cmd.Wait(), stderr.String())
	require.Len(t, rest, len(`{"a":""}`)+3_000_001-len(first))
}

// A long result is not held in memory.
func TestCallOfALongResultNeedsLittleMemory(t *testing.T) {
	const most = 64 << 20
	memory := memoryOfLongResult(t)
	for range clitest.LateCollections {
		if memory <= most {
			break
		}
		memory = min(memory, memoryOfLongResult(t))
	}
	require.LessOrEqual(t, memory, most)
}

// memoryOfLongResult returns the peak memory of a call whose result has 192 MiB.
func memoryOfLongResult(t *testing.T) int {
	t.Helper()
	const size = 192 << 20
	file := filepath.Join(t.TempDir(), "a.jsonl")
	cmd := clitest.Program(t, callLong(longResult(longBegin, size, `printf '%s\n' '"}}'; cat >/dev/null`), "--record", file)...)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	_, err = io.CopyN(io.Discard, out, size-1<<20) // the rest is more than a pipe holds
	require.NoError(t, err)
	require.Eventually(t, func() bool {
		info, err := os.Stat(file)
		return err == nil && info.Size() > size
	}, clitest.WaitLimit, 10*time.Millisecond)
	memory := clitest.PeakMemory(t, cmd.Process.Pid)
	t.Logf("a result of %d MiB: %d MiB", size>>20, memory>>20)
	_, err = io.Copy(io.Discard, out)
	require.NoError(t, err)
	require.NoError(t, cmd.Wait())
	return memory
}

// A long result from a host is printed like one of this machine.
func TestCallPrintsALongResultOverSSH(t *testing.T) {
	t.Parallel()
	s := sshtest.OpenSSH(t, sshtest.Options{})
	const size = 3_000_000
	text := strings.Repeat("x", size)
	r := clitest.OverSSH(t, s, callLong(longResult(longBegin, size, `printf '%s\n' '"}}'; cat >/dev/null`), "--no-record")...)
	require.Equal(t, 0, r.Code, r.Stderr)
	same := `{"a":"`+text+"\"}\n" == r.Stdout
	require.True(t, same, "%d bytes", len(r.Stdout))

	r = clitest.OverSSH(t, s, callLong(longResult(longBegin, size, "exit 7"), "--no-record")...)
	require.Equal(t, 3, r.Code, r.Stderr)
	require.True(t, strings.HasPrefix(`{"a":"`+text, r.Stdout))
	require.Contains(t, r.Stderr, fmt.Sprintf("the result was cut after %d bytes", len(r.Stdout)))
}
