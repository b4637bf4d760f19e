package cli

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/cli/clitest"
)

// TestUsageHints: an invalid command line gets a hint with the right one.
func TestUsageHints(t *testing.T) {
	t.Parallel()
	const url = "try: -- npx -y mcp-remote https://host/mcp"
	for args, says := range map[string][2]string{
		"npx -y x":                          {"unknown shorthand flag: 'y' in -y", "try: mcpdbg -- npx -y x (the server command goes after --)"},
		"--cwd /tmp npx -y x":               {"unknown shorthand flag: 'y'", "try: mcpdbg -- npx -y x "},
		"run npx -y x":                      {"unknown shorthand flag: 'y'", "try: mcpdbg run -- npx -y x "},
		"smoke --jobs 3 node server.js --x": {"unknown flag: --x", "try: mcpdbg smoke -- node server.js --x "},
		"./my-server":                       {`unknown command "./my-server"`, "try: mcpdbg -- ./my-server "},
		"my server":                         {`unknown command "my"`, "try: mcpdbg -- my server "},
		"https://host/mcp":                  {"server URLs are not supported", url},
		"HTTPS://host/mcp":                  {"server URLs are not supported", "mcp-remote HTTPS://host/mcp"},
		"run https://host/mcp":              {"server URLs are not supported", url},
		"smoke https://host/mcp":            {"server URLs are not supported", url},
		"-- https://host/mcp":               {"server URLs are not supported", url},
		"list tools -- https://host/mcp":    {"server URLs are not supported", url},
		"smoke -- https://host/mcp":         {"server URLs are not supported", url},
		"list tools https://host/mcp":       {"server URLs are not supported", url},
		"list https://host/mcp":             {"server URLs are not supported", url},
		"call tools/list https://host/mcp":  {"server URLs are not supported", url},
		"export":                            {`unknown command "export"`, "try: mcpdbg rec export\n"},
		"export --help":                     {`unknown command "export"`, "try: mcpdbg rec export\n"},
		"export -h":                         {`unknown command "export"`, "try: mcpdbg rec export\n"},
		"help export":                       {`unknown command "export"`, "try: mcpdbg rec export\n"},
		"rec expot --help":                  {`unknown command "rec expot"`, "try: mcpdbg rec export\n"},
		"help rec expot":                    {`unknown command "rec expot"`, "try: mcpdbg rec export\n"},
		"frobnicate --help":                 {`unknown command "frobnicate"`, "try: mcpdbg --help"},
		"tap":                               {"no command: put the server command after --", "try: mcpdbg tap -- ./my-server\n"},
		"cal --tol x":                       {"unknown flag: --tol", "try: mcpdbg call\n"},
		"run --jsn -- x":                    {"unknown flag: --jsn", "try: --json\n"},
		"rec ls --al":                       {"unknown flag: --al", ""},
		"my --flag -- x":                    {"unknown flag: --flag", ""},
	} {
		r := clitest.InProcess(t, strings.Fields(args)...)
		require.Equal(t, 2, r.Code, args)
		require.Contains(t, r.Stderr, says[0], args)
		require.Contains(t, r.Stderr, says[1], args)
		require.Equal(t, says[1] != "", strings.Contains(r.Stderr, "try: "), "%s: %s", args, r.Stderr)
		require.Empty(t, r.Stdout, args)
	}
}

func TestHelp(t *testing.T) {
	t.Parallel()
	for args, says := range map[string]string{
		"--help":             "Usage:\n  mcpdbg ",
		"help":               "Usage:\n  mcpdbg ",
		"help rec export":    "Usage:\n  mcpdbg rec export ",
		"rec --help":         "Usage:\n  mcpdbg rec ",
		"rec export --help":  "Usage:\n  mcpdbg rec export ",
		"-h --cwd x":         "Usage:\n  mcpdbg ",
		"run anything -h":    "Usage:\n  mcpdbg run ",
		"completion --help":  "Usage:\n  mcpdbg completion ",
		"call --help -- x y": "Usage:\n  mcpdbg call ",
	} {
		r := clitest.InProcess(t, strings.Fields(args)...)
		require.Equal(t, 0, r.Code, "%s: %s", args, r.Stderr)
		require.Contains(t, r.Stdout, says, args)
	}
}

func TestVersionFlags(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"version"}, {"--version"}, {"-V"}, {"--version", "--", "x"}} {
		require.Equal(t, clitest.Result{Code: 0, Stdout: versionLine() + "\n", Stderr: ""}, clitest.InProcess(t, args...), "%q", args)
	}
}
