package target

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestDetect(t *testing.T) {
	for _, c := range []struct {
		path, doc string
		want      Client
	}{
		{"/x/any.json", `{"mcpServers":{}}`, clientClaudeCode},
		{"/x/any.json", `{"mcpServers":{"a":{"serverUrl":"u"}}}`, clientWindsurf},
		{"/x/any.json", `{"mcpServers":{"a":{"command":"c","trust":true}}}`, clientGemini},
		{"/x/any.json", `{"mcpServers":{"a":{"command":"c","envFile":"f"}}}`, clientCursor},
		{"/x/any.json", `{"projects":{"/p":{"mcpServers":{}}}}`, clientClaudeCode},
		{"/x/.cursor/mcp.json", `{"mcpServers":{"a":{"command":"c"}}}`, clientCursor},
		{"/x/.gemini/settings.json", `{"mcpServers":{"a":{"command":"c"}}}`, clientGemini},
		{"/x/.mcp.json", `{"mcpServers":{"a":{"command":"c","trust":true}}}`, clientClaudeCode},
		{"/x/.cursor/mcp.json", `{"servers":{}}`, clientVSCode},
		{"/x/.mcp.json", `{"context_servers":{}}`, clientZed},
		{"/x/claude_desktop_config.json", "[mcp_servers.a]\n", clientCodex},
		{"/x/any", "# a comment\n[mcp_servers]\n", clientCodex},
		{"/x/any", "// a comment\n{\"servers\":{},}", clientVSCode},
		{"/x/any", "\xef\xbb\xbf{\"servers\":{}}", clientVSCode},
		{"/x/any", `{"packages":[]}`, registry},
		{"/x/any", `{"name":"n","remotes":[]}`, registry},
	} {
		file, err := Parse(c.path, []byte(c.doc), testOptions(t))
		require.NoError(t, err, c.doc)
		require.Equal(t, c.want, file.Client, "%s: %s", c.path, c.doc)
	}
	for _, doc := range []string{"{}", "x = 1", `{"mcpServers":[]}`, `{"servers":1}`, "// nothing\n{}"} {
		_, err := Parse("/x/any", []byte(doc), testOptions(t))
		require.ErrorIs(t, err, ErrNoServers, doc)
		var p *Problem
		require.ErrorAs(t, err, &p)
		require.Contains(t, p.Hint, "mcpServers")
	}
}

// TestBrokenFiles checks that an error names file, line and column if known.
func TestBrokenFiles(t *testing.T) {
	for _, c := range []struct{ doc, says string }{
		{"", "/x/f:1:1: not valid JSON: unexpected end of file"},
		{"{\n  \"mcpServers\": {\n    oops\n", "/x/f:3:5: not valid JSON: invalid word"},
		{"{\"é\": nope}", "/x/f:1:8: not valid JSON: invalid word"},
		{"{\"a\": @", "/x/f:1:7: not valid JSON: invalid character '@' at start of value"},
		{"{\"a\": 1", "unexpected end of file"},
		{"{} {}", "after top-level value"},
		{"{\"a\": /* no end", "unexpected end of file"},
		{"x = 1\ny = ", "/x/f:2:"},
		{"[mcp_servers.a]\n[mcp_servers.a]\n", "/x/f:2:"},
		{"\x00", "not valid TOML"},
		{"\xff\xfe{\x00", "not valid TOML"},
		{"{\"a\":" + strings.Repeat("[", 300), "/x/f:1:205: nested deeper than 200 levels"},
		{"{\"a\":[" + strings.Repeat("1,", maxValues+1) + "1]}", "more than 500000 values"},
		{"x = " + strings.Repeat("[", 20_000), "not valid TOML"},
	} {
		_, err := Parse("/x/f", []byte(c.doc), testOptions(t))
		require.ErrorContains(t, err, c.says)
		var p *Problem
		require.ErrorAs(t, err, &p)
	}
}

