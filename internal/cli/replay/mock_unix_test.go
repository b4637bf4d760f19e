//go:build unix

package replay_test

import (
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/cli/clitest"
)

// A recorded crash is served as that crash: by the same signal or with the same
// exit code, and with all the output before.
func TestMockCrash(t *testing.T) {
	t.Parallel()
	const call = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"message":"hi"}}}` + "\n"
	for fault, want := range map[string]struct {
		code   int
		signal syscall.Signal
	}{
		"crash-mid-call:segv":  {-1, syscall.SIGSEGV},
		"crash-mid-call:kill":  {-1, syscall.SIGKILL},
		"crash-mid-call:abort": {-1, syscall.SIGABRT},
		"crash-mid-call:panic": {2, 0},
	} {
		t.Run(fault, func(t *testing.T) {
			t.Parallel()
			path := recorded(t, fault, call)
			cmd := clitest.Program(t, "mock", "--exact-bytes", path)
			in, err := cmd.StdinPipe() // open until the mock dies
			require.NoError(t, err)
			_, err = in.Write([]byte(call))
			require.NoError(t, err)
			var stderr strings.Builder
			cmd.Stderr = &stderr
			var exit *exec.ExitError
			require.ErrorAs(t, cmd.Run(), &exit)
			require.Equal(t, want.code, exit.ExitCode(), stderr.String())
			status := exit.Sys().(syscall.WaitStatus)
			require.Equal(t, want.signal != 0, status.Signaled())
			if status.Signaled() {
				require.Equal(t, want.signal, status.Signal())
			}
			if fault == "crash-mid-call:panic" {
				require.Regexp(t, `(?m)^panic: a tool has crashed, as it was asked to\n\ngoroutine `, stderr.String())
			} else {
				require.NotContains(t, stderr.String(), "mcpdbg: ", "all of it is the server's")
			}
		})
	}
}
