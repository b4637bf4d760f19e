package copying

import (
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/session"
)

func TestPrintfWord(t *testing.T) {
	for _, line := range []string{"", "plain", `back\slash and \0101`, "tab\tand\x00nul\xff", "it's %d", "é"} {
		out, err := exec.Command("/bin/sh", "-c", "printf '%b' "+printfWord([]byte(line))).Output()
		require.NoError(t, err)
		require.Equal(t, line, string(out))
	}
}

func TestCallLine(t *testing.T) {
	local := session.Header{Argv: []string{"npx", "-y", "a server"}, Cwd: "/srv/a b"}
	remote := session.Header{Argv: []string{"srv", "${KEY}"}, Host: "build-7"}
	for _, tc := range []struct {
		h              session.Header
		method, params string
		want           string
	}{
		{local, "tools/list", "", `mcpdbg call tools/list -C '/srv/a b' -- npx -y 'a server'`},
		{local, "tools/call", `{"name":"echo"}`, `mcpdbg call --tool echo -C '/srv/a b' -- npx -y 'a server'`},
		{local, "tools/call", `{"name":7}`, `mcpdbg call tools/call --params '{"name":7}' -C '/srv/a b' -- npx -y 'a server'`},
		{remote, "prompts/get", `{"name":"x"}`, `mcpdbg call prompts/get --params '{"name":"x"}' --ssh build-7 -- srv '${KEY}'`},
	} {
		line, err := CallLine(tc.h, tc.method, []byte(tc.params))
		require.NoError(t, err)
		require.Equal(t, tc.want, line)
	}
}
