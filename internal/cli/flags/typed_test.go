package flags

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTyped(t *testing.T) {
	for line, want := range map[string]string{
		"npx -y @a/b stdio":                     "npx -y @a/b stdio",
		"--ssh build-7 ./server --ssh x":        "./server --ssh x",
		"-e A=b --timeout 5s -- ./server":       "./server",
		"mcpdbg -- ./server":                    "./server",
		"mcpdbg demo-server":                    "mcpdbg demo-server",
		"mcpdbg --ssh build-7 -- ./server -- x": "./server -- x",
	} {
		target, argv, err := Typed(strings.Fields(line))
		require.NoError(t, err, line)
		require.Equal(t, want, strings.Join(argv, " "))
		require.Equal(t, strings.Contains(line, "build-7"), target.SSH.Remote(), line)
	}
	for line, want := range map[string]string{
		"--shs build-7 ./server":    "unknown flag: --shs; did you mean --ssh?",
		"--nothing-like-it x":       "unknown flag: --nothing-like-it; flags after the program belong to the server",
		"-z ./server":               "unknown shorthand flag",
		"--ssh":                     "flag needs an argument",
		"--ssh build-7":             "no command",
		"--help":                    "see mcpdbg --help",
		"--config x.json ./server":  "cannot be combined",
		"--server x ./server":       "--server requires --config",
		"https://example.com/mcp":   "server URLs are not supported",
		"--config /no/such/file.js": "/no/such/file.js",
	} {
		_, _, err := Typed(strings.Fields(line))
		require.ErrorContains(t, err, want, line)
	}
}

func FuzzTyped(f *testing.F) {
	f.Add("--ssh build-7 -e A=b -- ./server --flag")
	f.Add("-eA -C / -Fx --timeout=1 x")
	f.Fuzz(func(t *testing.T, line string) {
		words := strings.Fields(line)
		if strings.Contains(line, "config") {
			return // reads files
		}
		if _, argv, err := Typed(words); err == nil && len(argv) == 0 {
			t.Fatalf("%q: neither a command nor an error", line)
		}
	})
}
