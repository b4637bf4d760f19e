package target

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestExpansion is the table of what each client expands. The environment has
// NOTES_DIR=/data and NOTES_KEY=hunter2; TRICK holds a token itself.
func TestExpansion(t *testing.T) {
	const left = "is left as it is"
	opts := testOptions(t)
	known := opts.LookupEnv
	opts.LookupEnv = func(name string) (string, bool) {
		if name == "TRICK" {
			return "${NOTES_KEY}$NOTES_KEY${env:NOTES_KEY}{dir}", true
		}
		if name == "EMPTY" {
			return "", true
		}
		return known(name)
	}
	files := map[Client]string{
		ClaudeDesktop: "/p/claude_desktop_config.json", ClaudeCode: "/p/.mcp.json", VSCode: "/p/.vscode/mcp.json",
		Cursor: "/p/.cursor/mcp.json", Windsurf: "/p/mcp_config.json", Gemini: "/p/.gemini/settings.json", Zed: "/p/settings.json",
	}
	for _, c := range []struct {
		client         Client
		raw, want, why string
	}{
		{ClaudeDesktop, "${NOTES_DIR}", "${NOTES_DIR}", left},
		{ClaudeDesktop, "$NOTES_DIR", "$NOTES_DIR", left},
		{ClaudeDesktop, "100$ {x} $1 $", "100$ {x} $1 $", ""},
		{Zed, "${NOTES_DIR}", "${NOTES_DIR}", left},

		{ClaudeCode, "a${NOTES_DIR}b${NOTES_KEY}", "a/datab" + "hunter2", ""},
		{ClaudeCode, "${UNSET:-./data}", "./data", ""},
		{ClaudeCode, "${UNSET:-}", "", ""},
		{ClaudeCode, "${UNSET:-a:-b}", "a:-b", ""},
		{ClaudeCode, "${EMPTY:-x}", "", ""},
		{ClaudeCode, "${NOTES_DIR:-x}", "/data", ""},
		{ClaudeCode, "${UNSET}", "${UNSET}", left},
		{ClaudeCode, "$NOTES_DIR", "$NOTES_DIR", left},
		{ClaudeCode, "${env:NOTES_DIR}", "${env:NOTES_DIR}", left},
		{ClaudeCode, "${TRICK}", "${NOTES_KEY}$NOTES_KEY${env:NOTES_KEY}{dir}", ""},
		{ClaudeCode, "${UNSET:-${NOTES_DIR}}", "${NOTES_DIR}", ""}, // the first brace ends it
		{ClaudeCode, "${NOTES_DIR", "${NOTES_DIR", ""},
		{ClaudeCode, "${}", "${}", ""},

		{VSCode, "${workspaceFolder}/x", "/p/x", ""},
		{VSCode, "${workspaceFolderBasename}", "p", ""},
		{VSCode, "${userHome}", opts.Home, ""},
		{VSCode, "${env:NOTES_DIR}", "/data", ""},
		{VSCode, "${env:UNSET}", "", "is empty: the variable UNSET is not set"},
		{VSCode, "${env:TRICK}", "${NOTES_KEY}$NOTES_KEY${env:NOTES_KEY}{dir}", ""},
		{VSCode, "${NOTES_DIR}", "${NOTES_DIR}", left},
		{VSCode, "$NOTES_DIR", "$NOTES_DIR", ""},
		{VSCode, "${input:nobody}", "${input:nobody}", "the file has no input nobody"},
		{VSCode, "${command:x}", "${command:x}", left},

		{Cursor, "${env:NOTES_DIR}", "/data", ""},
		{Cursor, "${env:UNSET}", "${env:UNSET}", left},
		{Cursor, "${userHome}${pathSeparator}${workspaceFolderBasename}", opts.Home + "/p", ""},
		{Cursor, "${workspaceFolder}${/}", "/p/", ""},
		{Cursor, "${input:x}", "${input:x}", left},

		{Windsurf, "${env:NOTES_DIR}", "/data", ""},
		{Windsurf, "${env:UNSET}", "${env:UNSET}", left},
		{Windsurf, "${workspaceFolder}", "${workspaceFolder}", left},

		{Gemini, "$NOTES_DIR/x", "/data/x", ""},
		{Gemini, "${NOTES_DIR}", "/data", ""},
		{Gemini, "$NOTES_DIR_", "$NOTES_DIR_", left},
		{Gemini, "${UNSET:-x}", "${UNSET:-x}", left},
		{Gemini, "$1 and $", "$1 and $", ""},
		{Gemini, "$TRICK", "${NOTES_KEY}$NOTES_KEY${env:NOTES_KEY}{dir}", ""},
	} {
		name := fmt.Sprintf("%s: %s", c.client, c.raw)
		key := map[Client]string{VSCode: "servers", Zed: "context_servers"}[c.client]
		if key == "" {
			key = "mcpServers"
		}
		raw, err := json.Marshal(c.raw)
		require.NoError(t, err)
		doc := fmt.Sprintf(`{%q: {"s": {"command": "x", "args": [%s], "env": {"E": %s}}}}`, key, raw, raw)
		file, err := Parse(files[c.client], []byte(doc), opts)
		require.NoError(t, err, name)
		require.Equal(t, c.client, file.Client, name)
		e := file.Entries[0]
		s, err := e.Resolve(none)
		require.NoError(t, err, name)
		require.Equal(t, c.want, s.Args()[1], name)
		require.Equal(t, c.want, s.Environ()[0].Value, name)
		if c.why == "" {
			require.Empty(t, e.Problems, name)
			continue
		}
		require.Contains(t, e.Problems[0].Text, c.why, name)
		require.NotEmpty(t, e.Problems[0].Try, name)
	}
}

