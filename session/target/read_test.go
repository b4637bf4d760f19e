package target

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/session/executor"
)

// testOptions returns options with a fixed environment.
func testOptions(t testing.TB) Options {
	t.Helper()
	dir, err := filepath.Abs("testdata")
	require.NoError(t, err)
	env := map[string]string{"NOTES_DIR": "/data", "NOTES_KEY": "hunter2"}
	return Options{
		Home: filepath.Join(dir, "home"), Cwd: filepath.Join(dir, "project"), GOOS: "linux",
		LookupEnv:    func(name string) (string, bool) { v, ok := env[name]; return v, ok },
		Environments: map[string]string{"builder": "build-7"},
	}
}

// none returns no input.
func none(Input) (string, error) { return "", ErrNoInput }

// give returns the inputs of a map.
func give(values map[string]string) func(Input) (string, error) {
	return func(in Input) (string, error) {
		if v, ok := values[in.ID]; ok {
			return v, nil
		}
		return "", ErrNoInput
	}
}

func entryNamed(t testing.TB, f File, name string) *Entry {
	t.Helper()
	for i := range f.Entries {
		if f.Entries[i].Name == name {
			return &f.Entries[i]
		}
	}
	require.Fail(t, "no server "+name)
	return nil
}

func envOf(s Start) map[string]string {
	env := map[string]string{}
	for _, v := range s.Environ() {
		env[v.Name] = v.Value
	}
	return env
}

func problemTexts(problems []Problem) string {
	var b strings.Builder
	for i := range problems {
		b.WriteString(problems[i].Text + "\n")
	}
	return b.String()
}

