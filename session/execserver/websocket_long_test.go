//go:build long && linux

package execserver

import (
	"bufio"
	"context"
	"net"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/session/execserver/dial"
	"mcpdbg/session/execserver/wire"
	"mcpdbg/session/executor"
)

// codexURL starts an exec server of Codex that listens on a free port, and returns its URL.
func codexURL(t testing.TB) string {
	t.Helper()
	cmd := exec.Command(codexProgram(t), "exec-server", "--listen", "ws://127.0.0.1:0")
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	cmd.Stderr = os.Stderr
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // killed
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	at := strings.Index(line, "ws://")
	require.GreaterOrEqual(t, at, 0, line)
	return strings.Fields(line[at:])[0]
}

// A relay forwards connections to an exec server, and cuts them.
type relay struct {
	net.Listener
	mu    sync.Mutex
	conns []net.Conn
}

func relayTo(t *testing.T, address string) *relay {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	r := &relay{Listener: l}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			near, err := l.Accept()
			if err != nil {
				return
			}
			far, err := net.Dial("tcp", address)
			if err != nil {
				_ = near.Close()
				continue
			}
			r.mu.Lock()
			r.conns = append(r.conns, near, far)
			r.mu.Unlock()
			go copyUntilCut(near, far)
			go copyUntilCut(far, near)
		}
	}()
	return r
}

func copyUntilCut(to, from net.Conn) {
	_, _ = from.(*net.TCPConn).WriteTo(to)
	_ = to.Close()
	_ = from.Close()
}

// cut resets all connections.
func (r *relay) cut() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, c := range r.conns {
		_ = c.(*net.TCPConn).SetLinger(0)
		_ = c.Close()
	}
	r.conns = nil
}

func openWebSocket(t *testing.T, url string, retention time.Duration) *Executor {
	t.Helper()
	target, err := dial.Parse(url)
	require.NoError(t, err)
	e, err := Open(t.Context(), Options{
		Dial:      func(ctx context.Context) (wire.Conn, error) { return dial.Dialer{Target: target}.Dial(ctx) },
		Resumable: true, Concurrency: wire.CodexConcurrency, Retention: retention, StartTimeout: waitLimit, Placement: "codex",
	})
	require.NoError(t, err)
	return e
}

func TestLongConformanceCodexWebSocket(t *testing.T) {
	t.Parallel()
	url := codexURL(t)
	conform(t, true, func(t *testing.T, retention time.Duration) executor.Executor { return openWebSocket(t, url, retention) })
}

// TestLongCutsOfCodex cuts the link 200 times during round trips.
func TestLongCutsOfCodex(t *testing.T) {
	r := relayTo(t, strings.TrimPrefix(codexURL(t), "ws://"))
	e := openWebSocket(t, "ws://"+r.Addr().String(), 0)
	slowest := echoes(t, e, 10_000, 200, r.cut)
	t.Logf("slowest recovery: %s", slowest)
	require.Less(t, slowest, 5*time.Second)
	require.NoError(t, e.Close())
}
