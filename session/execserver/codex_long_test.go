//go:build long && linux

package execserver

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/wording"
	"mcpdbg/session/execserver/wire"
	"mcpdbg/session/exectest"
	"mcpdbg/session/executor"
	"mcpdbg/sshexec/sshtest"
)

// codexProgram returns the program of Codex: CI has it from npm.
func codexProgram(t testing.TB) string {
	t.Helper()
	const fromNPM = "clients/current/node_modules/@openai/codex-*/vendor/*/bin/codex"
	if found, _ := filepath.Glob(filepath.Join(os.Getenv("MCPDBG_CI_TOOLS"), fromNPM)); len(found) > 0 {
		return found[0]
	}
	return exectest.Need(t, "codex")
}

// conformCodex runs the suite over exec servers of Codex that run starts.
func conformCodex(t *testing.T, findsOrphans bool, run func(testing.TB) executor.Executor) {
	t.Helper()
	t.Parallel()
	program := codexProgram(t)
	conform(t, findsOrphans, func(t *testing.T, retention time.Duration) executor.Executor {
		e, err := Open(t.Context(), Options{
			Dial: command(t, run(t), codexCommand(program)), Concurrency: wire.CodexConcurrency, Retention: retention,
			StartTimeout: waitLimit, Placement: "codex",
		})
		require.NoError(t, err)
		return e
	})
}

// codexCommand returns the command of an exec server on standard streams.
func codexCommand(program string) string {
	return wording.CommandLine([]string{program, "exec-server", "--listen", "stdio"})
}

func TestLongConformanceCodexStdio(t *testing.T) { conformCodex(t, true, here) }

// TestLongConformanceCodexOverSSH: the processes have no stamp, which the run of Codex has already.
func TestLongConformanceCodexOverSSH(t *testing.T) {
	s := sshtest.OpenSSH(t, sshtest.Options{})
	conformCodex(t, false, func(t testing.TB) executor.Executor { return onHost(t, s) })
}

// TestLongCodexCannot asserts what the client makes up for. Where one of these no longer holds, Codex
// has learnt something, and the client can do less.
func TestLongCodexCannot(t *testing.T) {
	s, err := open(t.Context(), Options{Dial: command(t, here(t), codexCommand(codexProgram(t)))})
	require.NoError(t, err)
	t.Cleanup(s.close)
	require.Equal(t, wire.CodexVersion, s.env.Version)
	require.Equal(t, wire.Capabilities{}, s.env.Capabilities)
	start := func(id, script string) (*remote, map[string]any) {
		r, err := s.register(id)
		require.NoError(t, err)
		var result map[string]any
		require.NoError(t, r.start(t.Context(), wire.StartParams{
			ProcessID: id, Argv: []string{"/bin/sh", "-c", script}, CWD: s.env.Home, Env: map[string]string{}, PipeStdin: true,
		}, &result))
		return r, result
	}
	says := func(code int, method string, params any) {
		t.Helper()
		err := s.call(t.Context(), method, params, nil, false)
		var refused *wire.Error
		require.ErrorAs(t, err, &refused)
		t.Logf("%s: %d %s", method, refused.Code, refused.Message)
		require.Equal(t, code, refused.Code)
	}
	exit := func(r *remote) executor.Exit {
		for {
			for _, e := range r.steps(nil) {
				if e.kind == executor.Exited {
					return e.exit
				}
			}
		}
	}
	reader, result := start("reader", "cat")

	t.Run("tell a pid", func(t *testing.T) { require.NotContains(t, result, "pid") })
	t.Run("end standard input", func(t *testing.T) {
		for _, method := range []string{wire.MethodCloseStdin, "process/close", "process/closeInput", "stdin/close"} {
			says(wire.ErrMethod, method, wire.Process{ProcessID: "reader"})
		}
	})
	t.Run("send TERM or KILL", func(t *testing.T) {
		for _, signal := range []string{wire.Terminate, wire.Kill} {
			says(wire.ErrParams, wire.MethodSignal, wire.SignalParams{ProcessID: "reader", Signal: signal})
		}
	})
	t.Run("list processes, or end a session", func(t *testing.T) {
		for _, method := range []string{wire.MethodStop, wire.MethodTree, wire.MethodKillOne, "process/list"} {
			says(wire.ErrMethod, method, wire.Process{ProcessID: "reader"})
		}
		says(wire.ErrMethod, wire.MethodEnd, nil)
	})
	t.Run("tell a signal from a code", func(t *testing.T) {
		killed, _ := start("killed", "kill -KILL $$")
		exited, _ := start("exited", "exit 137")
		require.Equal(t, exit(exited), exit(killed))
	})
	t.Run("handle a request behind one that waits", func(t *testing.T) {
		wait := 1500
		begin := time.Now()
		_, err := s.send(nil, &call{done: func(wire.Message, error) {}}, func(dst []byte, id uint64) []byte {
			body, err := marshal(wire.ReadParams{ProcessID: "reader", WaitMS: &wait})
			require.NoError(t, err)
			return wire.AppendRequest(dst, id, wire.MethodRead, body)
		})
		require.NoError(t, err)
		require.NoError(t, s.call(t.Context(), wire.MethodStatus, nil, nil, false))
		require.Greater(t, time.Since(begin), time.Second)
	})
	t.Run("tell a missing program from a missing folder", func(t *testing.T) {
		failed := func(program, dir string) string {
			err := s.call(t.Context(), wire.MethodStart, wire.StartParams{ProcessID: "none", Argv: []string{program}, CWD: fileURI(dir), Env: map[string]string{}}, nil, false)
			require.Error(t, err)
			return err.Error()
		}
		require.Equal(t, failed("/none", "/"), failed("/bin/sh", "/none"))
	})
	reader.abandon()
	exit(reader)
}
