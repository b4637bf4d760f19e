//go:build unix

package cli

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/cli/clitest"
	"mcpdbg/internal/cli/console"
	"mcpdbg/recordings"
	"mcpdbg/session"
)

// A closed stdout is not an error, and the server is shut down.
func TestClosedStdout(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{
		clitest.Against("", "run"),
		clitest.Against("", "run", "--json"),
		clitest.Against("flood:100000x205", "run"),
		clitest.Against("", "list", "tools"),
		clitest.Against("", "call", "--tool", "big", "bytes:=1000000"),
		{"demo"}, {"version"}, {"--help"}, {"completion", "bash"},
		{"rec", "cat", clitest.GoldenRecording}, {"rec", "cat", clitest.GoldenRecording, "--json"}, {"rec", "cat", clitest.GoldenRecording, "--jq", "."},
	} {
		cmd := clitest.Program(t, args...)
		r, w, err := os.Pipe()
		require.NoError(t, err)
		require.NoError(t, r.Close())
		cmd.Stdout = w
		got := clitest.Finish(t, cmd)
		require.NoError(t, w.Close())
		require.Equal(t, 0, got.Code, "%q\n%s", args, got.Stderr)
		require.NotContains(t, got.Stderr, "broken pipe")
	}
}

func TestReaderClosesStdoutEarly(t *testing.T) {
	t.Parallel()
	cmd := clitest.Program(t, clitest.Against("flood:1000000x205", "run")...)
	r, w, err := os.Pipe()
	require.NoError(t, err)
	cmd.Stdout = w
	require.NoError(t, cmd.Start())
	require.NoError(t, w.Close())
	_, err = io.CopyN(io.Discard, r, 1<<20)
	require.NoError(t, err)
	require.NoError(t, r.Close())
	require.NoError(t, cmd.Wait())
	require.Empty(t, clitest.Left(cmd))
}

