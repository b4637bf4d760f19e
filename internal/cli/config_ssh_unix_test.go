//go:build unix

package cli

import (
	"fmt"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/cli/clitest"
	"mcpdbg/session"
	"mcpdbg/sshexec/sshtest"
)

// TestConfigOverSSH starts a server on the host of its config file. Only
// variables that the file names are passed on, and --ssh on the command line
// takes precedence.
func TestConfigOverSSH(t *testing.T) {
	t.Parallel()
	s := sshtest.OpenSSH(t, sshtest.Options{})
	on := func(host string, flags ...string) clitest.Result {
		cmd := clitest.Program(t, "run", "--json", "--for", "1ms", "-F", s.Config)
		mark := ""
		for _, entry := range cmd.Env {
			if value, ok := strings.CutPrefix(entry, clitest.MarkName+"="); ok {
				mark = value
			}
		}
		file := clitest.ConfigFile(t, ".mcp.json", fmt.Sprintf(
			`{"mcpServers":{"far":{"command":"DEMO","args":["demo-server"],"ssh":%q,"env":{"TOKEN":"s3cret",%q:%q}}}}`, host, clitest.MarkName, mark))
		cmd.Args = append(cmd.Args, append(flags, "--config", file)...)
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // without a terminal to prompt on
		return clitest.Finish(t, cmd)
	}
	r := on(s.Alias)
	require.Equal(t, 0, r.Code, r.Stderr)
	header, _ := clitest.PrintedEntries(t, r.Stdout)
	require.Equal(t, "ssh", header.Placement)
	require.Equal(t, s.Alias, header.Host)
	require.Empty(t, header.Cwd, "a local folder is not used on the host")
	require.Equal(t, filepath.Base(clitest.Binary()), filepath.Base(header.Argv[0]))
	env := entryOf[session.EnvBody](t, []byte(r.Stdout), "env")
	require.ElementsMatch(t, []string{"TOKEN", clitest.MarkName}, env.Named)
	require.NotContains(t, r.Stdout, "s3cret")

	r = on("nohost.invalid", "--ssh", s.Alias)
	require.Equal(t, 0, r.Code, r.Stderr)
	header, _ = clitest.PrintedEntries(t, r.Stdout)
	require.Equal(t, s.Alias, header.Host)
}
