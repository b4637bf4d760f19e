package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/cli/clitest"
)

const demoConfig = `{
  // a comment, and trailing commas
  "mcpServers": {
    "demo": {"command": "DEMO", "args": ["demo-server", "${CONFIG_TEST_EXTRA:---list}"], "env": {"DEMO_TOKEN": "s3cret-value"}},
    "good": {"command": "DEMO", "args": ["demo-server"], "env": {"DEMO_TOKEN": "s3cret-value", "OTHER": "1"},},
    "http": {"type": "http", "url": "https://example.com/mcp"},
    "off": {"command": "DEMO", "disabled": true},
  },
}`

// TestConfigStartsAServer: all commands that start a server accept --config.
func TestConfigStartsAServer(t *testing.T) {
	t.Parallel()
	file := clitest.ConfigFile(t, ".mcp.json", demoConfig)
	good := []string{"--config", file, "--server", "good"}

	r := clitest.Run(t, append([]string{"list", "tools"}, good...)...)
	require.Equal(t, 0, r.Code, r.Stderr)
	require.Contains(t, r.Stdout, "15 tools")
	require.Empty(t, r.Stderr)

	r = clitest.Run(t, append([]string{"call", "--tool", "env"}, good...)...)
	require.Equal(t, 0, r.Code, r.Stderr)
	require.Contains(t, r.Stdout, "DEMO_TOKEN")

	in := clitest.WriteFile(t, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	r = clitest.Run(t, append([]string{"run", "--in", in}, good...)...)
	require.Equal(t, 0, r.Code, r.Stderr)
	require.Contains(t, r.Stdout, `server "good" from `+file+":5, read as a config file of Claude Code (the key mcpServers and its path, .mcp.json)")
	require.NotContains(t, r.Stdout, "s3cret")
}

// TestConfigOfAWrappedServer: commands start the server itself, without its tap.
func TestConfigOfAWrappedServer(t *testing.T) {
	t.Parallel()
	file := clitest.ConfigFile(t, ".mcp.json", `{"mcpServers":{"demo":{"command":"/nowhere/mcpdbg","args":["tap","--name","demo","--","DEMO","demo-server"]}}}`)
	r := clitest.Run(t, "list", "tools", "--config", file)
	require.Equal(t, 0, r.Code, r.Stderr)
	require.Contains(t, r.Stdout, "15 tools")
}

// TestConfigWithoutASubcommand starts the debugger, which is run without a
// terminal.
func TestConfigWithoutASubcommand(t *testing.T) {
	t.Parallel()
	file := clitest.ConfigFile(t, "any.json", `{"mcpServers":{"only":{"command":"DEMO","args":["demo-server","--misbehave","dies-at-start"]}}}`)
	r := clitest.Run(t, "--config", file)
	require.Equal(t, 3, r.Code, r.Stderr)
	require.Contains(t, r.Stdout, `server "only" from `+file)
	require.Contains(t, r.Stdout, "the key mcpServers alone: read as a .mcp.json")
}

func TestConfigPicksAServer(t *testing.T) {
	t.Parallel()
	file := clitest.ConfigFile(t, ".mcp.json", demoConfig)
	for _, c := range []struct {
		args []string
		says []string
	}{
		{nil, []string{"has several servers: demo, good, http, off", "try: --server NAME"}},
		{[]string{"--server", "godo"}, []string{`has no server "godo"; it has demo, good, http, off`, "try: --server good"}},
		{[]string{"--server", "nothing like it"}, []string{"it has demo, good, http, off"}},
		{[]string{"--server", "http"}, []string{file + ":6", "HTTP servers are not supported yet: mcpdbg speaks stdio"}},
		{[]string{"--server", "off"}, []string{"disabled in the file", "try: enable it there"}},
		{[]string{"--server", "good", "--input", "a=b"}, []string{`the server "good" has no inputs`}},
	} {
		r := clitest.InProcess(t, append([]string{"list", "tools", "--config", file}, c.args...)...)
		require.Equal(t, 2, r.Code, r.Stderr)
		for _, text := range c.says {
			require.Contains(t, r.Stderr, text)
		}
		require.NotContains(t, r.Stderr, "s3cret")
	}
	// The only server that can be started needs no name.
	file = clitest.ConfigFile(t, "x.json", `{"mcpServers":{"a":{"url":"u"},"b":{"command":"DEMO","args":["demo-server"]},"c":{"command":"x","enabled":false}}}`)
	r := clitest.Run(t, "list", "tools", "--config", file)
	require.Equal(t, 0, r.Code, r.Stderr)
}

// TestConfigProjects: of servers with the same name in ~/.claude.json, the one of
// this project is chosen.
func TestConfigProjects(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	project := filepath.Join(dir, "project")
	require.NoError(t, os.MkdirAll(filepath.Join(project, "sub"), 0o700))
	server := func(word string) string { return fmt.Sprintf(`{"s":{"command":"echo","args":[%q]}}`, word) }
	file := clitest.ConfigFile(t, ".claude.json", fmt.Sprintf(`{"mcpServers":%s,"projects":{%q:{"mcpServers":%s},%q:{"mcpServers":%s}}}`,
		server("user"), project, server("project"), filepath.Join(dir, "other"), server("other")))
	for cwd, word := range map[string]string{filepath.Join(project, "sub"): "project", dir: "user"} {
		cmd := clitest.Program(t, "run", "--raw", "--config", file, "--server", "s")
		cmd.Dir = cwd
		r := clitest.Finish(t, cmd)
		require.Equal(t, 0, r.Code, r.Stderr)
		require.Contains(t, r.Stdout, word+"\n")
	}
	file = clitest.ConfigFile(t, ".claude.json", fmt.Sprintf(`{"projects":{"/no/a":{"mcpServers":%s},"/no/b":{"mcpServers":%s}}}`, server("a"), server("b")))
	r := clitest.InProcess(t, "run", "--config", file, "--server", "s")
	require.Equal(t, 2, r.Code)
	require.Contains(t, r.Stderr, "for several projects: /no/a, /no/b")
}

// TestConfigInputs: inputs come from --input, missing ones are all reported at
// once, and their values are not recorded.
func TestConfigInputs(t *testing.T) {
	t.Parallel()
	file := clitest.ConfigFile(t, "p/.vscode/mcp.json", `{
	"inputs": [{"type":"promptString","id":"key","description":"API key","password":true},
		{"type":"pickString","id":"mode","description":"Mode","options":["dev","prod"]},
		{"type":"promptString","id":"place","description":"Place","default":"here"}],
	"servers": {"s": {"command":"sh","args":["-c","exit 0","${input:mode}","${input:key}","${input:place}"],"env":{"KEY":"${input:key}"}}}}`)
	r := clitest.InProcess(t, "run", "--config", file)
	require.Equal(t, 2, r.Code)
	require.Contains(t, r.Stderr, `server "s" needs a value for mode, key`)
	require.Contains(t, r.Stderr, "try: --input mode=... (Mode: one of dev, prod)")
	require.Contains(t, r.Stderr, "try: --input key=... (API key)")
	require.NotContains(t, r.Stderr, "place", "it has a default")

	r = clitest.InProcess(t, "run", "--config", file, "--input", "mode=s3cret", "--input", "key=x")
	require.Equal(t, 2, r.Code)
	require.Contains(t, r.Stderr, "not one of its choices")
	require.NotContains(t, r.Stderr, "s3cret")

	r = clitest.InProcess(t, "run", "--config", file, "--input", "mod=dev")
	require.Contains(t, r.Stderr, "try: --input mode")

	record := filepath.Join(t.TempDir(), "r.jsonl")
	r = clitest.Run(t, "run", "--raw", "--config", file, "--input", "mode=dev", "--input", "key=s3cret", "--record", record)
	require.NotContains(t, r.Stdout+r.Stderr, "s3cret")
	data, err := os.ReadFile(record)
	require.NoError(t, err)
	require.NotContains(t, string(data), "s3cret")
	header, _, _ := strings.Cut(string(data), "\n")
	require.Contains(t, header, `["sh","-c","exit 0","dev","${key}","here"]`)
}

// TestConfigLimitsAndFlags: timeouts, directory and environment come from the
// file, and flags take precedence.
func TestConfigLimitsAndFlags(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := clitest.ConfigFile(t, "p/.codex/config.toml", `
[mcp_servers.hangs]
command = "DEMO"
args = ["demo-server", "--misbehave", "never-answers"]
startup_timeout_sec = 0.4
[mcp_servers.shows]
command = "sh"
args = ["-c", "pwd; echo $A-$B-$C"]
env = { A = "file-a", B = "file-b" }
env_vars = ["C"]
`)
	r := clitest.Run(t, "list", "tools", "--config", file, "--server", "hangs")
	require.Equal(t, 4, r.Code, r.Stderr)
	require.Contains(t, r.Stderr, "timed out handshaking")
	require.NotContains(t, r.Stderr, "after 30", "the default limit")

	shows := []string{"run", "--raw", "--config", file, "--server", "shows"}
	cmd := clitest.Program(t, shows...)
	cmd.Env = append(cmd.Env, "C=here-c")
	r = clitest.Finish(t, cmd)
	require.Contains(t, r.Stdout, filepath.Dir(filepath.Dir(file))+"\n", "the project")
	require.Contains(t, r.Stdout, "file-a-file-b-here-c\n")

	r = clitest.Run(t, append(shows, "-C", dir, "-e", "A=flag-a")...)
	require.Contains(t, r.Stdout, dir+"\n")
	require.Contains(t, r.Stdout, "flag-a-file-b-")
}

// TestConfigRemoteServerNeverRunsLocally: a server with a host leaves no trace on
// this machine, whatever is wrong with the host and whatever command starts it.
func TestConfigRemoteServerNeverRunsLocally(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	trace := filepath.Join(dir, "trace")
	for name, text := range map[string]string{
		".mcp.json": `{"mcpServers":{"s":{"command":"touch","args":[%q],"ssh":%s}}}`,
		"x.toml":    "[mcp_servers.s]\ncommand = \"touch\"\nargs = [%q]\nenvironment_id = %s\n",
		"y.toml":    "[mcp_servers.s]\ncommand = \"touch\"\nargs = [%q]\nenvironment = %s\n",
	} {
		for host, code := range map[string]int{
			`"nohost.invalid"`: 5, `"127.0.0.1:1"`: 5, `"-oProxyCommand=touch"`: 2, `"me:hunter2@h"`: 2, `""`: 2, "1": 2, "[]": 2, "{}": 2, "true": 2,
		} {
			if name != ".mcp.json" && strings.Contains(host, "hunter2") {
				continue // this would be a name, and not a host
			}
			if name == "y.toml" && host == "{}" {
				continue // this would be the server's variables
			}
			file := clitest.ConfigFile(t, name, fmt.Sprintf(text, trace, host))
			if name != ".mcp.json" {
				code = 2 // no settings know it
			}
			for i, how := range [][]string{{"run"}, {"run", "--raw"}, {"list", "tools"}, {"call", "ping"}, {}} {
				if i > 0 && host != `"nohost.invalid"` && host != "true" {
					break // all commands read config files the same way
				}
				r := clitest.Finish(t, clitest.Program(t, append(how, "--config", file, "--no-record")...))
				require.NoFileExists(t, trace, "%s %v", host, how)
				require.Equal(t, code, r.Code, "%s %v: %s", host, how, r.Stderr)
				require.NotContains(t, r.Stderr, "hunter2")
			}
		}
	}
}

// TestConfigEnvironments: the settings map Codex's environments to hosts. An
// unknown environment blocks only its own server.
func TestConfigEnvironments(t *testing.T) {
	t.Parallel()
	file := clitest.ConfigFile(t, ".codex/config.toml", `
[mcp_servers.far]
command = "far"
environment_id = "builder"
[mcp_servers.good]
command = "DEMO"
args = ["demo-server"]
`)
	settings := t.TempDir()
	with := func(args ...string) clitest.Result {
		cmd := clitest.Program(t, append(args, "--config", file)...)
		cmd.Env = append(cmd.Env, "XDG_CONFIG_HOME="+settings)
		return clitest.Finish(t, cmd)
	}
	r := with("list", "tools", "--server", "far")
	require.Equal(t, 2, r.Code)
	require.Contains(t, r.Stderr, `unknown environment "builder"`)
	require.Contains(t, r.Stderr, filepath.Join(settings, "mcpdbg", "config.toml")+`: under [environments], "builder" = "HOST"`)
	r = with("list", "tools")
	require.Equal(t, 0, r.Code, r.Stderr)

	require.NoError(t, os.MkdirAll(filepath.Join(settings, "mcpdbg"), 0o700))
	path := filepath.Join(settings, "mcpdbg", "config.toml")
	require.NoError(t, os.WriteFile(path, []byte("theme = \"dark\"\n[environments]\nbuilder = \"nohost.invalid\"\n"), 0o600))
	r = with("list", "tools", "--server", "far")
	require.Equal(t, 5, r.Code, r.Stderr)
	require.Contains(t, r.Stderr, "nohost.invalid")

	require.NoError(t, os.WriteFile(path, []byte("[environments\n"), 0o600))
	r = with("list", "tools")
	require.Equal(t, 2, r.Code)
	require.Contains(t, r.Stderr, "settings: "+path+":1:")
}

// TestConfigRealServer starts the reference server as a client would.
func TestConfigRealServer(t *testing.T) {
	t.Parallel()
	clitest.Reference(t)
	file := clitest.ConfigFile(t, ".vscode/mcp.json", `{"servers":{"everything":{"type":"stdio","command":"npx","args":["-y","`+clitest.Everything+`","stdio"]}}}`)
	r := clitest.Run(t, "call", "--config", file, "--startup-timeout", "4m", "--tool", "echo", "message=hello there")
	require.Equal(t, 0, r.Code, r.Stderr)
	require.Contains(t, r.Stdout, "hello there")
}

// TestUnsetVariableIsAProblem: the token of an unset variable that the server gets
// is a problem of the session. It fails nothing by default.
func TestUnsetVariableIsAProblem(t *testing.T) {
	t.Parallel()
	file := clitest.ConfigFile(t, ".mcp.json", `{"mcpServers":{"s":{"command":"DEMO","args":["demo-server"],"env":{"UNSET_KEY":"${UNSET_KEY}"}}}}`)
	const told = "the server got the text ${UNSET_KEY}"
	r := clitest.Finish(t, clitest.Program(t, "check", "--config", file, "--json", "--no-calls", "--step-timeout", "4m", "--startup-timeout", "4m"))
	require.Equal(t, 0, r.Code, r.Stdout)
	require.Contains(t, r.Stdout, `"PRC10"`)
	require.Contains(t, r.Stdout, told)
	r = clitest.Finish(t, clitest.Program(t, "smoke", "--config", file, "--no-record", "--json"))
	require.Equal(t, 0, r.Code, r.Stderr)
	require.Contains(t, r.Stdout, `"PRC10"`)
	require.Contains(t, r.Stdout, told)
	r = clitest.Finish(t, clitest.Program(t, "smoke", "--config", file, "--no-record", "--json", "-e", "UNSET_KEY=x"))
	require.Equal(t, 0, r.Code, r.Stderr)
	require.NotContains(t, r.Stdout, "PRC10", "a flag overrides it")
}
