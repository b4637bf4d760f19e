//go:build !windows

package smoke_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/cli/clitest"
	"mcpdbg/internal/testhome"
)

// A slowStart is a real server that begins 3 s after its process: both requests of the
// handshake are open when it answers. That is nothing to blame it for.
type slowStart struct {
	name     string
	argv     []string // ${SERVERS} and ${SDK} are replaced
	limit    string   // of the start
	legacy   bool     // it speaks this era too
	fails    []string // steps
	problems []string // rules, of all errors and warnings
}

var slowStarts = []slowStart{
	{name: "TypeScript, legacy served", argv: []string{"node", "${SDK}", "serve"}, limit: "4m", legacy: true, fails: []string{"bogus-cursor modern", "bogus-cursor legacy"}},
	{name: "TypeScript, legacy rejected", argv: []string{"node", "${SDK}", "reject"}, limit: "4m", fails: []string{"bogus-cursor modern"}},
	{name: "mcp-go", argv: []string{"${SERVERS}/bin/mcpgo-everything"}, limit: "4m", legacy: true},
}

func TestServersThatStartSlowly(t *testing.T) {
	t.Parallel()
	checkSlowStarts(t, slowStarts)
}

func checkSlowStarts(t *testing.T, starts []slowStart) {
	servers := filepath.Join(os.Getenv(testhome.Tools), "servers", "current")
	clitest.NeedFile(t, filepath.Join(servers, "done"))
	clitest.Need(t, "node")
	sdk := filepath.Join(t.TempDir(), "sdk.mjs") // node looks for modules in the script's folder
	script, err := os.ReadFile(filepath.Join("testdata", "sdk.mjs"))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(sdk, script, 0o600))
	require.NoError(t, os.Symlink(filepath.Join(servers, "node_modules"), filepath.Join(filepath.Dir(sdk), "node_modules")))

	paths := strings.NewReplacer("${SERVERS}", servers, "${SDK}", sdk)
	for _, c := range starts {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			args := []string{
				"check", "--json", "--processes", "4", "--startup-timeout", c.limit, "--fail-on", "never",
				"--", "/bin/sh", "-c", `sleep 3; exec "$@"`, "sh",
			}
			for _, word := range c.argv {
				args = append(args, paths.Replace(word))
			}
			r := clitest.Run(t, args...)
			require.Equal(t, 0, r.Code, r.Stderr)
			one := checked(t, r).Targets[0]
			status := stepsOf(&one)
			require.Equal(t, "passed", status["handshake modern"], "%+v", one.Steps)
			require.Equal(t, c.legacy, status["handshake legacy"] == "passed", "%+v", one.Steps)
			var failed, found []string
			for step, status := range status {
				if status == "failed" {
					failed = append(failed, step)
				}
			}
			for _, p := range one.Problems {
				if p.Severity != "info" && !slices.Contains(found, p.ID) {
					found = append(found, p.ID)
				}
			}
			require.ElementsMatch(t, c.fails, failed, "%+v", one.Steps)
			require.ElementsMatch(t, c.problems, found, "%+v", one.Problems)
		})
	}
}
