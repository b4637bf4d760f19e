//go:build unix

package tap_test

import (
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
)

// talkative is a server whose reply is in its source.
const talkative = `echo "reply REPLY" >&2
while read -r line; do
  printf '%s\n' "$line" >>"${0%/*}/got"
  id=${line#*\"id\":}; id=${id%%[,\}]*}
  case $line in
  *'"initialize"'*) echo '{"jsonrpc":"2.0","id":'$id',"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}}';;
  *'"crash"'*) echo 'it broke' >&2; exit 7;;
  *'"sleep"'*) ;;
  *'"id"'*) echo '{"jsonrpc":"2.0","id":'$id',"result":{"said":"REPLY"}}';;
  esac
done
`

// A talk is a client of a live tap whose server is a script in a folder.
type talk struct {
	*clitest.Watched
	t      *testing.T
	in     io.WriteCloser
	home   string
	folder string
	record string
	n      int
}

// shortHome returns a home folder that has room for the path of a socket.
func shortHome(t *testing.T) string {
	t.Helper()
	home, err := os.MkdirTemp("/tmp", "h") //nolint:usetesting // the path must be short
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(home) }) // a leaked process may still write
	return home
}

// converse starts a tap and does the handshake.
func converse(t *testing.T, home string, flags ...string) *talk {
	t.Helper()
	folder := t.TempDir()
	c := &talk{t: t, home: home, folder: folder, record: filepath.Join(t.TempDir(), "r.jsonl")}
	c.edit("one")
	for i := range flags {
		flags[i] = strings.ReplaceAll(flags[i], "FOLDER", folder)
	}
	cmd := clitest.Program(t, append(append([]string{"tap", "--live", "--name", "notes", "--record", c.record}, flags...),
		"--", "sh", filepath.Join(folder, "server.sh"))...)
	cmd.Env = append(cmd.Env, "HOME="+home)
	var err error
	c.in, err = cmd.StdinPipe()
	require.NoError(t, err)
	c.Watched = clitest.Watch(t, cmd)
	require.Contains(t, c.call("initialize"), "listChanged")
	c.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return c
}

// edit replaces the server's file.
func (c *talk) edit(reply string) {
	c.t.Helper()
	c.write(strings.ReplaceAll(talkative, "REPLY", reply))
}

func (c *talk) write(text string) {
	c.t.Helper()
	path := filepath.Join(c.folder, "server.sh")
	require.NoError(c.t, os.WriteFile(path+"~", []byte(text), 0o600))
	require.NoError(c.t, os.Rename(path+"~", path))
}

func (c *talk) send(line string) {
	c.t.Helper()
	_, err := io.WriteString(c.in, line+"\n")
	require.NoError(c.t, err)
}

// begin sends a request and returns its id, and response waits for its response.
func (c *talk) begin(method string) string {
	c.t.Helper()
	c.n++
	c.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":{"protocolVersion":"2025-11-25","capabilities":{}}}`, c.n, method))
	return fmt.Sprintf(`"id":%d,`, c.n)
}

func (c *talk) call(method string) string {
	c.t.Helper()
	return c.Until(c.begin(method))
}

// person runs mcpdbg tap for the user of the client.
func (c *talk) person(args ...string) clitest.Result {
	c.t.Helper()
	cmd := clitest.Program(c.t, append([]string{"tap"}, args...)...)
	cmd.Env = append(cmd.Env, "HOME="+c.home)
	return clitest.Finish(c.t, cmd)
}

// leave ends the session, and checks the recording.
func (c *talk) leave() clitest.Result {
	c.t.Helper()
	require.NoError(c.t, c.in.Close())
	r := c.End()
	clitest.RequireWhole(c.t, c.record)
	return r
}

// TestEditAndCall: a client that edits the server and calls it at once gets the answer of
// the new code.
func TestEditAndCall(t *testing.T) {
	t.Parallel()
	c := converse(t, shortHome(t), "--watch", "FOLDER/*.sh")
	for i := range 5 {
		said := fmt.Sprintf("edit %d", i)
		c.edit(said)
		require.Contains(t, c.call("tools/call"), said)
	}
	require.Zero(t, c.leave().Code)
}

