//go:build unix

package cli

import (
	"fmt"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/session"
	"mcpdbg/sshexec/sshtest"
)

// TestConfigOverSSH starts a server on the host of its config file. Only
// variables that the file names are passed on, and --ssh on the command line
// takes precedence.
func TestConfigOverSSH(t *testing.T) {
	t.Parallel()
	s := sshtest.OpenSSH(t, sshtest.Options{})
	on := func(host string, flags ...string) result {
		cmd := program(t, "run", "--json", "--for", "1ms", "-F", s.Config)
		mark := ""
		for _, entry := range cmd.Env {
			if value, ok := strings.CutPrefix(entry, markName+"="); ok {
				mark = value
			}
		}
		file := configFile(t, ".mcp.json", fmt.Sprintf(
			`{"mcpServers":{"far":{"command":"DEMO","args":["demo-server"],"ssh":%q,"env":{"TOKEN":"s3cret",%q:%q}}}}`, host, markName, mark))
		cmd.Args = append(cmd.Args, append(flags, "--config", file)...)
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // without a terminal to prompt on
		return finish(t, cmd)
	}
	r := on(s.Alias)
	require.Equal(t, 0, r.code, r.stderr)
	header, _ := printedEntries(t, r.stdout)
	require.Equal(t, "ssh", header.Placement)
	require.Equal(t, s.Alias, header.Host)
	require.Empty(t, header.Cwd, "a local folder is not used on the host")
	require.Equal(t, filepath.Base(binary), filepath.Base(header.Argv[0]))
	env := entryOf[session.EnvBody](t, []byte(r.stdout), "env")
	require.ElementsMatch(t, []string{"TOKEN", markName}, env.Named)
	require.NotContains(t, r.stdout, "s3cret")

	r = on("nohost.invalid", "--ssh", s.Alias)
	require.Equal(t, 0, r.code, r.stderr)
	header, _ = printedEntries(t, r.stdout)
	require.Equal(t, s.Alias, header.Host)
}
