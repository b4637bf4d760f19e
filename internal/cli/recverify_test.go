package cli

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/cli/exit"
	"mcpdbg/internal/cli/rec"
)

func TestRecVerify(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile(goldenRecording)
	require.NoError(t, err)
	changed := writeFile(t, strings.Replace(string(data), "Server listening", "Server Listening", 1))
	torn := writeFile(t, string(data[:len(data)-9]))

	r := inProcess(t, "rec", "verify", goldenRecording)
	require.Equal(t, 0, r.code, r.stderr)
	require.Empty(t, r.stderr)
	require.Contains(t, r.stdout, goldenRecording+": ok, 45 entries\n")
	require.Contains(t, r.stdout, "  mcp-stdio-1   stdout  990 bytes     88c272829f90a187  as recorded\n")
	require.Contains(t, r.stdout, "  mcp-stdio-2   stdout  74 bytes      8f0362d4845d5022  nothing to compare with\n")

	r = inProcess(t, "rec", "verify", torn)
	require.Equal(t, 0, r.code, "a killed recorder is not a problem")
	require.Contains(t, r.stdout, ": ok, 44 entries\n")
	require.Contains(t, r.stdout, "  note: unfinished:")

	r = inProcess(t, "rec", "verify", goldenRecording, changed)
	require.Equal(t, 1, r.code)
	require.Equal(t, "mcpdbg: problems in 1 of 2 recordings\n", r.stderr)
	require.Contains(t, r.stdout, changed+": NOT OK, 1 problem, 45 entries\n")
	require.Regexp(t, `mcp-stdio-1 +stdout +990 bytes +[0-9a-f]{16}  WRONG\n`, r.stdout)
	require.Contains(t, r.stdout, "stdout of mcp-stdio-1 had the hash 88c272829f90a187, but the recorded bytes have ")

	r = inProcess(t, "rec", "verify", "--json", goldenRecording, changed, torn)
	require.Equal(t, 1, r.code)
	var all []rec.Verification
	require.NoError(t, json.Unmarshal([]byte(r.stdout), &all))
	require.Equal(t, []bool{true, false, true}, []bool{all[0].OK, all[1].OK, all[2].OK})
	require.Equal(t, []bool{true, true, false}, []bool{all[0].Finished, all[1].Finished, all[2].Finished})
	require.Len(t, all[0].Streams, 6)
	require.Len(t, all[1].Problems, 1)
	require.Equal(t, uint64(34), all[1].Problems[0].N)
}

// Text from a recording is sanitized.
func TestRecVerifySanitizesOutput(t *testing.T) {
	t.Parallel()
	r := inProcess(t, "rec", "verify", writeFile(t, goldenLines(t)[0]+`{"n":1,"t":0,"k":"start","process":"\u001b]0;x\u0007"}`+"\n"+
		`{"n":2,"t":0,"k":"stdout","seq":2,"raw":""}`+"\n"+strings.Repeat("garbage\n", 200)))
	require.Equal(t, 1, r.code)
	require.NotContains(t, r.stdout+r.stderr, "\x1b")
	require.Regexp(t, `NOT OK, \d+ problems`, r.stdout)
	require.Contains(t, r.stdout, "  and 1")
	require.Contains(t, r.stdout, "  note: 200 lines that are not entries\n")
}

func TestRecVerifyUsage(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{}, {writeFile(t, "text")}, {goldenRecording, t.TempDir()}, {goldenRecording + "x"}} {
		r := inProcess(t, append([]string{"rec", "verify"}, args...)...)
		require.Equal(t, exit.Usage, r.code, args)
		require.NotEmpty(t, r.stderr)
	}
}
