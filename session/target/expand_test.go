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
	const left = "is not expanded"
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
		clientClaudeDesktop: "/p/claude_desktop_config.json", clientClaudeCode: "/p/.mcp.json", clientVSCode: "/p/.vscode/mcp.json",
		clientCursor: "/p/.cursor/mcp.json", clientWindsurf: "/p/mcp_config.json", clientGemini: "/p/.gemini/settings.json", clientZed: "/p/settings.json",
	}
	for _, c := range []struct {
		client         Client
		raw, want, why string
	}{
		{clientClaudeDesktop, "${NOTES_DIR}", "${NOTES_DIR}", left},
		{clientClaudeDesktop, "$NOTES_DIR", "$NOTES_DIR", left},
		{clientClaudeDesktop, "100$ {x} $1 $", "100$ {x} $1 $", ""},
		{clientZed, "${NOTES_DIR}", "${NOTES_DIR}", left},

		{clientClaudeCode, "a${NOTES_DIR}b${NOTES_KEY}", "a/datab" + "hunter2", ""},
		{clientClaudeCode, "${UNSET:-./data}", "./data", ""},
		{clientClaudeCode, "${UNSET:-}", "", ""},
		{clientClaudeCode, "${UNSET:-a:-b}", "a:-b", ""},
		{clientClaudeCode, "${EMPTY:-x}", "", ""},
		{clientClaudeCode, "${NOTES_DIR:-x}", "/data", ""},
		{clientClaudeCode, "${UNSET}", "${UNSET}", left},
		{clientClaudeCode, "$NOTES_DIR", "$NOTES_DIR", left},
		{clientClaudeCode, "${env:NOTES_DIR}", "${env:NOTES_DIR}", left},
		{clientClaudeCode, "${TRICK}", "${NOTES_KEY}$NOTES_KEY${env:NOTES_KEY}{dir}", ""},
		{clientClaudeCode, "${UNSET:-${NOTES_DIR}}", "${NOTES_DIR}", ""}, // the first brace ends it
		{clientClaudeCode, "${NOTES_DIR", "${NOTES_DIR", ""},
		{clientClaudeCode, "${}", "${}", ""},

		{clientVSCode, "${workspaceFolder}/x", "/p/x", ""},
		{clientVSCode, "${workspaceFolderBasename}", "p", ""},
		{clientVSCode, "${userHome}", opts.Home, ""},
		{clientVSCode, "${env:NOTES_DIR}", "/data", ""},
		{clientVSCode, "${env:UNSET}", "", "is empty: the variable UNSET is not set"},
		{clientVSCode, "${env:TRICK}", "${NOTES_KEY}$NOTES_KEY${env:NOTES_KEY}{dir}", ""},
		{clientVSCode, "${NOTES_DIR}", "${NOTES_DIR}", left},
		{clientVSCode, "$NOTES_DIR", "$NOTES_DIR", ""},
		{clientVSCode, "${input:nobody}", "${input:nobody}", "the file has no input nobody"},
		{clientVSCode, "${command:x}", "${command:x}", left},

		{clientCursor, "${env:NOTES_DIR}", "/data", ""},
		{clientCursor, "${env:UNSET}", "${env:UNSET}", left},
		{clientCursor, "${userHome}${pathSeparator}${workspaceFolderBasename}", opts.Home + "/p", ""},
		{clientCursor, "${workspaceFolder}${/}", "/p/", ""},
		{clientCursor, "${input:x}", "${input:x}", left},

		{clientWindsurf, "${env:NOTES_DIR}", "/data", ""},
		{clientWindsurf, "${env:UNSET}", "${env:UNSET}", left},
		{clientWindsurf, "${workspaceFolder}", "${workspaceFolder}", left},

		{clientGemini, "$NOTES_DIR/x", "/data/x", ""},
		{clientGemini, "${NOTES_DIR}", "/data", ""},
		{clientGemini, "$NOTES_DIR_", "$NOTES_DIR_", left},
		{clientGemini, "${UNSET:-x}", "${UNSET:-x}", left},
		{clientGemini, "$1 and $", "$1 and $", ""},
		{clientGemini, "$TRICK", "${NOTES_KEY}$NOTES_KEY${env:NOTES_KEY}{dir}", ""},
	} {
		name := fmt.Sprintf("%s: %s", c.client, c.raw)
		key := map[Client]string{clientVSCode: "servers", clientZed: "context_servers"}[c.client]
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
		require.NotEmpty(t, e.Problems[0].Hint, name)
	}
}

// TestNoSecretPrints checks that fmt and encoding/json print no secret of a
// file, an entry, a start or a problem, and that errors contain none.
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

// TestExpansionIsBounded checks that a large variable that is used often is
// refused before it fills the memory.
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

// TestUnsetTokensAreNamed checks which problems name a token that is left
// unchanged because its variable is not set.
func TestUnsetTokensAreNamed(t *testing.T) {
	for _, c := range []struct{ path, text, unset string }{
		{"/p/.mcp.json", `{"mcpServers":{"s":{"command":"x","args":["${UNSET}"]}}}`, "${UNSET}"},
		{"/p/.mcp.json", `{"mcpServers":{"s":{"command":"x","env":{"K":"a ${UNSET}"}}}}`, "${UNSET}"},
		{"/p/.cursor/mcp.json", `{"mcpServers":{"s":{"command":"x","env":{"K":"${env:UNSET}"}}}}`, "${env:UNSET}"},
		{"/p/.gemini/settings.json", `{"mcpServers":{"s":{"command":"x","args":["$UNSET"]}}}`, "$UNSET"},
		{"/p/.mcp.json", `{"mcpServers":{"s":{"command":"x","args":["$NOTES_DIR"]}}}`, ""},
		{"/p/.vscode/mcp.json", `{"servers":{"s":{"command":"x","args":["${env:UNSET}"]}}}`, ""},
	} {
		file, err := Parse(c.path, []byte(c.text), testOptions(t))
		require.NoError(t, err)
		require.Len(t, file.Entries[0].Problems, 1, c.text)
		require.Equal(t, c.unset, file.Entries[0].Problems[0].Unset, c.text)
	}
}