// TestFailedBuild: what waited for a build that failed gets its error; later calls go to
// the old server.
func TestFailedBuild(t *testing.T) {
	t.Parallel()
	c := converse(t, shortHome(t), "--watch", "FOLDER/*.sh", "--watch-run", "! grep broken FOLDER/server.sh")
	c.edit("broken")
	require.Contains(t, c.call("tools/call"), "The build failed: echo \\\"reply broken\\\" >&2. This tools/call was not sent.")
	require.Contains(t, c.call("tools/call"), `"said":"one"`)
	c.edit("two")
	require.Contains(t, c.call("tools/call"), `"said":"two"`)
	require.Zero(t, c.leave().Code)
}

// TestOneBuild: several taps of one entry build once for a change, and all wait for it.
func TestOneBuild(t *testing.T) {
	t.Parallel()
	home, folder := shortHome(t), t.TempDir()
	source, builds := filepath.Join(folder, "main.go"), filepath.Join(folder, "builds")
	require.NoError(t, os.WriteFile(source, nil, 0o600))
	var taps []*talk
	for range 3 {
		taps = append(taps, converse(t, home, "--watch", folder+"/*.go", "--watch-run", "sleep 0.2; echo built >> "+builds))
	}
	require.NoError(t, os.WriteFile(source, []byte("package main"), 0o600))
	for _, c := range taps {
		require.Contains(t, c.call("tools/call"), `"said":"one"`)
		data, err := os.ReadFile(builds)
		require.NoError(t, err)
		require.Equal(t, "built\n", string(data))
	}
	for _, c := range taps {
		require.Zero(t, c.leave().Code)
	}
}

// TestCrash: the client stays connected, and the next change starts the server.
func TestCrash(t *testing.T) {
	t.Parallel()
	c := converse(t, shortHome(t), "--watch", "FOLDER/*.sh")
	require.Contains(t, c.call("crash"), `The server ended (exit code 7) while it handled this crash. Last line on stderr: \"it broke\"`)
	require.Contains(t, c.call("ping"), `"result":{}`)
	c.edit("two")
	require.Contains(t, c.call("tools/call"), `"said":"two"`)
	c.write("echo 'no such luck' >&2; exit 3")
	require.Contains(t, c.call("tools/call"), `did not start (exit code 3): \"no such luck\". It is started again when a watched file changes.`)
	c.edit("three")
	require.Contains(t, c.call("tools/call"), `"said":"three"`)
	c.call("crash")
	require.NoError(t, c.in.Close())
	require.Equal(t, 7, c.End().Code, "the status of the last process")
}

// TestOrders gives orders from other processes to two taps of one name.
func TestOrders(t *testing.T) {
	t.Parallel()
	home := shortHome(t)
	c, d := converse(t, home), converse(t, home)
	named := fmt.Sprintf("notes:%d", c.Cmd.Process.Pid)
	r := c.person("ls")
	require.Zero(t, r.Code)
	require.Regexp(t, fmt.Sprintf(`(?m)^ *notes +%d .* running, pid \d+$`, c.Cmd.Process.Pid), r.Stdout)
	r = c.person("restart", "notes")
	require.Equal(t, 2, r.Code)
	require.Contains(t, r.Stderr, "2 live taps are named")
	require.Contains(t, r.Stderr, named)
	c.edit("two")
	r = c.person("restart", named)
	require.Zero(t, r.Code, r.Stderr)
	require.Contains(t, r.Stdout, "restarted: mcpdbg tap restart")
	require.Contains(t, c.call("tools/call"), `"said":"two"`)
	require.Contains(t, d.call("tools/call"), `"said":"one"`)
	c.write("exit 3")
	r = c.person("restart", "--all")
	require.NotZero(t, r.Code)
	require.Contains(t, r.Stdout, "not started: it ended (exit code 3)")
	require.Contains(t, r.Stdout, "restarted: ")
	r = c.person("stop", fmt.Sprintf("notes:%d", d.Cmd.Process.Pid))
	require.Zero(t, r.Code, r.Stderr)
	require.Zero(t, d.End().Code)
	require.NoError(t, c.in.Close())
	require.Equal(t, 3, c.End().Code)
	require.Contains(t, c.person("ls").Stderr, "no live taps")
	require.Equal(t, 2, c.person("restart", "notes").Code)
}

