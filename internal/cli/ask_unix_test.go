//go:build unix

package cli

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/cli/clitest"
	"mcpdbg/session/exectest"
	"mcpdbg/sshexec/sshtest"
)

// An asked program runs in a terminal with its standard streams redirected, so
// that only prompts are on the screen.
type asked struct {
	*clitest.Screen
	t              *testing.T
	stdout, stderr string // files
}

// asking runs a call of the demo server on a host.
func asking(t *testing.T, s *sshtest.Server, flags string) *asked {
	t.Helper()
	dir := t.TempDir()
	a := &asked{t: t, stdout: filepath.Join(dir, "out"), stderr: filepath.Join(dir, "err")}
	script := fmt.Sprintf("%s call --no-record --era legacy --ssh %s -F %s %s --tool echo message=hi -- %s demo-server </dev/null >%s 2>%s; echo code $?.",
		clitest.Binary(), s.Alias, s.Config, flags, clitest.Binary(), a.stdout, a.stderr)
	a.Screen = clitest.InTerminal(t, 120, 40, clitest.Need(t, "sh"), "-c", script)
	return a
}

// over waits for the end and checks the exit code.
func (a *asked) over(code int) (stdout, stderr string) {
	a.t.Helper()
	a.Until("code ")
	out, err := os.ReadFile(a.stdout)
	require.NoError(a.t, err)
	errs, err := os.ReadFile(a.stderr)
	require.NoError(a.t, err)
	require.Contains(a.t, a.Until("code "), fmt.Sprintf("code %d.", code), "%s", errs)
	return string(out), string(errs)
}

// forget empties known_hosts, and returns its former contents.
func forget(t *testing.T, s *sshtest.Server) string {
	t.Helper()
	known, err := os.ReadFile(s.KnownHosts)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(s.KnownHosts, nil, 0o600))
	return string(known)
}

func TestHostKeyPrompt(t *testing.T) {
	t.Parallel()
	s := sshtest.OpenSSH(t, sshtest.Options{HostKeys: []string{"ed25519"}})
	known := forget(t, s)

	a := asking(t, s, "")
	a.Until("is new", "SHA256:", "yes, no, or the fingerprint:")
	a.Keys("n", "o", "Enter")
	out, errs := a.over(5)
	require.Empty(t, out)
	require.Contains(t, errs, "the key was not accepted")

	a = asking(t, s, "")
	a.Until("yes, no, or the fingerprint:")
	a.Keys("y", "e", "s", "Enter")
	out, _ = a.over(0)
	require.JSONEq(t, echoed, out)
	require.Equal(t, strings.TrimSpace(known), strings.TrimSpace(forget(t, s)), "known_hosts is as ssh would write it")

	a = asking(t, s, "")
	shown := a.Until("SHA256:", "yes, no, or the fingerprint:")
	_, rest, _ := strings.Cut(shown, "SHA256:")
	a.Keys("-l", "SHA256:"+strings.Fields(rest)[0])
	a.Keys("Enter")
	a.over(0)

	forget(t, s)
	r := clitest.OverSSH(t, s, echo("--accept-new")...)
	require.Equal(t, 0, r.Code, r.Stderr)
	require.Contains(t, forget(t, s), "ssh-ed25519 ")
}

// Without a terminal, accept-new of ssh_config records a new key as --accept-new
// does. The flag wins over the file in both directions.
func TestAcceptNewFromSSHConfigWithoutTerminal(t *testing.T) {
	t.Parallel()
	s := sshtest.OpenSSH(t, sshtest.Options{HostKeys: []string{"ed25519"}, SSH: []string{"StrictHostKeyChecking accept-new"}})
	known := forget(t, s)
	r := clitest.OverSSH(t, s, echo("--accept-new=false")...)
	require.Equal(t, 5, r.Code, r.Stderr)
	require.Contains(t, r.Stderr, "hostkey.unknown")
	require.Empty(t, forget(t, s))

	r = clitest.OverSSH(t, s, echo()...)
	require.Equal(t, 0, r.Code, r.Stderr)
	require.Equal(t, strings.TrimSpace(known), strings.TrimSpace(forget(t, s)))
}