func TestOddServers(t *testing.T) {
	for _, c := range []struct{ server, why, note string }{
		{`7`, "not an object", ""},
		{`{}`, "neither command nor url is set", ""},
		{`{"command":""}`, "command is not a string", ""},
		{`{"command":["x"]}`, "command is not a string", ""},
		{`{"command":"x","args":"y"}`, "args is not a list", ""},
		{`{"command":"x","args":[{}]}`, "an argument is not a string", ""},
		{`{"command":"x","env":[]}`, "env is not an object", ""},
		{`{"command":"x","env":{"A":{}}}`, "the value of A in env is not a string", ""},
		{`{"command":"x","cwd":[]}`, "cwd is not a string", ""},
		{`{"command":"x","type":"pigeon"}`, `unknown type "pigeon"`, ""},
		{`{"command":"x","type":"sse"}`, httpUnsupported, ""},
		{`{"url":"u"}`, httpUnsupported, ""},
		{`{"command":"x","disabled":true}`, "disabled in the file", ""},
		{`{"command":"x","enabled":false}`, "disabled in the file", ""},
		{`{"command":"x","enabled":true,"args":[1,true,"a"],"env":{"N":1,"B":false}}`, "", ""},
		{`{"command":"x","url":"u"}`, "", "url is not used"},
		{`{"command":"x","command":"y"}`, "", "duplicate key command"},
		{`{"command":"~/x"}`, "", "only a shell expands it"},
		{`{"command":"x","env":{"A":null}}`, "", "the variable A is null"},
	} {
		file, err := Parse("/p/.mcp.json", []byte(`{"mcpServers":{"s":`+c.server+`,"good":{"command":"good"}}}`), testOptions(t))
		require.NoError(t, err, c.server)
		why, _ := file.Entries[0].Why()
		require.Contains(t, why, c.why, c.server)
		require.Equal(t, c.why == "", file.Entries[0].Startable(), c.server)
		require.Equal(t, c.note != "", len(file.Entries[0].Problems) == 1, c.server)
		if c.note != "" {
			require.Contains(t, file.Entries[0].Problems[0].Text, c.note)
		}
		require.True(t, file.Entries[1].Startable(), c.server)
	}
	file, err := Parse("/p/.mcp.json", []byte("{\"mcpServers\":{\"s\":{},\n\"s\":{}},\"servers\":{\"a\":{}}}"), testOptions(t))
	require.NoError(t, err)
	require.Len(t, file.Entries, 2)
	require.Equal(t, 2, file.Entries[1].Line)
	require.Contains(t, problemTexts(file.Unread), "duplicate server")
	require.Contains(t, problemTexts(file.Unread), "servers is not read: this is a file of Claude Code")
}

func TestReadErrors(t *testing.T) {
	dir := t.TempDir()
	_, err := Read(filepath.Join(dir, "missing"), testOptions(t))
	require.ErrorIs(t, err, fs.ErrNotExist)
	require.ErrorContains(t, err, "can't be read")
	_, err = Read(dir, testOptions(t))
	require.ErrorContains(t, err, "not a regular file")

	large := filepath.Join(dir, "large")
	require.NoError(t, os.WriteFile(large, nil, 0o600))
	require.NoError(t, os.Truncate(large, maxFile+1))
	_, err = Read(large, testOptions(t))
	require.ErrorContains(t, err, "larger than 32 MiB")

	file, err := Parse("/p/mcp.json", []byte(`{"servers":{"s":{"command":"x","envFile":"/no/such.env"}}}`), testOptions(t))
	require.NoError(t, err)
	_, err = file.Entries[0].Resolve(none)
	require.ErrorIs(t, err, fs.ErrNotExist)
	require.ErrorContains(t, err, "envFile /no/such.env can't be read")
}

