//go:build unix

package run_test

import (
	"os/exec"
	"syscall"
	"testing"

	"mcpdbg/internal/cli/clitest"
)

// withoutTerminal starts a program in a session of its own, which has no terminal.
func withoutTerminal(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }

// requiringServer is a server whose calls require a visit that it never reports as
// done: the second call has a result.
const requiringServer = `read x
echo '{"jsonrpc":"2.0","id":"mcpdbg-1","result":{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"x","version":"1"}}}'
read x
read x
echo '{"jsonrpc":"2.0","id":"mcpdbg-2","error":{"code":-32042,"message":"visit first","data":{"elicitations":[{"mode":"url","elicitationId":"e","url":"https://a.example"}]}}}'
read x
echo '{"jsonrpc":"2.0","id":"mcpdbg-3","result":{"content":[]}}'
cat >/dev/null`

// In a terminal a call asks for the visit, and retries when a key is pressed or
// when the server reports that it was done.
func TestCallAsksForURLs(t *testing.T) {
	t.Parallel()
	flags := []string{clitest.Binary(), "call", "--no-record", "--era", "legacy", "--capabilities", `{"elicitation":{"url":{}}}`}
	s := clitest.InTerminal(t, 80, 24, append(flags, clitest.Against("", "--tool", "ask", "mode=required")...)...)
	s.Until("https://example.com/required?request=1", "press Enter to retry", "retrying: the server reports completion", "thank you for the visit")

	script := append(flags, "tools/call", "--", clitest.Need(t, "sh"), "-c", requiringServer)
	s = clitest.InTerminal(t, 80, 24, script...)
	s.Until("https://a.example", "press Enter to retry")
	s.Keys("q", "Enter")
	s.Until("error -32042: visit first")

	s = clitest.InTerminal(t, 80, 24, script...)
	s.Until("press Enter to retry")
	s.Keys("Enter")
	s.Until("2 rounds", `"content": []`)
}