// TestFormats reads a file of each client and resolves the startable entries.
func TestFormats(t *testing.T) {
	opts := testOptions(t)
	project, home := opts.Cwd, opts.Home
	type want struct {
		argv   []string
		masked string // the command line as it is shown
		dir    string
		env    map[string]string
		says   []string // Problems
		why    string   // it is not started
		ssh    string
	}
	for _, c := range []struct {
		file   string
		client Client
		inputs map[string]string
		want   map[string]want
	}{
		{"claude_desktop_config.json", clientClaudeDesktop, nil, map[string]want{
			"notes": {argv: []string{"node", "notes.js", "${NOTES_DIR}"}, masked: "node notes.js ${NOTES_DIR}",
				env: map[string]string{"NOTES_KEY": "hunter2"}, says: []string{"${NOTES_DIR} is not expanded: Claude Desktop expands no tokens"}},
		}},
		{"project/.mcp.json", clientClaudeCode, nil, map[string]want{
			"notes":  {argv: []string{"node", "./notes.js", "/data"}, masked: "node ./notes.js ${NOTES_DIR}", dir: project, env: map[string]string{"NOTES_KEY": "hunter2"}},
			"remote": {why: httpUnsupported},
		}},
		{"home/.claude.json", clientClaudeCode, nil, map[string]want{
			"everywhere": {argv: []string{project + "/bin/everywhere"}},
			"notes":      {argv: []string{"/home/ada/notes/notes"}, dir: "/home/ada/notes"},
		}},
		{"project/.vscode/mcp.json", clientVSCode, map[string]string{"notes-key": "s3cret", "mode": "prod", "token": "t0ken"}, map[string]want{
			"notes": {argv: []string{"node", project + "/notes.js", "--key=s3cret", "/data"}, masked: "node " + project + "/notes.js --key=${notes-key} ${NOTES_DIR}",
				dir: project, env: map[string]string{"NOTES_KEY": "s3cret", "NOTES_MODE": `a "quoted" one`}},
			"modes": {argv: []string{"modes", "--mode", "prod"}, dir: home + "/modes"},
			"tokens": {argv: []string{"tokens", "t0ken", "${config:x}"}, dir: project,
				says: []string{"${input:token} comes from a command of the editor, which is not run here", "${config:x} is not expanded"}},
		}},
		{"project/.cursor/mcp.json", clientCursor, nil, map[string]want{
			"notes": {argv: []string{project + "/bin/notes", home, "project", "/"}, dir: project,
				env: map[string]string{"NOTES_KEY": "hunter2", "NOTES_MODE": `a "quoted" one`}},
		}},
		{"project/.codex/config.toml", clientCodex, nil, map[string]want{
			"notes": {argv: []string{"node", "notes.js", "$NOTES_DIR"}, dir: project + "/tools",
				env: map[string]string{"MODE": "dev", "NOTES_KEY": "hunter2", "NOTES_DIR": "/data"}, says: []string{"$NOTES_DIR is not expanded: Codex expands no tokens", "enabled_tools is not used here: all tools are shown", "disabled_tools is not used here"}},
			"off":     {why: "disabled in the file"},
			"far":     {argv: []string{"far-server"}, dir: "/srv/far", ssh: "build-7"},
			"nowhere": {why: `unknown environment "mars"`},
			"http":    {why: httpUnsupported},
		}},
		{"zed.json", clientZed, nil, map[string]want{
			"notes":     {argv: []string{"node", "notes.js"}, dir: filepath.Dir(project)},
			"older":     {argv: []string{"older", "--stdio"}, dir: filepath.Dir(project), env: map[string]string{"OLD_KEY": "hunter2"}},
			"extension": {why: "it is provided by a Zed extension, and the file does not have its command"},
		}},
		{"home/.codeium/windsurf/mcp_config.json", clientWindsurf, nil, map[string]want{
			"notes": {argv: []string{"notes", "/data", "${file:/etc/hostname}"}, says: []string{"${file:/etc/hostname} is not expanded", "disabledTools is not used here"}},
			"off":   {why: "disabled in the file"},
			"http":  {why: httpUnsupported},
		}},
		{"project/.gemini/settings.json", clientGemini, nil, map[string]want{
			"notes": {argv: []string{"notes", "/data", "hunter2/x", "$UNSET_ONE"}, masked: "notes ${NOTES_DIR} ${NOTES_KEY}/x $UNSET_ONE", dir: project + "/sub",
				says: []string{"$UNSET_ONE is not expanded: the variable UNSET_ONE is not set", "includeTools is not used here"}},
			"http": {why: httpUnsupported},
		}},
		{"server.json", registry, map[string]string{"dir": "/my notes", "NOTES_TOKEN": "s3cret", "port": "8080"}, map[string]want{
			"org.example/notes:npm": {argv: []string{"npx", "-y", "notes-mcp@1.0.0", "--dir", "/my notes"}, dir: filepath.Dir(project), env: map[string]string{"NOTES_TOKEN": "s3cret"}},
			"org.example/notes:oci": {argv: []string{"docker", "run", "-i", "--rm", "--network", "none", "-e", "NOTES_MODE", "ghcr.io/example/notes:1.0.0", "serve", "--verbose", "8080"},
				dir: filepath.Dir(project), env: map[string]string{"NOTES_MODE": "dev"}},
			"org.example/notes:streamable-http": {why: httpUnsupported},
		}},
	} {
		t.Run(c.file, func(t *testing.T) {
			file, err := Read(filepath.Join("testdata", c.file), opts)
			require.NoError(t, err)
			require.Equal(t, c.client, file.Client)
			require.NotEmpty(t, file.How)
			require.Empty(t, file.Unread)
			require.Len(t, file.Entries, len(c.want))
			for name, w := range c.want {
				e := entryNamed(t, file, name)
				require.Positive(t, e.Line, name)
				why, _ := e.Why()
				require.Equal(t, w.why, why, name)
				s, err := e.Resolve(give(c.inputs))
				if w.why != "" {
					require.ErrorIs(t, err, ErrNotStartable, name)
					continue
				}
				require.NoError(t, err, name)
				require.Equal(t, w.argv, s.Args(), name)
				require.Equal(t, w.dir, s.Dir, name)
				require.Equal(t, w.ssh, s.SSH, name)
				if w.masked != "" {
					require.Equal(t, w.masked, strings.Join(s.MaskedArgs(), " "))
				}
				if w.env == nil {
					w.env = map[string]string{}
				}
				require.Equal(t, w.env, envOf(s), name)
				for _, text := range w.says {
					require.Contains(t, problemTexts(e.Problems), text, name)
				}
				for _, v := range s.Secrets() {
					require.NotContains(t, strings.Join(s.MaskedArgs(), " "), v.Value)
					require.Contains(t, strings.Join(s.Args(), " "), v.Value)
				}
				require.Len(t, e.Problems, len(w.says), "%s: %v", name, e.Problems)
			}
		})
	}
}

