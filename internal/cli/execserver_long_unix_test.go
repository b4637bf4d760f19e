//go:build long && unix

package cli

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/cli/clitest"
	"mcpdbg/internal/wording"
	"mcpdbg/sshexec/sshtest"
)

// TestExecServerOfCodex starts a server through a real Codex, here and on a host.
func TestExecServerOfCodex(t *testing.T) {
	t.Parallel()
	program := ""
	found, _ := filepath.Glob(filepath.Join(os.Getenv("MCPDBG_CI_TOOLS"), "clients/current/node_modules/@openai/codex-*/vendor/*/bin/codex"))
	if len(found) > 0 { // CI has it from npm
		program = found[0]
	} else {
		program = clitest.Need(t, "codex")
	}
	args := echo("--exec-server", wording.CommandLine([]string{program, "exec-server", "--listen", "stdio"}))
	r := clitest.Run(t, args...)
	require.Equal(t, 0, r.Code, r.Stderr)
	require.JSONEq(t, echoed, r.Stdout)
	r = clitest.OverSSH(t, sshtest.OpenSSH(t, sshtest.Options{}), args...)
	require.Equal(t, 0, r.Code, r.Stderr)
	require.JSONEq(t, echoed, r.Stdout)
}
