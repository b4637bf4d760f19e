package rec_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/cli/clitest"
	"mcpdbg/internal/cli/console"
	"mcpdbg/internal/cli/rec"
)

func TestRecVerify(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile(clitest.GoldenRecording)
	require.NoError(t, err)
	changed := clitest.WriteFile(t, strings.Replace(string(data), "Server listening", "Server Listening", 1))
	torn := clitest.WriteFile(t, string(data[:len(data)-9]))

	r := clitest.InProcess(t, "rec", "verify", clitest.GoldenRecording)
	require.Equal(t, 0, r.Code, r.Stderr)
	require.Empty(t, r.Stderr)
	require.Contains(t, r.Stdout, clitest.GoldenRecording+": ok, 45 entries\n")
	require.Contains(t, r.Stdout, "  covered: streams, numbers and format; not times, header and exit codes: the last entry has no hash\n")
	require.Contains(t, r.Stdout, "  mcp-stdio-1   stdout  990 bytes     88c272829f90a187  as recorded\n")
	require.Contains(t, r.Stdout, "  mcp-stdio-2   stdout  74 bytes      8f0362d4845d5022  nothing to compare with\n")

	r = clitest.InProcess(t, "rec", "verify", torn)
	require.Equal(t, 0, r.Code, "a killed recorder is not a problem")
	require.Contains(t, r.Stdout, ": ok so far, unfinished, 44 entries\n")
	require.Contains(t, r.Stdout, "  covered: streams, numbers and format; not times, header and exit codes: the recording is unfinished\n")
	require.Contains(t, r.Stdout, "  note: unfinished:")
	r = clitest.InProcess(t, "rec", "verify", "--complete", torn)
	require.Equal(t, 1, r.Code)
	require.Contains(t, r.Stdout, ": NOT OK, unfinished, 44 entries\n")

	r = clitest.InProcess(t, "rec", "verify", clitest.GoldenRecording, changed)
	require.Equal(t, 1, r.Code)
	require.Equal(t, "mcpdbg: problems in 1 of 2 recordings\n", r.Stderr)
	require.Contains(t, r.Stdout, changed+": NOT OK, 1 problem, 45 entries\n")
	require.Regexp(t, `mcp-stdio-1 +stdout +990 bytes +[0-9a-f]{16}  WRONG\n`, r.Stdout)
	require.Contains(t, r.Stdout, "stdout of mcp-stdio-1 had the hash 88c272829f90a187, but the recorded bytes have ")

	r = clitest.InProcess(t, "rec", "verify", "--json", clitest.GoldenRecording, changed, torn)
	require.Equal(t, 1, r.Code)
	var all []rec.Verification
	require.NoError(t, json.Unmarshal([]byte(r.Stdout), &all))
	require.Equal(t, []bool{true, false, true}, []bool{all[0].OK, all[1].OK, all[2].OK})
	require.Equal(t, []bool{true, true, false}, []bool{all[0].Finished, all[1].Finished, all[2].Finished})
	require.Len(t, all[0].Streams, 6)
	require.Len(t, all[1].Problems, 1)
	require.Equal(t, uint64(34), all[1].Problems[0].N)
}

// Text from a recording is sanitized.
func TestRecVerifySanitizesOutput(t *testing.T) {
	t.Parallel()
	r := clitest.InProcess(t, "rec", "verify", clitest.WriteFile(t, clitest.GoldenLines(t)[0]+`{"n":1,"t":0,"k":"start","process":"\u001b]0;x\u0007"}`+"\n"+
		`{"n":2,"t":0,"k":"stdout","seq":2,"raw":""}`+"\n"+strings.Repeat("garbage\n", 200)))
	require.Equal(t, 1, r.Code)
	require.NotContains(t, r.Stdout+r.Stderr, "\x1b")
	require.Regexp(t, `NOT OK, \d+ problems`, r.Stdout)
	require.Contains(t, r.Stdout, "  and 1")
	require.Contains(t, r.Stdout, "  note: 200 lines that are not entries\n")
}

func TestRecVerifyUsage(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{}, {clitest.WriteFile(t, "text")}, {clitest.GoldenRecording, t.TempDir()}, {clitest.GoldenRecording + "x"}} {
		r := clitest.InProcess(t, append([]string{"rec", "verify"}, args...)...)
		require.Equal(t, console.ExitUsage, r.Code, args)
		require.NotEmpty(t, r.Stderr)
	}
}