func TestCodexLimits(t *testing.T) {
	file, err := Read("testdata/project/.codex/config.toml", testOptions(t))
	require.NoError(t, err)
	e := entryNamed(t, file, "notes")
	require.Equal(t, 20*time.Second, e.StartupTimeout, "seconds win over milliseconds")
	require.Equal(t, 1500*time.Millisecond, e.Timeout)
	require.Equal(t, 3, e.Line)

	file, err = Parse("/p/c.toml", []byte("[mcp_servers.a]\ncommand = \"x\"\nenv = {NOTES_KEY = \"literal\"}\nenv_vars = [\"NOTES_KEY\"]\nstartup_timeout_ms = 250"), testOptions(t))
	require.NoError(t, err)
	s, err := file.Entries[0].Resolve(none)
	require.NoError(t, err)
	require.Equal(t, map[string]string{"NOTES_KEY": "literal"}, envOf(s), "env wins over env_vars")
	require.Equal(t, 250*time.Millisecond, s.StartupTimeout)
}

// TestCodexRefuses checks servers that Codex refuses, each next to a valid one
// that can be started.
func TestCodexRefuses(t *testing.T) {
	for _, c := range []struct{ toml, why string }{
		{"[mcp_servers.\"a b\"]\ncommand = \"x\"", "only letters, digits"},
		{"[mcp_servers.a]\ncommand = \"x\"\nurl = \"https://e\"", "url is not supported for stdio"},
		{"[mcp_servers.a]\ncommand = \"x\"\nbearer_token_env_var = \"T\"", "bearer_token_env_var is not supported for stdio"},
		{"[mcp_servers.a]\nurl = \"https://e\"\nargs = []", "args is not supported for HTTP"},
		{"[mcp_servers.a]\nenabled = true", "invalid transport"},
		{"[mcp_servers.a]\ncommand = \"x\"\nenv_vars = [{name = \"N\", source = \"moon\"}]", `unknown source "moon" of N`},
		{"[mcp_servers.a]\ncommand = \"x\"\nenv_vars = [{name = \"N\", source = \"remote\"}]", "requires a remote environment"},
		{"[mcp_servers.a]\ncommand = \"x\"\nenv_vars = [7]", "not a name"},
		{"[mcp_servers.a]\ncommand = \"x\"\nenvironment_id = \"mars\"", `unknown environment "mars"`},
		{"[mcp_servers.a]\ncommand = \"x\"\nexperimental_environment = \"mars\"", `unknown environment "mars"`},
		{"[mcp_servers.a]\ncommand = \"x\"\nenvironment_id = \"builder\"\nssh = \"other\"", "cannot be combined"},
		{"[mcp_servers.a]\ncommand = \"x\"\nenvironment_id = 1", "environment_id is not a string"},
	} {
		file, err := Parse("/p/config.toml", []byte(c.toml+"\n[mcp_servers.good]\ncommand = \"good\"\nenvironment_id = \"local\"\n"), testOptions(t))
		require.NoError(t, err, c.toml)
		require.Len(t, file.Entries, 2, c.toml)
		why, try := file.Entries[0].Why()
		require.Contains(t, why, c.why, c.toml)
		require.NotEmpty(t, try, c.toml)
		require.False(t, file.Entries[0].Startable())
		_, err = file.Entries[0].Resolve(none)
		require.ErrorIs(t, err, ErrNotStartable)
		require.Contains(t, err.Error(), "/p/config.toml:")
		require.True(t, file.Entries[1].Startable(), c.toml)
	}
}