// TestNoSecretPrints: nothing that fmt or encoding/json makes of a file, an
// entry, a start or a problem shows a secret, nor do errors.
func TestNoSecretPrints(t *testing.T) {
	const secret = "s3cret"
	opts := testOptions(t)
	opts.LookupEnv = func(name string) (string, bool) { return secret + "-" + name, name != "UNSET" }
	type holder struct {
		unexported Text
		entry      Entry
		start      Start
	}
	shown := func(values ...any) string {
		var b strings.Builder
		for _, v := range values {
			data, _ := json.Marshal(v)
			fmt.Fprintf(&b, "%v %+v %#v %s %q %d %x %s\n", v, v, v, v, v, v, v, data)
		}
		return b.String()
	}
	for path, doc := range map[string]string{
		"/p/.mcp.json": `{"mcpServers":{"s":{"command":"x","args":["--key","${API}"],"env":{"A":"s3cret","B":"pa$s3cret","C":"${s3cret:x!}","D":"x${UNSET}s3cret"}}}}`,
		"/p/mcp.json": `{"inputs":[{"type":"promptString","id":"key","password":true,"default":"s3cret"}],
			"servers":{"s":{"command":"x","args":["${input:key}","${env:API}"],"env":{"A":"${input:key}"}}}}`,
		"/p/c.toml":      "[mcp_servers.s]\ncommand = \"x\"\nenv_vars = [\"API\"]\nenv = {A = \"$s3cret\"}",
		"/p/server.json": `{"name":"n","packages":[{"registryType":"npm","identifier":"x","packageArguments":[{"type":"named","name":"--key","value":"s3cret","isSecret":true}],"environmentVariables":[{"name":"K","isSecret":true,"isRequired":true}]}]}`,
	} {
		file, err := Parse(path, []byte(doc), opts)
		require.NoError(t, err)
		e := file.Entries[0]
		s, err := e.Resolve(func(Input) (string, error) { return secret, nil })
		require.NoError(t, err)
		out := shown(file, e, &e, s, &s, holder{e.Argv[0], e, s}, e.Env, e.Inputs, s.Env, s.Problems)
		require.NotContains(t, out, secret, path)
		require.NotContains(t, strings.ToLower(out), fmt.Sprintf("%x", secret), path)
	}

	for _, broken := range []string{
		`{"mcpServers":{"s":{"command":"x","env":{"A":"s3cret` + "\x01" + `"}}}}`,
		`{"mcpServers":{"s":{"command":"x","env":{"A":s3cret}}}}`,
		`{"mcpServers":{"s":{"command":"x","env":{"A":"s3cret"`,
		"[mcp_servers.s]\nenv = {A = \"s3cret\"",
		"[mcp_servers.s]\nenv = {A = s3cret}",
	} {
		_, err := Parse("/p/x", []byte(broken), opts)
		require.Error(t, err, broken)
		require.NotContains(t, shown(err), secret)
	}
	for _, refused := range []string{`{"A":["s3cret"]}`, `"s3cret"`} {
		file, err := Parse("/p/x", []byte(`{"mcpServers":{"s":{"command":"x","env":`+refused+`}}}`), opts)
		require.NoError(t, err)
		_, err = file.Entries[0].Resolve(none)
		require.ErrorIs(t, err, ErrNotStartable)
		require.NotContains(t, shown(err, file), secret)
	}
}

// TestExpansionIsBounded: a large variable that is named often is refused before
// it fills the memory.
func TestExpansionIsBounded(t *testing.T) {
	opts := testOptions(t)
	large := strings.Repeat("x", 1<<20)
	opts.LookupEnv = func(string) (string, bool) { return large, true }
	doc := `{"mcpServers":{"small":{"command":"x"},"s":{"command":"x","args":["` + strings.Repeat("${A}", 1000) + `"]}}}`
	file, err := Parse("/p/.mcp.json", []byte(doc), opts)
	require.NoError(t, err)
	require.True(t, file.Entries[0].Startable())
	why, _ := file.Entries[1].Why()
	require.Contains(t, why, "expand to more than 32 MiB")
}
