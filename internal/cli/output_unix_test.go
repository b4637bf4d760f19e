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

	"mcpdbg/internal/cli/console"
	"mcpdbg/recordings"
	"mcpdbg/session"
)

// A closed stdout is not an error, and the server is shut down.
func TestClosedStdout(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{
		against("", "run"),
		against("", "run", "--json"),
		against("flood:100000x205", "run"),
		against("", "list", "tools"),
		against("", "call", "--tool", "big", "bytes:=1000000"),
		{"demo"}, {"version"}, {"--help"}, {"completion", "bash"},
		{"rec", "cat", goldenRecording}, {"rec", "cat", goldenRecording, "--json"}, {"rec", "cat", goldenRecording, "--jq", "."},
	} {
		cmd := program(t, args...)
		r, w, err := os.Pipe()
		require.NoError(t, err)
		require.NoError(t, r.Close())
		cmd.Stdout = w
		got := finish(t, cmd)
		require.NoError(t, w.Close())
		require.Equal(t, 0, got.code, "%q\n%s", args, got.stderr)
		require.NotContains(t, got.stderr, "broken pipe")
	}
}

func TestReaderClosesStdoutEarly(t *testing.T) {
	t.Parallel()
	cmd := program(t, against("flood:1000000x205", "run")...)
	r, w, err := os.Pipe()
	require.NoError(t, err)
	cmd.Stdout = w
	require.NoError(t, cmd.Start())
	require.NoError(t, w.Close())
	_, err = io.CopyN(io.Discard, r, 1<<20)
	require.NoError(t, err)
	require.NoError(t, r.Close())
	require.NoError(t, cmd.Wait())
	require.Empty(t, left(cmd))
}

func TestFullStdout(t *testing.T) {
	t.Parallel()
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		require.Empty(t, os.Getenv("CI"), "there is no /dev/full: %v", err)
		t.Skip("there is no /dev/full: ", err)
	}
	require.NoError(t, full.Close())
	echo := writeFile(t, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"message":"hi"}}}`)
	session := recordedDemo(t, "", []string{"--era", "legacy"}, replayLines...)
	steps := writeFile(t, "scenario: 1\nsteps:\n  - tool: echo\n    arguments: {message: hi}\n")
	failing := writeFile(t, "scenario: 1\nsteps:\n  - tool: echo\n    arguments: {message: hi}\n  - tool: no-such-tool\n")
	for _, c := range []struct {
		code int
		args []string
	}{
		{6, against("", "run")}, {6, against("", "run", "--json")}, {6, against("", "run", "--in", echo)}, {6, against("", "run", "--scenario", steps)},
		{6, against("", "list", "tools")}, {6, against("", "list", "--json", "tools")}, {6, against("", "call", "--tool", "echo", "message=hi")},
		{6, against("", "replay", session)}, {6, against("", "smoke")}, {6, against("", "smoke", "--json")},
		{6, []string{"demo"}}, {6, []string{"version"}}, {6, []string{"--help"}}, {6, []string{"completion", "bash"}},
		{6, []string{"demo-server", "--list"}}, {6, []string{"rec", "cat", goldenRecording}}, {6, []string{"rec", "verify", goldenRecording}},

		{1, against("", "run", "--scenario", failing)},
		{1, against("", "call", "--tool", "fail", "kind=isError")}, {1, against("answers-error", "list", "tools")},
		{1, append(against("", "replay", session), "--changed")}, {1, []string{"diff", goldenRecording, session}},
		{3, []string{"run", "--", "/no/such/program"}}, {3, []string{"smoke", "--", "/no/such/program"}},
		{3, against("dies-at-start", "call", "ping")}, {4, against("never-answers", "list", "--startup-timeout", "5s", "tools")},
	} {
		t.Run(fmt.Sprint(c.code, c.args[0]), func(t *testing.T) {
			t.Parallel()
			full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
			require.NoError(t, err)
			defer full.Close()
			cmd := program(t, c.args...)
			cmd.Stdout = full
			r := finish(t, cmd)
			require.Equal(t, c.code, r.code, "%q\n%s", c.args, r.stderr)
			if c.code == 6 {
				require.Contains(t, r.stderr, "no space left on device", "%q", c.args)
			}
		})
	}
}

// A server that closes its stdin is not a closed stdout of ours.
func TestServerNotReadingInputFails(t *testing.T) {
	t.Parallel()
	need(t, "sh")
	cmd := program(t, "run", "--raw", "--in", "-", "--", "sh", "-c", "exec 0<&-; echo closed; exec sleep 60")
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	w := watch(t, cmd)
	w.until("closed")
	_, err = io.WriteString(in, "{}\n")
	require.NoError(t, err)
	r := w.end()
	require.Equal(t, 3, r.code)
	require.Contains(t, r.stderr, "message not sent")
}

// When the file cannot grow, the recording stops and says so, and the session
// continues.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	need(t, "sh")
	for _, c := range []struct {
		args []string
		code int
		says string
	}{
		{against("", "call", "--tool", "big", "bytes:=1000000"), 6, `"text":"`},
		{against("", "run", "--era", "legacy", "--in", writeFile(t, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"big","arguments":{"bytes":1000000}}}`)), 6, " end "},
		{against("crash-mid-call", "call", "--tool", "flood"), 3, ""},
		{against("", "run", "--era", "legacy", "--quiet", "--in", writeFile(t, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"flood","arguments":{}}}`)), 6, ""},
	} {
		record := filepath.Join(t.TempDir(), "r.jsonl")
		args := append([]string{"-c", `ulimit -f 8; exec "$0" "$@"`, binary, c.args[0], "--record", record}, c.args[1:]...)
		r := finish(t, command(t, "sh", args...))
		require.Equal(t, c.code, r.code, r.stderr)
		require.Contains(t, r.stdout, c.says)
		if c.code == 3 {
			continue // it died before the disk was full
		}
		require.Regexp(t, `mcpdbg: recording incomplete: `+record+`: file too large; not recorded from entry \d+ on\n$`, r.stderr)
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
		{[]string{"list", "--no-record", "tools", "-C", secret, "--", binary, console.DemoServer}, "/", 3, []string{"permission denied", "--cwd"}},
		{against("", "list", "tools"), secret, 0, []string{"permission denied", "recording to the temporary folder"}},
		{against("", "list", "--no-record", "tools"), secret, 0, nil},
		{[]string{"list", "--no-record", "tools", "--", secret + "/program"}, "/", 3, []string{"permission denied"}},
	} {
		cmd := program(t, c.args...)
		cmd.Dir = "/"
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: unprivileged, Gid: unprivileged}}
		cmd.Env = append(cmd.Env, "XDG_STATE_HOME="+c.state, "TMPDIR="+shared)
		r := finish(t, cmd)
		require.Equal(t, c.code, r.code, r.stderr)
		for _, text := range c.says {
			require.Contains(t, r.stderr, text)
		}
	}
}
