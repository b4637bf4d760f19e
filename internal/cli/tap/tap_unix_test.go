//go:build unix

package tap_test

import (
	"bytes"
	"crypto/sha256"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/cli/clitest"
)

// TestEndsLikeItsServer compares what a client sees with and without a tap.
func TestEndsLikeItsServer(t *testing.T) {
	t.Parallel()
	for name, script := range map[string]string{
		"half-close":          `cat; echo last; echo late >&2; exit 7`,
		"ends first":          `echo bye; exit 3`,
		"term":                `echo a; kill -TERM $$`,
		"kill":                `kill -KILL $$`,
		"abort":               `ulimit -c 0; kill -ABRT $$`,
		"quit":                `ulimit -c 0; kill -QUIT $$`,
		"pipe":                `kill -PIPE $$`,
		"segv":                `ulimit -c 0; echo x >&2; kill -SEGV $$`,
		"leaves a child":      `sleep 60 & echo up`,
		"unterminated output": `printf '{"half":'`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			see := func(cmd *exec.Cmd) (out, errs string, state syscall.WaitStatus) {
				var stdout, stderr bytes.Buffer
				cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader("in\n"), &stdout, &stderr
				cmd.WaitDelay = time.Second // a child may hold the pipes without a tap
				_ = cmd.Run()
				return stdout.String(), stderr.String(), cmd.ProcessState.Sys().(syscall.WaitStatus)
			}
			out, errs, state := see(clitest.Command(t, "sh", "-c", script))
			record := filepath.Join(t.TempDir(), "r.jsonl")
			tapped := clitest.Program(t, "tap", "--record", record, "--", "sh", "-c", script)
			tappedOut, tappedErrs, tappedState := see(tapped)
			require.Equal(t, out, tappedOut)
			require.Equal(t, errs, tappedErrs)
			require.Equal(t, state, tappedState)
			require.Empty(t, clitest.Left(tapped))
			clitest.RequireHashed(t, record)
		})
	}
}

func TestStatusOfAFailedStart(t *testing.T) {
	t.Parallel()
	plain := filepath.Join(t.TempDir(), "plain")
	require.NoError(t, os.WriteFile(plain, []byte("x"), 0o600))
	for program, status := range map[string]int{"no-such-program-here": 127, plain: 126} {
		r := clitest.Run(t, "tap", "--no-record", "--", program)
		require.Equal(t, status, r.Code, program)
		require.Contains(t, r.Stderr, filepath.Base(program))
	}
}

// TestHostileBytes: any bytes, in large and in small pieces, arrive as they were sent.
func TestHostileBytes(t *testing.T) {
	t.Parallel()
	every := make([]byte, 0, 255)
	for b := range 256 {
		if b != '\n' {
			every = append(every, byte(b))
		}
	}
	for name, c := range map[string]struct{ size, piece int }{"large": {32 << 20, 64 << 10}, "small": {64 << 10, 1}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			record := filepath.Join(t.TempDir(), "r.jsonl")
			cmd := clitest.Program(t, "tap", "--record", record, "--", "cat")
			in, err := cmd.StdinPipe()
			require.NoError(t, err)
			got := sha256.New()
			cmd.Stdout = got
			require.NoError(t, cmd.Start())
			data := bytes.Repeat(every, c.size/len(every)+1)[:c.size]
			for rest := data; len(rest) > 0; rest = rest[c.piece:] {
				_, err = in.Write(rest[:c.piece])
				require.NoError(t, err)
			}
			require.NoError(t, in.Close())
			require.NoError(t, cmd.Wait())
			want := sha256.Sum256(data)
			require.Equal(t, want[:], got.Sum(nil))
			require.Equal(t, "ok", strings.Fields(clitest.Run(t, "rec", "verify", record).Stdout)[1][:2])
		})
	}
}

// TestLadderOfClaudeCode: SIGINT at once, SIGTERM 100 ms and SIGKILL 500 ms later, against
// a server that ignores both. The steps follow each other when the one before was seen.
func TestLadderOfClaudeCode(t *testing.T) {
	t.Parallel()
	record := filepath.Join(t.TempDir(), "r.jsonl")
	w := clitest.Watch(t, clitest.Program(t, "tap", "--record", record, "--",
		"sh", "-c", `trap 'echo int' INT; trap 'echo term' TERM; echo up; while :; do sleep 0.01; done`))
	w.Until("up")
	require.NoError(t, w.Cmd.Process.Signal(syscall.SIGINT))
	w.Until("int")
	require.NoError(t, w.Cmd.Process.Signal(syscall.SIGTERM))
	w.Until("term")
	require.NoError(t, w.Cmd.Process.Kill())
	_, _ = io.Copy(io.Discard, w.Out)
	_ = w.Cmd.Wait()
	require.Eventually(t, func() bool { return len(clitest.Left(w.Cmd)) == 0 }, clitest.WaitLimit, 10*time.Millisecond)
	r := clitest.Run(t, "rec", "verify", record)
	require.Zero(t, r.Code, r.Stdout)
}

// TestClientIsKilled: the tap ends a server that ignores the end of its input when its
// output has no reader any more.
func TestClientIsKilled(t *testing.T) {
	t.Parallel()
	in, w, err := os.Pipe()
	require.NoError(t, err)
	r, out, err := os.Pipe()
	require.NoError(t, err)
	cmd := clitest.Program(t, "tap", "--no-record", "--", "sh", "-c", `echo up; while :; do sleep 0.01; done`)
	cmd.Stdin, cmd.Stdout = in, out
	require.NoError(t, cmd.Start())
	require.NoError(t, in.Close())
	require.NoError(t, out.Close())
	_, err = io.ReadFull(r, make([]byte, 3))
	require.NoError(t, err)
	require.NoError(t, w.Close())
	require.NoError(t, r.Close())
	_ = cmd.Wait() // it ends at all
	require.Empty(t, clitest.Left(cmd))
}
