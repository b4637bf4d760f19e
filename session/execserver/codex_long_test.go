//go:build long && linux

package execserver

import (
	"context"
	"io"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/session/execserver/wire"
	"mcpdbg/session/exectest"
	"mcpdbg/session/executor"
)

// codex starts an exec server of Codex that speaks on stdio.
func codex(t *testing.T) func(context.Context) (wire.Conn, error) {
	t.Helper()
	program := exectest.Need(t, "codex")
	return func(context.Context) (wire.Conn, error) {
		cmd := exec.Command(program, "exec-server", "--listen", "stdio")
		cmd.Stderr = os.Stderr
		in, err := cmd.StdinPipe()
		require.NoError(t, err)
		out, err := cmd.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, cmd.Start())
		return wire.NewLines(&childStream{Reader: out, WriteCloser: in, cmd: cmd}, wire.MaxMessage), nil
	}
}

// A childStream is a server on stdio; Close ends it.
type childStream struct {
	io.Reader
	io.WriteCloser
	cmd *exec.Cmd
}

func (c *childStream) Close() error {
	err := c.WriteCloser.Close()
	go func() { _ = c.cmd.Wait() }() // its status does not matter
	return err
}

func openCodex(t *testing.T, retention time.Duration) executor.Executor {
	e, err := Open(t.Context(), Options{Dial: codex(t), Concurrency: wire.CodexConcurrency, Retention: retention, StartTimeout: time.Minute, Placement: "codex"})
	require.NoError(t, err)
	return e
}

func TestConformanceCodexStdio(t *testing.T) {
	conform(t, openCodex)
}
