//go:build unix

package cli

import (
	"os/exec"
	"syscall"
	"testing"
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
	flags := []string{binary, "call", "--no-record", "--era", "legacy", "--capabilities", `{"elicitation":{"url":{}}}`}
	s := inTerminal(t, 80, 24, append(flags, against("", "--tool", "ask", "mode=required")...)...)
	s.until("https://example.com/required?request=1", "press Enter to retry", "retrying: the server reports completion", "thank you for the visit")

	script := append(flags, "tools/call", "--", need(t, "sh"), "-c", requiringServer)
	s = inTerminal(t, 80, 24, script...)
	s.until("https://a.example", "press Enter to retry")
	s.keys("q", "Enter")
	s.until("error -32042: visit first")

	s = inTerminal(t, 80, 24, script...)
	s.until("press Enter to retry")
	s.keys("Enter")
	s.until("2 rounds", `"content": []`)
}