func TestFullStdout(t *testing.T) {
	t.Parallel()
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		require.Empty(t, os.Getenv("CI"), "there is no /dev/full: %v", err)
		t.Skip("there is no /dev/full: ", err)
	}
	require.NoError(t, full.Close())
	echo := clitest.WriteFile(t, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"message":"hi"}}}`)
	session := clitest.RecordedDemo(t, "", []string{"--era", "legacy"}, clitest.ReplayLines...)
	steps := clitest.WriteFile(t, "scenario: 1\nsteps:\n  - tool: echo\n    arguments: {message: hi}\n")
	failing := clitest.WriteFile(t, "scenario: 1\nsteps:\n  - tool: echo\n    arguments: {message: hi}\n  - tool: no-such-tool\n")
	for _, c := range []struct {
		code int
		args []string
	}{
		{6, clitest.Against("", "run")}, {6, clitest.Against("", "run", "--json")}, {6, clitest.Against("", "run", "--in", echo)}, {6, clitest.Against("", "run", "--scenario", steps)},
		{6, clitest.Against("", "list", "tools")}, {6, clitest.Against("", "list", "--json", "tools")}, {6, clitest.Against("", "call", "--tool", "echo", "message=hi")},
		{6, clitest.Against("", "replay", session)}, {6, clitest.Against("", "smoke")}, {6, clitest.Against("", "smoke", "--json")},
		{6, []string{"demo"}}, {6, []string{"version"}}, {6, []string{"--help"}}, {6, []string{"completion", "bash"}},
		{6, []string{"demo-server", "--list"}}, {6, []string{"rec", "cat", clitest.GoldenRecording}}, {6, []string{"rec", "verify", clitest.GoldenRecording}},

		{1, clitest.Against("", "run", "--scenario", failing)},
		{1, clitest.Against("", "call", "--tool", "fail", "kind=isError")}, {1, clitest.Against("answers-error", "list", "tools")},
		{1, append(clitest.Against("", "replay", session), "--changed")}, {1, []string{"diff", clitest.GoldenRecording, session}},
		{3, []string{"run", "--", "/no/such/program"}}, {3, []string{"smoke", "--", "/no/such/program"}},
		{3, clitest.Against("dies-at-start", "call", "ping")}, {4, clitest.Against("never-answers", "list", "--startup-timeout", "5s", "tools")},
	} {
		t.Run(fmt.Sprint(c.code, c.args[0]), func(t *testing.T) {
			t.Parallel()
			full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
			require.NoError(t, err)
			defer full.Close()
			cmd := clitest.Program(t, c.args...)
			cmd.Stdout = full
			r := clitest.Finish(t, cmd)
			require.Equal(t, c.code, r.Code, "%q\n%s", c.args, r.Stderr)
			if c.code == 6 {
				require.Contains(t, r.Stderr, "no space left on device", "%q", c.args)
			}
		})
	}
}

// A server that closes its stdin is not a closed stdout of ours.
func TestServerNotReadingInputFails(t *testing.T) {
	t.Parallel()
	clitest.Need(t, "sh")
	cmd := clitest.Program(t, "run", "--raw", "--in", "-", "--", "sh", "-c", "exec 0<&-; echo closed; exec sleep 60")
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	w := clitest.Watch(t, cmd)
	w.Until("closed")
	_, err = io.WriteString(in, "{}\n")
	require.NoError(t, err)
	r := w.End()
	require.Equal(t, 3, r.Code)
	require.Contains(t, r.Stderr, "message not sent")
}

// When the file cannot grow, the recording stops and says so, and the session
// continues.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	clitest.Need(t, "sh")
	for _, c := range []struct {
		args []string
		code int
		says string
	}{
		{clitest.Against("", "call", "--tool", "big", "bytes:=1000000"), 6, `"text":"`},
		{clitest.Against("", "run", "--era", "legacy", "--in", clitest.WriteFile(t, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"big","arguments":{"bytes":1000000}}}`)), 6, " end "},
		{clitest.Against("crash-mid-call", "call", "--tool", "flood"), 3, ""},
		{clitest.Against("", "run", "--era", "legacy", "--quiet", "--in", clitest.WriteFile(t, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"flood","arguments":{}}}`)), 6, ""},
	} {
		record := filepath.Join(t.TempDir(), "r.jsonl")
		args := append([]string{"-c", `ulimit -f 8; exec "$0" "$@"`, clitest.Binary(), c.args[0], "--record", record}, c.args[1:]...)
		r := clitest.Finish(t, clitest.Command(t, "sh", args...))
		require.Equal(t, c.code, r.Code, r.Stderr)
		require.Contains(t, r.Stdout, c.says)
		if c.code == 3 {
			continue // it died before the disk was full
		}
		require.Regexp(t, `mcpdbg: recording incomplete: `+record+`: file too large; not recorded from entry \d+ on\n$`, r.Stderr)
		data, err := os.ReadFile(record)
		require.NoError(t, err)
		require.True(t, strings.HasSuffix(string(data), "}\n"), "it ends with a complete line")
		rec, err := recordings.Open(record)
		require.NoError(t, err)
		require.Equal(t, session.RecordingTorn, rec.Stats().Recording)
		require.NoError(t, rec.Close())
	}
}

// unprivileged is the id of a user without rights, "nobody" on most systems.
const unprivileged = 65534

func TestPermissionErrors(t *testing.T) {
	t.Parallel()
	if os.Getuid() != 0 {
		require.Empty(t, os.Getenv("CI"), "only root can run the program as another user")
		t.Skip("only root can run the program as another user")
	}
	shared, err := os.MkdirTemp("", "shared") //nolint:usetesting // only its owner may look into the parent of a TempDir
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(shared) })
	require.NoError(t, os.Chmod(shared, 0o777)) // temporary recordings go there
	secret := filepath.Join(t.TempDir(), "secret")
	require.NoError(t, os.Mkdir(secret, 0o700))
	for _, c := range []struct {
		args  []string
		state string
		code  int
		says  []string
	}{
		{[]string{"list", "--no-record", "tools", "-C", secret, "--", clitest.Binary(), console.DemoServer}, "/", 3, []string{"permission denied", "--cwd"}},
		{clitest.Against("", "list", "tools"), secret, 0, []string{"permission denied", "recording to the temporary folder"}},
		{clitest.Against("", "list", "--no-record", "tools"), secret, 0, nil},
		{[]string{"list", "--no-record", "tools", "--", secret + "/program"}, "/", 3, []string{"permission denied"}},
	} {
		cmd := clitest.Program(t, c.args...)
		cmd.Dir = "/"
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: unprivileged, Gid: unprivileged}}
		cmd.Env = append(cmd.Env, "XDG_STATE_HOME="+c.state, "TMPDIR="+shared)
		r := clitest.Finish(t, cmd)
		require.Equal(t, c.code, r.Code, r.Stderr)
		for _, text := range c.says {
			require.Contains(t, r.Stderr, text)
		}
	}
}