// TestDiscover finds the files of a project, from a subfolder, and those of the
// user, and lists a broken one too.
func TestDiscover(t *testing.T) {
	root := t.TempDir()
	opts := testOptions(t)
	opts.Home, opts.Cwd = filepath.Join(root, "home"), filepath.Join(root, "home", "project", "sub")
	write := func(path, text string) {
		path = filepath.Join(opts.Home, filepath.FromSlash(path))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	}
	require.NoError(t, os.MkdirAll(opts.Cwd, 0o700))
	require.NoError(t, os.MkdirAll(filepath.Join(opts.Home, "project", ".git"), 0o700))
	write("project/.mcp.json", `{"mcpServers":{"a":{"command":"./a"}}}`)
	write("project/sub/.vscode/mcp.json", `{"servers":{"b":{"command":"b"}}}`)
	write("project/server.json", `{"port": 80}`)
	write(".mcp.json", `{"mcpServers":{"outside":{"command":"x"}}}`)
	write(".claude.json", `{"mcpServers":{"c":{"command":"./c"}},"projects":{}}`)
	write(".gemini/settings.json", `{"theme":"dark"}`)
	write(".codex/config.toml", "[mcp_servers.d]\ncommand = 'd'\n")
	write(".cursor/mcp.json", `{"mcpServers":`)
	write(".config/Code/User/mcp.json", `{"servers":{}}`)
	write("elsewhere/zed/settings.json", `{"context_servers":{"e":{"command":"e"}}}`)
	env := map[string]string{}
	opts.LookupEnv = func(name string) (string, bool) { v, ok := env[name]; return v, ok }

	list := func() string {
		var b strings.Builder
		for _, f := range Discover(opts) {
			rel, err := filepath.Rel(opts.Home, f.Path)
			require.NoError(t, err)
			b.WriteString(rel + " " + string(f.Client) + " " + string(f.Scope))
			for _, e := range f.Entries {
				b.WriteString(" " + e.Name)
			}
			if f.Err != nil {
				b.WriteString(" broken")
				require.ErrorContains(t, f.Err, f.Path)
			}
			b.WriteString("\n")
		}
		return b.String()
	}
	require.Equal(t, strings.TrimLeft(`
project/sub/.vscode/mcp.json VS Code project b
project/.mcp.json Claude Code project a
.claude.json Claude Code user c
.codex/config.toml Codex user d
.cursor/mcp.json  user broken
.config/Code/User/mcp.json VS Code user
`, "\n"), list())

	env["XDG_CONFIG_HOME"] = filepath.Join(opts.Home, "elsewhere")
	require.Contains(t, list(), "elsewhere/zed/settings.json Zed user e\n")
	require.NotContains(t, list(), "Code/User")

	file, err := Read(filepath.Join(opts.Home, ".claude.json"), opts)
	require.NoError(t, err)
	s, err := file.Entries[0].Resolve(none)
	require.NoError(t, err)
	require.Equal(t, filepath.Join(opts.Cwd, "c"), s.Args()[0], "the user's own servers run where the program is called")

	require.Empty(t, Discover(Options{Home: t.TempDir(), Cwd: t.TempDir()}))
}

// TestPlacesOfOtherSystems checks the places on macOS and Windows.
func TestPlacesOfOtherSystems(t *testing.T) {
	opts := Options{Home: "/h", GOOS: "darwin"}
	require.Contains(t, userPlaces(opts), filepath.FromSlash("/h/Library/Application Support/Claude/claude_desktop_config.json"))
	require.Contains(t, userPlaces(opts), filepath.FromSlash("/h/.config/zed/settings.json"))
	opts.GOOS = "windows"
	opts.LookupEnv = func(name string) (string, bool) { return "/roaming", name == "APPDATA" }
	require.Contains(t, userPlaces(opts), filepath.FromSlash("/roaming/Claude/claude_desktop_config.json"))
	require.Contains(t, userPlaces(opts), filepath.FromSlash("/roaming/Code/User/mcp.json"))
}

