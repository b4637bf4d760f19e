package flags

import (
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"

	"mcpdbg/sshexec"
)

func TestSizes(t *testing.T) {
	for text, want := range map[string]size{"1": 1, "65536": 65536, "64K": 64 << 10, "16m": 16 << 20, "1G": 1 << 30, "2MB": 2 << 20, "2G": 2 << 30} {
		var s size
		require.NoError(t, s.Set(text), text)
		require.Equal(t, want, s, text)
	}
	for _, text := range []string{"", "0", "-1", "K", "1.5M", "1T", "0x10", " 1", "3G", "99999999999999999999"} {
		require.Error(t, new(size).Set(text), text)
	}
}

func FuzzSize(f *testing.F) {
	for _, seed := range []string{"1", "64K", "2G", "-1M", "1KB", "BBB"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var s size
		if s.Set(text) != nil {
			require.Zero(t, s)
			return
		}
		require.Positive(t, int(s))
		require.LessOrEqual(t, int(s), maxSize)
		var again size
		require.NoError(t, again.Set(s.String()))
		require.Equal(t, s, again)
	})
}

func TestInteractiveLeaseIsLonger(t *testing.T) {
	var flags Target
	flags.Register(&cobra.Command{})
	require.Equal(t, sshexec.DefaultLease, flags.Lease(), "run, call, list, replay and smoke")
	flags.Person = true
	require.Equal(t, 5*time.Minute, flags.Lease())
	require.NoError(t, flags.SSH.set.Set("ssh-lease", "20s"))
	require.Equal(t, 20*time.Second, flags.Lease(), "the flag takes precedence")
}

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
