//go:build unix

package cli

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/recordings"
	"mcpdbg/session"
)

// Nobody reads any more: that is no error, and the server is ended.
func TestStandardOutputIsClosed(t *testing.T) {
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

func TestTheReaderLeavesInTheMiddle(t *testing.T) {
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

func TestStandardOutputIsFull(t *testing.T) {
	t.Parallel()
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		require.Empty(t, os.Getenv("CI"), "there is no /dev/full: %v", err)
		t.Skip("there is no /dev/full: ", err)
	}
	defer full.Close()
	for _, args := range [][]string{
		against("", "run"), against("", "list", "tools"), against("", "call", "--tool", "echo", "message=hi"),
		{"demo"}, {"version"}, {"--help"}, {"completion", "bash"}, {"demo-server", "--list"}, {"rec", "cat", goldenRecording},
	} {
		cmd := program(t, args...)
		cmd.Stdout = full
		r := finish(t, cmd)
		require.Equal(t, 2, r.code, "%q", args)
		require.Contains(t, r.stderr, "no space left on device", "%q", args)
	}
}

// A server that reads no more is not our own reader that has left.
func TestAServerThatTakesNoInputIsNoSuccess(t *testing.T) {
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

// The file can't grow any more: the recording stops and says so, the session
// goes on.
func TestADiskThatIsFull(t *testing.T) {
	t.Parallel()
	need(t, "sh")
	for _, c := range []struct {
		args []string
		code int
		says string
	}{
		{against("", "call", "--tool", "big", "bytes:=1000000"), 0, `"text":"`},
		{against("", "run", "--era", "legacy", "--in", writeFile(t, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"big","arguments":{"bytes":1000000}}}`)), 0, " end "},
		{against("crash-mid-call", "call", "--tool", "flood"), 3, ""},
		{against("", "run", "--era", "legacy", "--quiet", "--in", writeFile(t, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"flood","arguments":{}}}`)), 0, ""},
	} {
		record := filepath.Join(t.TempDir(), "r.jsonl")
		args := append([]string{"-c", `ulimit -f 8; exec "$0" "$@"`, binary, c.args[0], "--record", record}, c.args[1:]...)
		r := finish(t, command(t, "sh", args...))
		require.Equal(t, c.code, r.code, r.stderr)
		require.Contains(t, r.stdout, c.says)
		if c.code == 3 {
			continue // it died before the disk was full
		}
		require.Contains(t, r.stderr, "NOT COMPLETE: recording stopped: file too large")
		data, err := os.ReadFile(record)
		require.NoError(t, err)
		require.True(t, strings.HasSuffix(string(data), "}\n"), "it ends with a whole line")
		rec, err := recordings.Open(record)
		require.NoError(t, err)
		require.Equal(t, session.RecordingTorn, rec.Stats().Recording)
		require.NoError(t, rec.Close())
	}
}

// nobody is a user without rights.
const nobody = 65534

func TestWhatOneMayNot(t *testing.T) {
	t.Parallel()
	if os.Getuid() != 0 {
		require.Empty(t, os.Getenv("CI"), "only root can run the program as another user")
		t.Skip("only root can run the program as another user")
	}
	secret := filepath.Join(t.TempDir(), "secret")
	require.NoError(t, os.Mkdir(secret, 0o700))
	for _, c := range []struct {
		args  []string
		state string
		code  int
		says  []string
	}{
		{[]string{"list", "--no-record", "tools", "-C", secret, "--", binary, demoServer}, "/", 3, []string{"permission denied", "--cwd"}},
		{against("", "list", "tools"), secret, 2, []string{"permission denied", "try: --record"}},
		{against("", "list", "--no-record", "tools"), secret, 0, nil},
		{[]string{"list", "--no-record", "tools", "--", secret + "/program"}, "/", 3, []string{"permission denied"}},
	} {
		cmd := program(t, c.args...)
		cmd.Dir = "/"
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
		cmd.Env = append(cmd.Env, "XDG_STATE_HOME="+c.state)
		r := finish(t, cmd)
		require.Equal(t, c.code, r.code, r.stderr)
		for _, text := range c.says {
			require.Contains(t, r.stderr, text)
		}
	}
}
