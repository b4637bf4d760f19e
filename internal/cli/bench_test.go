//go:build unix

package cli

import (
	"bufio"
	"io"
	"os/exec"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/cli/clitest"
)

// The benchmarks of this package compare the program with a simple program that does
// the same work, in alternating rounds, and report the ratio of the medians: absolute
// figures of a shared machine mean little. Whole processes on this machine are
// measured by internal/tools/bench.

// rounds of a duel.
const rounds = 7

// wallTime returns how long the program takes.
func wallTime(b *testing.B, args []string) time.Duration {
	b.Helper()
	cmd := clitest.Program(b, args...)
	begin := time.Now()
	require.NoError(b, cmd.Run())
	return time.Since(begin)
}

// exchange is what list tools sends to a legacy server.
func exchange(b *testing.B, c *rawClient) {
	require.Contains(b, c.ask(b, `{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{}}`), "-32601")
	require.Contains(b, c.ask(b, `{"jsonrpc":"2.0","id":2,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"raw","version":"1"}}}`), "probe-fast")
	c.send(b, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	require.Contains(b, c.ask(b, `{"jsonrpc":"2.0","id":3,"method":"tools/list"}`), "tool_9")
	c.stop(b)
}

// rawClient is a minimal client.
type rawClient struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

func startRaw(b *testing.B, cmd *exec.Cmd) *rawClient {
	b.Helper()
	in, err := cmd.StdinPipe()
	require.NoError(b, err)
	out, err := cmd.StdoutPipe()
	require.NoError(b, err)
	require.NoError(b, cmd.Start())
	return &rawClient{cmd, in, bufio.NewReader(out)}
}

func (c *rawClient) send(b *testing.B, line string) {
	if _, err := io.WriteString(c.in, line+"\n"); err != nil {
		b.Fatal(err)
	}
}

func (c *rawClient) ask(b *testing.B, line string) string {
	c.send(b, line)
	answer, err := c.out.ReadString('\n')
	if err != nil {
		b.Fatal(err)
	}
	return answer
}

func (c *rawClient) stop(b *testing.B) {
	require.NoError(b, c.in.Close())
	require.NoError(b, c.cmd.Wait())
}
