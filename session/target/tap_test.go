package target

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestTap checks that readers see the server behind a tap, in every kind of file.
func TestTap(t *testing.T) {
	for _, c := range []struct{ path, doc string }{
		{"/p/.mcp.json", `{"mcpServers":{"s":{"command":"/opt/mcpdbg","args":["tap","--name","s","--","node","--","x"],"cwd":"/d"}}}`},
		{"/p/.vscode/mcp.json", `{"servers":{"s":{"command":"C:\\bin\\mcpdbg.exe","args":["tap","--live","--watch","/p/**","--","node","--","x"],"cwd":"/d",}}}`},
		{"/p/.gemini/settings.json", `{"mcpServers":{"s":{"command":"mcpdbg","args":["tap","--","node","--","x"],"cwd":"/d"}}}`},
		{"/p/settings.json", `{"context_servers":{"s":{"command":{"path":"mcpdbg","args":["tap","--name=s","--","node","--","x"]},"cwd":"/d"}}}`},
		{"/p/config.toml", "[mcp_servers.s]\ncommand = 'mcpdbg'\nargs = ['tap', '--name', 's', '--', 'node', '--', 'x']\ncwd = '/d'\n"},
	} {
		file, err := Parse(c.path, []byte(c.doc), testOptions(t))
		require.NoError(t, err, c.doc)
		e := entryNamed(t, file, "s")
		require.NotNil(t, e.Tap, c.doc)
		start, err := e.Resolve(none)
		require.NoError(t, err)
		require.Equal(t, []string{"node", "--", "x"}, start.Args())
		require.Equal(t, "/d", start.Dir)
	}
}

// TestTapElsewhere checks that a tap with flags that choose another place or process is
// started as the file has it.
func TestTapElsewhere(t *testing.T) {
	for _, args := range []string{`"tap","--ssh","build-7","--","x"`, `"tap","-e","A=B","--","x"`, `"tap","--name","s"`, `"tap","--"`, `"run","--","x"`} {
		file, err := Parse("/p/.mcp.json", []byte(`{"mcpServers":{"s":{"command":"mcpdbg","args":[`+args+`]}}}`), testOptions(t))
		require.NoError(t, err)
		require.Nil(t, file.Entries[0].Tap, args)
		require.Equal(t, "mcpdbg", file.Entries[0].Argv[0].String(), args)
	}
}
