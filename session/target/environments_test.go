package target

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestCodexEnvironments checks that servers in Codex's environments get their exec servers, and
// that one whose environment cannot be used is refused.
func TestCodexEnvironments(t *testing.T) {
	home := t.TempDir()
	file := filepath.Join(home, "environments.toml")
	require.NoError(t, os.WriteFile(file, []byte(`
default = "web"
[[environments]]
id = "web"
url = " wss://build-7/exec "
[[environments]]
id = "far"
program = "ssh"
args = ["dev", "codex exec-server --listen stdio"]
[[environments]]
id = "both"
url = "ws://x"
program = "y"
[[environments]]
id = "with-env"
program = "y"
env = {A = "hunter2"}
`), 0o600))
	vars := map[string]string{"CODEX_HOME": home}
	opts := Options{Home: home, Environments: map[string]string{"host": "build-9"}, LookupEnv: func(name string) (string, bool) {
		value, ok := vars[name]
		return value, ok
	}}
	read := func(id string) Entry {
		f, err := Parse(filepath.Join(home, "config.toml"), []byte("[mcp_servers.s]\ncommand = \"x\"\nenvironment_id = \""+id+"\"\n"), opts)
		require.NoError(t, err)
		return f.Entries[0]
	}
	for id, want := range map[string]string{
		"web": "wss://build-7/exec", "far": "ssh dev 'codex exec-server --listen stdio'", "local": "", "host": "",
	} {
		e := read(id)
		require.True(t, e.Startable(), id)
		require.Equal(t, want, e.ExecServer, id)
		start, err := e.Resolve(nil)
		require.NoError(t, err)
		require.Equal(t, want, start.ExecServer)
		if want != "" {
			require.Empty(t, start.Dir, "a folder there")
		}
	}
	require.Equal(t, "build-9", read("host").SSH)
	for id, want := range map[string]string{"both": "either a url or a program", "with-env": "env of its program", "none": "unknown environment"} {
		why, _ := func() (string, string) { e := read(id); return e.Why() }()
		require.Contains(t, why, want)
		require.NotContains(t, why, "hunter2")
	}

	require.NoError(t, os.Remove(file))
	why, _ := func() (string, string) { e := read("remote"); return e.Why() }()
	require.Contains(t, why, "unknown environment")
	vars[legacyURL] = "ws://127.0.0.1:1"
	require.Equal(t, "ws://127.0.0.1:1", read("remote").ExecServer)
	require.NoError(t, os.WriteFile(file, []byte("["), 0o600))
	why, _ = func() (string, string) { e := read("web"); return e.Why() }()
	require.Contains(t, why, "can't be read")
}
