package store

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestBrief(t *testing.T) {
	for command, want := range map[string]string{
		"": "",
		"npx -y @modelcontextprotocol/server-everything@2026.8.31 stdio": "server-everything stdio",
		"/usr/bin/npx @scope/a":              "a",
		"npx":                                "npx",
		"npx -y":                             "npx -y",
		"uvx mcp-server-git@1.2":             "mcp-server-git",
		"uv run ./server.py --port 1":        "server.py --port 1",
		"python3 -m notes.server":            "notes.server",
		"node /srv/app/dist/index.js --fast": "index.js --fast",
		"/tmp/x/mcpdbg demo-server":          "mcpdbg demo-server",
		`C:\\bin\\server.exe stdio`:          "server.exe stdio",
		"files --root /home/ada/notes":       "files --root notes",
		"files /":                            "files /",
		"@ @/":                               "@ @/",
		"docker run -i image@sha256:1":       "docker run -i image@sha256:1",
	} {
		require.Equal(t, want, Brief(strings.Fields(command)), command)
	}
}

func TestProgram(t *testing.T) {
	for command, want := range map[string]string{
		"npx -y @modelcontextprotocol/server-everything@2026.8.31 stdio": "server-everything",
		"/tmp/x/mcpdbg demo-server":                                      "mcpdbg",
		"python3 ./notes.py":                                             "notes.py",
		"python3":                                                        "python3",
		"python3 -u -c import":                                           "python3",
		"sh -c exit":                                                     "sh",
	} {
		require.Equal(t, want, Program(strings.Fields(command)), command)
	}
}

func FuzzBrief(f *testing.F) {
	f.Add("npx -y @a/b@1 stdio")
	f.Fuzz(func(t *testing.T, command string) {
		words := strings.Split(command, " ")
		require.NotPanics(t, func() { Brief(words) })
		if short := Brief(words); len(short) > len(command) {
			t.Fatalf("%q is longer than %q", short, command)
		}
	})
}
