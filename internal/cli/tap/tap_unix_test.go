//go:build unix

package tap_test

import (
	"bytes"
	"crypto/sha256"
	"fmt"
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
	"mcpdbg/sshexec/sshtest"
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

// hostileSizes are how many bytes are sent in large and in small pieces; more in the long
// tests.
var hostileSizes = map[int]int{64 << 10: 32 << 20, 1: 64 << 10}

// TestHostileBytes: any bytes but a newline, in large and in small pieces, arrive as they
// were sent, from this machine and from a host.
func TestHostileBytes(t *testing.T) {
	t.Parallel()
	every := make([]byte, 0, 255)
	for b := range 256 {
		if b != '\n' {
			every = append(every, byte(b))
		}
	}
	for piece, size := range hostileSizes {
		for _, remote := range []bool{false, true} {
			t.Run(fmt.Sprint(piece, remote), func(t *testing.T) {
				t.Parallel()
				record := filepath.Join(t.TempDir(), "r.jsonl")
				args := []string{"tap", "--record", record, "--", "sh", "-c", "cat; exit 7"}
				cmd := clitest.Program(t, args...)
				if remote {
					cmd = clitest.CommandOverSSH(t, sshtest.OpenSSH(t, sshtest.Options{}), args...)
				}
				in, err := cmd.StdinPipe()
				require.NoError(t, err)
				got, want := sha256.New(), sha256.New()
				cmd.Stdout = got
				require.NoError(t, cmd.Start())
				buffer := bytes.Repeat(every, piece/len(every)+2)
				for sent := 0; sent < size; sent += piece {
					part := buffer[sent%len(every):][:piece]
					want.Write(part)
					_, err = in.Write(part)
					require.NoError(t, err)
				}
				require.NoError(t, in.Close())
				_ = cmd.Wait()
				require.Equal(t, 7, cmd.ProcessState.ExitCode())
				require.Equal(t, want.Sum(nil), got.Sum(nil))
				require.Equal(t, "ok", strings.Fields(clitest.Run(t, "rec", "verify", record).Stdout)[1][:2])
			})
		}
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