// TestHosts checks that a server with any value as its host never runs on this
// machine.
func TestHosts(t *testing.T) {
	for _, c := range []struct{ server, ssh, why string }{
		{`{"command":"x","ssh":"build-7"}`, "build-7", ""},
		{`{"command":"./x","ssh":"me@build-7:22"}`, "me@build-7:22", ""},
		{`{"command":"x","ssh":""}`, "", "ssh is not a host"},
		{`{"command":"x","ssh":" "}`, "", "ssh is not a host"},
		{`{"command":"x","ssh":null}`, "", "ssh is not a host"},
		{`{"command":"x","ssh":false}`, "", "ssh is not a host"},
		{`{"command":"x","ssh":["a"]}`, "", "ssh is not a host"},
		{`{"command":"x","ssh":"a","ssh":"b"}`, "b", "duplicate key ssh"},
	} {
		file, err := Parse("/p/.mcp.json", []byte(`{"mcpServers":{"s":`+c.server+`}}`), testOptions(t))
		require.NoError(t, err)
		e := file.Entries[0]
		why, _ := e.Why()
		require.Equal(t, c.why, why, c.server)
		s, err := e.Resolve(none)
		if c.why != "" {
			require.ErrorIs(t, err, ErrNotStartable)
			continue
		}
		require.NoError(t, err)
		require.Equal(t, c.ssh, s.SSH)
		require.Empty(t, s.Dir, "a folder of this machine is not used on the host")
		require.Equal(t, e.Argv[0].Reveal(), s.Args()[0])
	}
	file, err := Parse("/p/.vscode/mcp.json", []byte(`{"servers":{"s":{"command":"x","ssh":"h","cwd":"sub","args":["${workspaceFolder}"]}}}`), testOptions(t))
	require.NoError(t, err)
	require.Contains(t, problemTexts(file.Entries[0].Problems), "is a folder of this machine, but the server runs on h")
	_, err = file.Entries[0].Resolve(none)
	require.ErrorContains(t, err, "cwd is a directory of h")
}

// TestEnvironmentIsPlacement checks that a server whose entry names another
// environment never runs on this machine, whatever the key, client and format.
func TestEnvironmentIsPlacement(t *testing.T) {
	for _, key := range []string{"environment", "environment_id", "experimental_environment"} {
		for _, c := range []struct{ value, ssh, why string }{
			{`"builder"`, "build-7", ""},
			{`"local"`, "", ""},
			{`"remote"`, "", `unknown environment "remote"`},
			{`""`, "", `unknown environment ""`},
			{`"Local"`, "", `unknown environment "Local"`},
			{`7`, "", key + " is not a string"},
			{`true`, "", key + " is not a string"},
			{`["builder"]`, "", key + " is not a string"},
			{`null`, "", key + " is not a string"},
			{`"builder", "ssh": "other"`, "", "ssh and " + key + " cannot be combined"},
			{`"builder", "` + key + `": "local"`, "", key + ` "builder" and ` + key + ` "local" differ`},
		} {
			for path, text := range map[string]string{
				"/p/.mcp.json":             `{"mcpServers":{"s":{"command":"x","KEY":VALUE}}}`,
				"/p/.vscode/mcp.json":      `{"servers":{"s":{"command":"x","KEY":VALUE}}}`,
				"/p/.zed/settings.json":    `{"context_servers":{"s":{"command":"x","KEY":VALUE}}}`,
				"/p/.gemini/settings.json": `{"mcpServers":{"s":{"command":"x","KEY":VALUE}}}`,
				"/p/server.json":           `{"name":"s","packages":[{"registryType":"npm","identifier":"x","KEY":VALUE}]}`,
				"/p/config.toml":           "[mcp_servers.s]\ncommand = \"x\"\nKEY = VALUE\n",
			} {
				if strings.HasSuffix(path, ".toml") && (c.value == "null" || strings.Contains(c.value, ":")) {
					continue // not valid TOML
				}
				text = strings.NewReplacer("KEY", key, "VALUE", c.value).Replace(text)
				file, err := Parse(path, []byte(text), testOptions(t))
				require.NoError(t, err, text)
				require.Len(t, file.Entries, 1, text)
				why, _ := file.Entries[0].Why()
				s, err := file.Entries[0].Resolve(none)
				if c.why != "" {
					require.Contains(t, why, c.why, text)
					require.ErrorIs(t, err, ErrNotStartable, text)
					continue
				}
				require.NoError(t, err, text)
				require.Equal(t, c.ssh, s.SSH, text)
			}
		}
	}
}