// TestNames follows live taps by their names, and then finds the newest recording of one.
func TestNames(t *testing.T) {
	t.Parallel()
	home := shortHome(t)
	run := func(args ...string) *exec.Cmd {
		cmd := clitest.Program(t, args...)
		cmd.Env = append(cmd.Env, "HOME="+home)
		return cmd
	}
	c, d := converse(t, home), converse(t, home)
	named := fmt.Sprintf("notes:%d", c.Cmd.Process.Pid)
	r := clitest.Finish(t, run("open", "notes"))
	require.Equal(t, 2, r.Code)
	require.Contains(t, r.Stderr, "2 live taps are named notes:")
	require.Contains(t, r.Stderr, named)
	follows := clitest.Watch(t, run("rec", "cat", named, "--follow", "--json"))
	follows.Until(`"initialize"`)
	c.call("tools/call")
	follows.Until(`"said":"one"`)
	c.leave()
	require.Zero(t, follows.End().Code)
	r = clitest.Finish(t, run("rec", "cat", "notes"))
	require.Zero(t, r.Code, r.Stderr)
	d.leave()
	config := filepath.Join(home, ".config", "mcpdbg")
	require.NoError(t, os.MkdirAll(config, 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(config, "config.toml"), []byte("[taps]\nkeep = 2\n"), 0o600))
	for range 4 {
		cmd := run("tap", "--name", "notes", "--", "true")
		cmd.Env = append(cmd.Env, "XDG_CONFIG_HOME=")
		require.Zero(t, clitest.Finish(t, cmd).Code)
	}
	kept, err := filepath.Glob(filepath.Join(home, ".local", "state", "mcpdbg", "recordings", "*-notes-*.jsonl"))
	require.NoError(t, err)
	require.Len(t, kept, 2)
	r = clitest.Finish(t, run("rec", "cat", "notes", "--json"))
	require.Zero(t, r.Code, r.Stderr)
	require.Contains(t, r.Stdout, `"name":"notes"`)
}

// TestLongHome: the path of a socket is limited.
func TestLongHome(t *testing.T) {
	t.Parallel()
	home := filepath.Join(t.TempDir(), strings.Repeat("long/", 30))
	require.NoError(t, os.MkdirAll(home, 0o700))
	c := converse(t, home, "--name", "long home")
	r := c.person("restart", fmt.Sprintf("long home:%d", c.Cmd.Process.Pid))
	require.Contains(t, r.Stdout, "restarted: ", r.Stderr)
	require.Zero(t, c.leave().Code)
}

// TestControlSocket: only the user can give orders, and the socket of a tap that was killed
// goes away.
func TestControlSocket(t *testing.T) {
	t.Parallel()
	c := converse(t, shortHome(t))
	sockets, err := filepath.Glob(filepath.Join(c.home, ".local/state/mcpdbg/taps/*.sock"))
	require.NoError(t, err)
	require.Len(t, sockets, 1)
	for path, mode := range map[string]os.FileMode{sockets[0]: 0o600, filepath.Dir(sockets[0]): 0o700} {
		info, err := os.Stat(path)
		require.NoError(t, err)
		require.Equal(t, mode, info.Mode().Perm(), path)
	}
	require.NoError(t, c.Cmd.Process.Kill())
	_ = c.Cmd.Wait()
	require.Contains(t, c.person("ls").Stderr, "no live taps")
	require.FileExists(t, sockets[0], "a tap that starts does not listen yet")
	old := time.Now().Add(-time.Minute)
	require.NoError(t, os.Chtimes(sockets[0], old, old))
	require.Contains(t, c.person("ls").Stderr, "no live taps")
	require.NoFileExists(t, sockets[0])
}

// TestLadderInARestart: the signals of Claude Code's shutdown end a tap whose server
// ignores its restart.
func TestLadderInARestart(t *testing.T) {
	t.Parallel()
	c := converse(t, shortHome(t))
	c.write("trap '' INT TERM\nwhile :; do sleep 0.05; done")
	restart := clitest.Program(t, "tap", "restart", "notes")
	restart.Env = append(restart.Env, "HOME="+c.home)
	w := clitest.Watch(t, restart)
	c.begin("sleep")
	require.NoError(t, c.Cmd.Process.Signal(syscall.SIGINT))
	c.End()
	w.End()
	require.Zero(t, clitest.Run(t, "rec", "verify", c.record).Code)
}
