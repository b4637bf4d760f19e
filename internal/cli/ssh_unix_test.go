//go:build unix

package cli

import (
	"bytes"
	"encoding/json"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/cli/clitest"
	"mcpdbg/internal/cli/flags"
	"mcpdbg/session"
	"mcpdbg/session/exectest"
	"mcpdbg/sshexec/sshtest"
)

func echo(flags ...string) []string {
	return clitest.Against("", append([]string{"call", "--era", "legacy"}, append(flags, "--tool", "echo", "message=hi")...)...)
}

const echoed = `{"content":[{"type":"text","text":"hi"}]}`

func TestCommandsOverSSH(t *testing.T) {
	t.Parallel()
	s := sshtest.OpenSSH(t, sshtest.Options{})

	r := clitest.OverSSH(t, s, clitest.Against("", "list", "tools")...)
	require.Equal(t, 0, r.Code, r.Stderr)
	require.Contains(t, r.Stdout, "15 tools")
	require.Empty(t, r.Stderr, "no notes for a good connection")

	record := filepath.Join(t.TempDir(), "r.jsonl")
	r = clitest.OverSSH(t, s, echo("--record", record, "-C", "/usr")...)
	require.Equal(t, 0, r.Code, r.Stderr)
	require.JSONEq(t, echoed, r.Stdout)
	clitest.RequireWhole(t, record)

	in := clitest.WriteFile(t, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	r = clitest.OverSSH(t, s, clitest.Against("", "run", "--era", "legacy", "--json", "--in", in)...)
	require.Equal(t, 0, r.Code, r.Stderr)
	header, entries := clitest.PrintedEntries(t, r.Stdout)
	require.Equal(t, "ssh", header.Placement)
	require.Equal(t, s.Alias, header.Host)
	require.Equal(t, []string{"resolve", "connect", "host-key", "login", "start", "initialize", "close-stdin"}, clitest.Phases(entries))
	data := []byte(r.Stdout)
	link := entryOf[session.LinkBody](t, data, "link")
	require.Equal(t, "up", link.State)
	require.Len(t, link.Hops, 1)
	require.Equal(t, "native", link.Transport)
	require.NotEmpty(t, link.Kex)
	require.NotEmpty(t, link.Cipher)
	start := entryOf[session.StartBody](t, data, "start")
	require.Equal(t, "ssh", start.Placement)
	require.Equal(t, s.Alias, start.Host)
	require.NotZero(t, start.PID)
}

// TestServerOfBothErasIsStartedAgainOverSSH does the same on a host.
func TestServerOfBothErasIsStartedAgainOverSSH(t *testing.T) {
	t.Parallel()
	s := sshtest.OpenSSH(t, sshtest.Options{})
	requireStartedAgain(t, func(args ...string) *exec.Cmd { return clitest.CommandOverSSH(t, s, args...) })
}

// entryOf decodes the first entry of a kind.
func entryOf[B any](t *testing.T, recording []byte, kind string) (body B) {
	t.Helper()
	for line := range bytes.Lines(recording) {
		if bytes.Contains(line, []byte(`"k":"`+kind+`"`)) {
			require.NoError(t, json.Unmarshal(line, &body))
			return body
		}
	}
	require.Fail(t, "no "+kind+" entry", "%s", recording)
	return body
}

// A real server, found on the PATH of a login shell.
func TestServerEverythingOverSSH(t *testing.T) {
	t.Parallel()
	server := filepath.Base(clitest.Reference(t))
	s := sshtest.OpenSSH(t, sshtest.Options{})
	flags := []string{"--startup-timeout", "4m", "-e", "PATH=" + filepath.Dir(clitest.Reference(t)) + ":" + os.Getenv("PATH"), "--path-from", "explicit"}
	r := clitest.OverSSH(t, s, slices.Concat([]string{"call"}, flags, []string{"--tool", "echo", "message=hello there", "--", server, "stdio"})...)
	require.Equal(t, 0, r.Code, r.Stderr)
	require.Contains(t, r.Stdout, "hello there")
}

// A host that cannot be reached, verified or logged in to is exit code 5, and the
// server is not started locally instead.
func TestUnreachableHosts(t *testing.T) {
	t.Parallel()
	fresh := func(t *testing.T) *sshtest.Server { return sshtest.OpenSSH(t, sshtest.Options{}) }
	for name, c := range map[string]struct {
		server func(t *testing.T) *sshtest.Server
		flags  []string
		says   []string
	}{
		"refused": {func(t *testing.T) *sshtest.Server {
			s := fresh(t)
			s.Stop()
			return s
		}, nil, []string{"start on target (", "connection refused", "at: connect, after", ": net.refused\n", "try: nothing listens on this port"}},
		"silent": {func(t *testing.T) *sshtest.Server {
			return sshtest.Fake(t, sshtest.FakeOptions{Handler: sshtest.Silence})
		}, []string{"--ssh-connect-timeout", "300ms"}, []string{": net.timeout\n"}},
		"no ssh": {func(t *testing.T) *sshtest.Server {
			return sshtest.Fake(t, sshtest.FakeOptions{Handler: func(c net.Conn) {
				_, _ = c.Write([]byte("HTTP/1.1 400 \x1b[31mBad Request\r\n\r\n"))
				_ = c.Close()
			}})
		}, nil, []string{": net.notssh\n", `the host said: HTTP/1.1 400 \u001b[31mBad Request`}},
		"too slow for the startup": {func(t *testing.T) *sshtest.Server {
			return sshtest.Fake(t, sshtest.FakeOptions{Handler: sshtest.Silence})
		}, []string{"--startup-timeout", "2s"}, []string{"timed out reaching ", ": start.cancelled\n"}},
		"unknown key": {func(t *testing.T) *sshtest.Server {
			s := fresh(t)
			require.NoError(t, os.WriteFile(s.KnownHosts, nil, 0o600))
			return s
		}, nil, []string{": hostkey.unknown\n", "SHA256:", "; cannot prompt\n"}},
		"changed key": {func(t *testing.T) *sshtest.Server {
			return sshtest.Fake(t, sshtest.FakeOptions{WrongHostKey: true, Options: sshtest.Options{HostKeys: []string{"ed25519"}}})
		}, []string{"--accept-new"}, []string{": hostkey.changed\n", "known_hosts"}},
		"denied": {func(t *testing.T) *sshtest.Server {
			s := fresh(t)
			require.NoError(t, os.WriteFile(s.AuthorizedKeys, nil, 0o644))
			return s
		}, nil, []string{"at: login", ": auth.denied\n", "publickey", "locked, expired or without a valid shell"}},
		"a ProxyCommand that hangs": {func(t *testing.T) *sshtest.Server {
			return sshtest.Fake(t, sshtest.FakeOptions{Options: sshtest.Options{SSH: []string{"ProxyCommand sh -c 'echo dialling >&2; exec sleep 1000'"}}})
		}, []string{"--ssh-connect-timeout", "3s"}, []string{"start on target (", " did not connect within 3 s\n", ": net.proxy\n", "the proxy command said: dialling\n"}},
		"broken configuration": {fresh, []string{"-F", clitest.WriteFile(t, "NoSuchOption yes\n")}, []string{": resolve.config\n", "Bad configuration option"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			trace := filepath.Join(t.TempDir(), "trace")
			s := c.server(t)
			for _, how := range [][]string{{"call", "tools/list"}, {"list", "tools"}, {"run"}, {"run", "--raw"}} {
				r := clitest.OverSSH(t, s, slices.Concat(how[:1], c.flags, how[1:], []string{"--", "touch", trace})...)
				require.Equal(t, 5, r.Code, "%q: %s", how, r.Stderr)
				for _, text := range c.says {
					require.Contains(t, r.Stderr, text, "%q", how)
				}
				require.NotContains(t, r.Stderr, "\x1b")
				if name != "broken configuration" { // which the local ssh refuses
					require.NotContains(t, r.Stderr, "local ssh: ", "it did not connect")
				}
				if how[0] != "run" {
					require.Empty(t, r.Stdout)
				}
				require.NoFileExists(t, trace, "the server never starts locally instead")
				if name == "silent" || name == "too slow for the startup" {
					break
				}
			}
		})
	}
}

// Errors of the server have the same exit codes as on this machine.
func TestExitCodesOverSSH(t *testing.T) {
	t.Parallel()
	s := sshtest.OpenSSH(t, sshtest.Options{})
	for _, c := range []struct {
		code int
		args []string
		says string
	}{
		{0, clitest.Against("", "call", "--era", "legacy", "--tool", "echo", "message=hi"), ""},
		{0, clitest.Against("exit-7", "run", "--raw"), ""},
		{1, clitest.Against("", "call", "no/such"), "error -32601"},
		{3, []string{"list", "tools", "--", "no-such-program"}, "no-such-program"},
		{3, []string{"list", "tools", "--", "sh", "-c", "exec no-such-program"}, "exit code 127 usually means that a command inside"},
		{3, []string{"list", "tools", "--", "sh", "-c", "exec no-such-program"}, "try --path-from login, or --path-from interactive"},
		{3, []string{"list", "-C", "/no/such/folder", "tools", "--", "cat"}, "/no/such/folder"},
		{3, clitest.Against("dies-at-start", "list", "tools"), "SSH passes only named variables: add -e DEMO_API_KEY=VALUE"},
		{3, clitest.Against("crash-mid-call:kill", "call", "--tool", "echo", "message=hi"), "signal KILL"},
		{4, clitest.Against("never-answers", "list", "--startup-timeout", "10s", "tools"), "timed out handshaking"},
		{4, clitest.Against("not-reading-stdin", "call", "--timeout", "300ms", "--tool", "echo", "message=hi"), "timed out"},
	} {
		r := clitest.OverSSH(t, s, c.args...)
		require.Equal(t, c.code, r.Code, "%q: %s", c.args, r.Stderr)
		require.Contains(t, r.Stderr, c.says)
	}
}

// Values of variables are neither in the arguments of a process nor in the
// recording.
func TestSecretsOverSSH(t *testing.T) {
	t.Parallel()
	clitest.Need(t, "sh")
	const secret = "s3cret-f00d"
	s := sshtest.OpenSSH(t, sshtest.Options{})
	record := filepath.Join(t.TempDir(), "r.jsonl")
	cmd := clitest.CommandOverSSH(t, s, "run", "--raw", "--record", record, "--env-from", "TOKEN", "--", "sh", "-c", `test "$TOKEN" = s3cret-"f00d" && echo it is there; exec cat`)
	cmd.Env = append(cmd.Env, "TOKEN="+secret)
	stdin, err := cmd.StdinPipe() // stays open: run does not read it
	require.NoError(t, err)
	defer stdin.Close()
	w := clitest.Watch(t, cmd)
	w.Until("it is there")
	files, err := filepath.Glob("/proc/[0-9]*/cmdline")
	require.NoError(t, err)
	for _, file := range files {
		line, _ := os.ReadFile(file) // may have ended
		require.NotContains(t, string(line), secret)
	}
	require.NoError(t, w.Cmd.Process.Signal(os.Interrupt))
	require.Equal(t, 130, w.End().Code)
	data, err := os.ReadFile(record)
	require.NoError(t, err)
	require.NotContains(t, string(data), secret)
	require.Contains(t, string(data), `"named":[`)
	for _, file := range []string{s.KeyFile, s.Config, s.KnownHosts} {
		require.NotContains(t, string(data), file, "no key files")
	}
}

// Output of startup files is not taken for messages of the server, and is
// reported.
func TestLoginNoise(t *testing.T) {
	t.Parallel()
	exectest.NeedRoot(t)
	user := sshtest.User(t, clitest.Need(t, "bash"))
	require.NoError(t, os.WriteFile(filepath.Join(user.Home, ".bashrc"), []byte("echo Welcome, $USER\n"), 0o644))
	s := sshtest.OpenSSH(t, sshtest.Options{User: user.Name})
	r := clitest.OverSSH(t, s, echo()...)
	require.Equal(t, 0, r.Code, r.Stderr)
	require.JSONEq(t, echoed, r.Stdout)
	require.Contains(t, r.Stderr, "mcpdbg: note: startup files on the host wrote")
	require.Contains(t, r.Stderr, "the host said: Welcome, "+user.Name)

	r = clitest.OverSSH(t, s, clitest.Against("", "run", "--for", "1ms", "--json")...)
	require.Equal(t, 0, r.Code, r.Stderr)
	note := entryOf[session.NoteBody](t, []byte(r.Stdout), "note")
	require.Equal(t, "run.noise", note.Code)
	require.Contains(t, note.Said, "Welcome")
}

func TestSSHHelpAndCompletion(t *testing.T) {
	t.Parallel()
	for _, command := range []string{"", "run", "call", "list"} {
		r := clitest.InProcess(t, strings.Fields(command+" --help")...)
		require.Equal(t, 0, r.Code)
		for _, flag := range append([]string{"ssh [user@]host[:port]"}, flags.SSHOnly...) {
			require.Contains(t, r.Stdout, "--"+flag, command)
		}
		require.Contains(t, r.Stdout, "-F, --ssh-config file")
	}
	require.NotContains(t, clitest.InProcess(t, "demo", "--help").Stdout, "--ssh")
	for flag, words := range flags.SSHWords {
		r := clitest.InProcess(t, "__complete", "run", "--"+flag, "")
		require.Equal(t, strings.Join(words, "\n")+"\n:4\n", r.Stdout)
	}
}
