//go:build unix

package smoke_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/cli/clitest"
)

const ciPage = "../../../docs/ci.md"

// ciCommands returns the command lines of each example of the page.
func ciCommands(t *testing.T) (all [][]string) {
	t.Helper()
	page, err := os.ReadFile(ciPage)
	require.NoError(t, err)
	command := regexp.MustCompile(`(?:- run:|-) (?:exec )?(mcpdbg smoke .*)`)
	for _, block := range strings.Split(string(page), "```yaml\n")[1:] {
		block, _, _ = strings.Cut(block, "```")
		var lines []string
		for _, m := range command.FindAllStringSubmatch(block, -1) {
			lines = append(lines, m[1])
		}
		all = append(all, lines)
	}
	return all
}

// The command lines of the page's examples, with the variables of each engine, test each
// target once.
func TestCIExamples(t *testing.T) {
	t.Parallel()
	examples := ciCommands(t)
	require.Len(t, examples, 3)
	examples[2] = append(examples[2], "mcpdbg smoke merge /out/shard-*.json") // of the text after it
	for i, engine := range []string{"github", "gitlab", "kubernetes"} {
		require.Len(t, examples[i], 2, engine)
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			clitest.Fill(t, dir, map[string]string{
				"fleet.ini": here("h-[001:010]", ""), "bin/mcpdbg": "#!/bin/sh\nexec '" + clitest.Binary() + "' \"$@\"\n",
			})
			require.NoError(t, os.Chmod(filepath.Join(dir, "bin/mcpdbg"), 0o755))
			play := func(line string, variables ...string) clitest.Result {
				line = strings.NewReplacer("/etc/fleet/", "", "/out/", "").Replace(line)
				cmd := clitest.Command(t, "sh", "-c", line)
				cmd.Dir = dir
				cmd.Env = append(cmd.Env, "PATH="+filepath.Join(dir, "bin")+":"+os.Getenv("PATH"), "GITHUB_STEP_SUMMARY="+filepath.Join(dir, "summary"))
				cmd.Env = append(cmd.Env, variables...)
				return clitest.Finish(t, cmd)
			}
			for n := 1; n <= 5; n++ {
				line := strings.ReplaceAll(examples[i][0], "${{ matrix.shard }}", fmt.Sprint(n))
				variables := map[string][]string{
					"gitlab":     {fmt.Sprintf("CI_NODE_INDEX=%d", n), "CI_NODE_TOTAL=5"},
					"kubernetes": {fmt.Sprintf("JOB_COMPLETION_INDEX=%d", n-1)},
				}
				r := play(line, variables[engine]...)
				require.Equal(t, 0, r.Code, r.Stdout+r.Stderr)
			}
			r := play(examples[i][1] + " --report merged.json")
			require.Equal(t, 0, r.Code, r.Stdout+r.Stderr)
			var want []string
			for n := 1; n <= 10; n++ {
				want = append(want, fmt.Sprintf("notes@h-%03d", n))
			}
			require.Equal(t, want, ids(readBack(t, filepath.Join(dir, "merged.json"))))
		})
	}
}