func TestProjectWithARelativePathIsRefused(t *testing.T) {
	const file = `{"projects": {
	"#home/ada/notes": {"mcpServers": {"lost": {"command": "x"}}},
	"no servers here": {"mcpServers": {}},
	"/home/ada/notes": {"mcpServers": {"kept": {"command": "x"}}}}}`
	f, err := Parse("/p/.claude.json", []byte(file), testOptions(t))
	require.NoError(t, err)
	require.Len(t, f.Entries, 1)
	require.Equal(t, "kept", f.Entries[0].Name)
	require.Len(t, f.Unread, 1)
	require.EqualError(t, &f.Unread[0], `/p/.claude.json:2:2: project "#home/ada/notes" is not an absolute path: its servers are skipped`)
	require.Equal(t, "give the full path of the project's directory", f.Unread[0].Hint)
}

// FuzzParse checks that no file causes a panic or a position outside the file,
// and that startable entries have a program and a host of the file.
func FuzzParse(f *testing.F) {
	for _, name := range []string{"server.json", "zed.json", "home/.claude.json", "project/.vscode/mcp.json", "project/.codex/config.toml", "project/.gemini/settings.json"} {
		data, err := os.ReadFile(filepath.Join("testdata", filepath.FromSlash(name)))
		require.NoError(f, err)
		f.Add(filepath.Base(name), data)
	}
	f.Add(".claude.json", []byte(`{"projects":{"#home/ada/notes":{"mcpServers":{"s":{"command":"x"}}}}}`))
	f.Add(".mcp.json", []byte(`{"mcpServers":{"s":{"command":"x${A:-b}","ssh":"h","cwd":"/"}}}`))
	f.Add("c.toml", []byte("a.b=[{c=1}]\n[[mcp_servers.x]]\n[mcp_servers.x.y]"))
	f.Fuzz(func(t *testing.T, name string, data []byte) {
		opts := testOptions(t)
		file, err := Parse("/p/"+name, data, opts)
		if err != nil {
			var p *Problem
			require.ErrorAs(t, err, &p)
			return
		}
		lines := strings.Count(string(data), "\n") + 1
		for i := range file.Entries {
			e := &file.Entries[i]
			require.LessOrEqual(t, e.Line, lines)
			e.EnvFile = Text{} // what there is on the disk does not matter here
			s, err := e.Resolve(func(in Input) (string, error) {
				if in.Kind == InputPick && len(in.Options) > 0 {
					return in.Options[0].Value, nil
				}
				return "given", nil
			})
			if err != nil {
				continue
			}
			require.True(t, e.Startable())
			require.NotEmpty(t, s.Args())
			require.Equal(t, e.SSH, s.SSH)
			if s.SSH == "" && s.Dir != "" {
				require.True(t, filepath.IsAbs(s.Dir), s.Dir)
			}
		}
	})
}

// An entry with a URL names the program that bridges stdio to it, without the
// secrets of the URL.
func TestURLEntriesNameTheBridge(t *testing.T) {
	for server, want := range map[string]string{
		`{"url":"https://host/mcp"}`:                              "-- npx -y mcp-remote https://host/mcp (a program that bridges stdio to the URL)",
		`{"type":"http","serverUrl":"http://127.0.0.1:3001/mcp"}`: "-- npx -y mcp-remote http://127.0.0.1:3001/mcp (",
		`{"type":"sse","url":"HTTPS://host"}`:                     "-- npx -y mcp-remote HTTPS://host (",
		`{"httpUrl":"https://me:word@host/a b?key=hunter2"}`:      "-- npx -y mcp-remote 'https://host/a b' (",
		`{"url":"u"}`:   "",
		`{"url":[]}`:    "",
		`{"type":"ws"}`: "",
	} {
		file, err := Parse("/p/.mcp.json", []byte(`{"mcpServers":{"s":`+server+`}}`), testOptions(t))
		require.NoError(t, err, server)
		why, try := file.Entries[0].Why()
		require.Equal(t, httpUnsupported, why)
		require.Equal(t, want == "", try == "", server)
		require.Contains(t, try, want, server)
	}
	file, err := Parse("/p/server.json", []byte(`{"name":"org.example/notes","remotes":[{"type":"streamable-http","url":"https://host/mcp"}]}`), testOptions(t))
	require.NoError(t, err)
	_, try := file.Entries[0].Why()
	require.Contains(t, try, "mcp-remote https://host/mcp")
}