// TestEnvironmentsThatDiffer checks entries with more than one placement.
func TestEnvironmentsThatDiffer(t *testing.T) {
	for _, c := range []struct{ toml, ssh, why string }{
		{"environment = 'builder'\nenvironment_id = 'builder'", "build-7", ""},
		{"environment = 'local'\nexperimental_environment = 'local'", "", ""},
		{"environment = 'builder'\nenvironment_id = 'local'", "", `environment "builder" and environment_id "local" differ`},
		{"environment_id = 'local'\nexperimental_environment = 'mars'", "", `environment_id "local" and experimental_environment "mars" differ`},
		{"environment_id = 'builder'\nexperimental_environment = 'mars'", "", "differ"},
	} {
		file, err := Parse("/p/config.toml", []byte("[mcp_servers.s]\ncommand = 'x'\n"+c.toml), testOptions(t))
		require.NoError(t, err, c.toml)
		why, try := file.Entries[0].Why()
		s, err := file.Entries[0].Resolve(none)
		if c.why != "" {
			require.Contains(t, why, c.why)
			require.NotEmpty(t, try)
			require.ErrorIs(t, err, ErrNotStartable)
			continue
		}
		require.NoError(t, err, c.toml)
		require.Equal(t, c.ssh, s.SSH)
	}
}

// TestEnvironmentOfVariables checks that an object named environment has
// variables, and that env overrides them.
func TestEnvironmentOfVariables(t *testing.T) {
	for path, text := range map[string]string{
		"/p/.mcp.json":   `{"mcpServers":{"s":{"command":"x","environment":{"A":"1","B":"2"},"env":{"B":"3"},"environment_id":"builder"}}}`,
		"/p/config.toml": "[mcp_servers.s]\ncommand = 'x'\nenvironment_id = 'builder'\nenv = {B = '3'}\n[mcp_servers.s.environment]\nA = '1'\nB = '2'\n",
	} {
		file, err := Parse(path, []byte(text), testOptions(t))
		require.NoError(t, err)
		s, err := file.Entries[0].Resolve(none)
		require.NoError(t, err)
		require.Equal(t, map[string]string{"A": "1", "B": "3"}, envOf(s))
		require.Equal(t, "build-7", s.SSH)
	}
	file, err := Parse("/p/.mcp.json", []byte(`{"mcpServers":{"s":{"command":"x","environment":{"A":[]}}}}`), testOptions(t))
	require.NoError(t, err)
	why, _ := file.Entries[0].Why()
	require.Equal(t, "the value of A in environment is not a string", why)
	for server, want := range map[string]string{
		`{"command":"x","environment_id":{"A":"1"}}`:                  "environment_id is not a string",
		`{"command":"x","environment":{"A":"1"},"environment":"far"}`: `unknown environment "far"`,
		`{"command":"x","environment":"far","environment":{"A":"1"}}`: `unknown environment "far"`,
	} {
		file, err = Parse("/p/.mcp.json", []byte(`{"mcpServers":{"s":`+server+`}}`), testOptions(t))
		require.NoError(t, err)
		why, _ = file.Entries[0].Why()
		require.Equal(t, want, why, server)
	}
}

func TestMissingInputs(t *testing.T) {
	file, err := Read("testdata/project/.vscode/mcp.json", testOptions(t))
	require.NoError(t, err)
	e := entryNamed(t, file, "modes")
	require.Len(t, e.Inputs, 1)
	in := e.Inputs[0]
	require.Equal(t, "dev", in.Default.Reveal())
	in.Default = Text{}
	require.Equal(t, Input{ID: "mode", Description: "Mode", Kind: InputPick, Options: []Option{{"dev", "dev"}, {"Production", "prod"}}}, in)
	_, err = e.Resolve(none)
	var missing *MissingError
	require.ErrorAs(t, err, &missing)
	require.Len(t, missing.Inputs, 1)
	require.EqualError(t, err, `server "modes" needs a value for mode`)
	_, err = e.Resolve(give(map[string]string{"mode": "s3cret"}))
	require.ErrorContains(t, err, "not one of its choices")
	require.NotContains(t, err.Error(), "s3cret")

	s, err := entryNamed(t, file, "notes").Resolve(give(map[string]string{"notes-key": "k"}))
	require.NoError(t, err)
	require.Len(t, s.Problems, 1)
	require.Equal(t, 4, s.Problems[0].Line)
	require.NotContains(t, s.Problems[0].Error(), "not a line")
	require.Equal(t, executor.EnvVar{Name: "NOTES_KEY", Value: "from the file"}, s.Environ()[0], "env follows it and wins")
}