func TestPassphrasePrompt(t *testing.T) {
	t.Parallel()
	s := sshtest.OpenSSH(t, sshtest.Options{})
	out, err := exec.CommandContext(t.Context(), exectest.Need(t, "ssh-keygen"), "-q", "-p", "-P", "", "-N", "open sesame", "-f", s.KeyFile).CombinedOutput()
	require.NoError(t, err, "%s", out)
	a := asking(t, s, "")
	a.Until(filepath.Base(s.KeyFile), ": ")
	a.Keys("-l", "open sesame")
	a.Keys("Enter")
	stdout, _ := a.over(0)
	require.JSONEq(t, echoed, stdout)
	require.NotContains(t, a.Tmux("capture-pane", "-p", "-S", "-"), "sesame")
}

// Text from the server is marked as such and sanitized.
func TestServerChallengePrompt(t *testing.T) {
	t.Parallel()
	s := sshtest.Fake(t, sshtest.FakeOptions{
		Methods: []string{"keyboard-interactive", "password"}, Password: "pass word",
		Rounds: []sshtest.Round{{
			Name: "Two\x1b[2J factors", Instruction: "mcpdbg: not ours",
			Questions: []sshtest.Question{{Text: "Code: ", Echo: true, Answer: "123"}, {Text: "PIN: ", Answer: "987654"}},
		}},
	})
	a := asking(t, s, "")
	a.Until("the server says: ", `Two\u001b[2J factors`, "the server says: mcpdbg: not ours", "the server asks: Code:")
	a.Keys("1", "2", "3", "Enter")
	a.Until("the server asks: PIN:")
	a.Keys("-l", "987654")
	a.Keys("Enter")
	a.Until("Password for ")
	a.Keys("-l", "pass word")
	a.Keys("Enter")
	stdout, _ := a.over(0)
	require.JSONEq(t, echoed, stdout)
	shown := a.Tmux("capture-pane", "-p", "-S", "-")
	require.Contains(t, shown, "Code: 123")
	require.NotContains(t, shown, "987654")
	require.NotContains(t, shown, "pass word")
}

func TestPromptIsCancelled(t *testing.T) {
	t.Parallel()
	s := sshtest.OpenSSH(t, sshtest.Options{})
	forget(t, s)
	a := asking(t, s, "")
	a.Until("fingerprint:")
	a.Keys("C-c")
	stdout, _ := a.over(130)
	require.Empty(t, stdout)
	require.Empty(t, forget(t, s))
}

// The interface over SSH: the start with its steps, a lost connection, and a
// restart over a new one.
func TestScreenOverSSH(t *testing.T) {
	t.Parallel()
	server := sshtest.OpenSSH(t, sshtest.Options{})
	proxy := sshtest.NewProxy(t, server.Addr)
	s := server.Through(t, proxy)
	forget(t, s)
	screen := clitest.OnScreen(t, 120, 36, clitest.Against("", "--ssh", s.Alias, "-F", s.Config, "--era", "legacy")...)
	screen.Until("is new", "SHA256:")
	require.Eventually(t, func() bool { // until then it cannot have been read
		return !strings.Contains(screen.Tmux("capture-pane", "-p"), "ignores keys until you stop typing")
	}, clitest.WaitLimit, 20*time.Millisecond)
	screen.Keys("y", "e", "s", "Enter")
	screen.Until("LIVE  ready  mcpdbg", "ssh "+s.Alias, "ready", "handshake")
	screen.Keys("5", "z")
	screen.Until("resolve", "connect", "host-key", "login", "start", "link")
	screen.Keys("z")
	proxy.Cut()
	screen.Until("lost", "failed")
	screen.Keys("C-r")
	screen.Until("connection lost", "restarted at", "ready in")
	screen.Quit()
}
