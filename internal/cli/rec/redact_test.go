package rec_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/cli/clitest"
	"mcpdbg/internal/cli/console"
	"mcpdbg/recordings"
	"mcpdbg/recordings/redact"
)

func TestRecRedact(t *testing.T) {
	t.Parallel()
	file := clitest.RuleFixtures + "healthy-legacy.jsonl"
	dir := t.TempDir()
	out, secret := filepath.Join(dir, "out.jsonl"), filepath.Join(dir, "secret")
	require.NoError(t, os.WriteFile(secret, []byte("2025-11-25\n"), 0o600))
	args := []string{"rec", "redact", file, "-o", out, "--value-from", secret, "--pointer", "tools/*:/params/arguments"}
	r := clitest.InProcess(t, append(args, "--dry-run")...)
	require.Equal(t, 0, r.Code, r.Stderr)
	require.Contains(t, r.Stderr, "would be removed")
	require.NoFileExists(t, out)

	r = clitest.InProcess(t, args...)
	require.Equal(t, 0, r.Code, r.Stderr)
	require.Empty(t, r.Stdout)
	require.Regexp(t, `(?m)^ +\d+  value 1 +initialize:/result/protocolVersion$`, r.Stderr)
	require.NotContains(t, r.Stderr, "2025-11-25")
	info, err := os.Stat(out)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	before, err := recordings.Verify(file)
	require.NoError(t, err)
	verified, err := recordings.Verify(out)
	require.NoError(t, err)
	require.Equal(t, before.Problems, verified.Problems)
	copied, err := os.ReadFile(out)
	require.NoError(t, err)
	require.NotContains(t, string(copied), "2025-11-25")

	r = clitest.InProcess(t, args...)
	require.Equal(t, 2, r.Code)
	require.Contains(t, r.Stderr, "not overwritten")
	again, err := os.ReadFile(out)
	require.NoError(t, err)
	require.Equal(t, copied, again)

	r = clitest.InProcess(t, append(args, "--dry-run", "--json")...)
	var report redact.Report
	require.NoError(t, json.Unmarshal([]byte(r.Stdout), &report))
	require.Positive(t, report.Removed)
}

func TestRecRedactUsage(t *testing.T) {
	t.Parallel()
	file := clitest.RuleFixtures + "healthy-legacy.jsonl"
	for _, c := range []struct {
		says string
		args []string
	}{
		{"requires -o OUT", []string{file}},
		{"standard output", []string{file, "-o", "-"}},
		{"takes one recording", []string{}},
		{"not set in this environment", []string{file, "--dry-run", "--env", "MCPDBG_NO_SUCH"}},
		{"starts with /", []string{file, "--dry-run", "--pointer", "params"}},
		{"pattern 1: error parsing", []string{file, "--dry-run", "--pattern", "("}},
		{"it looks like", []string{"redact_test.go", "--dry-run"}},
	} {
		r := clitest.InProcess(t, append([]string{"rec", "redact"}, c.args...)...)
		require.Equal(t, 2, r.Code, c.says)
		require.Contains(t, r.Stderr, c.says)
	}
}

// TestGivenValuesAreRedacted: a value of -e is recorded only as a digest, which
// is enough to redact it from the server's output.
func TestGivenValuesAreRedacted(t *testing.T) {
	t.Parallel()
	const value = "hunter2-given"
	dir := t.TempDir()
	file, out := filepath.Join(dir, "in.jsonl"), filepath.Join(dir, "out.jsonl")
	r := clitest.InProcess(t, append([]string{"call", "--record", file, "-e", "APP_WORD=" + value, "--tool", "echo", "message=it is " + value, "--"}, []string{clitest.Binary(), console.DemoServer}...)...)
	require.Equal(t, 0, r.Code, r.Stderr)
	recorded, err := os.ReadFile(file)
	require.NoError(t, err)
	header, _, _ := strings.Cut(string(recorded), "\n")
	require.Contains(t, header, `"secrets":{"salt":"`)
	require.Contains(t, header, `"name":"APP_WORD","len":13,"hmac":"`)
	require.Contains(t, header, `"key":"`)
	require.NotContains(t, header, "sha256")
	require.NotContains(t, header, value)

	r = clitest.InProcess(t, "rec", "cat", "--json", file)
	require.Equal(t, 0, r.Code, r.Stderr)
	require.NotContains(t, r.Stdout, `"salt"`, "the output may end up in a public log")

	r = clitest.InProcess(t, "rec", "redact", file, "-o", out)
	require.Equal(t, 0, r.Code, r.Stderr)
	require.Contains(t, r.Stderr, "given APP_WORD")
	copied, err := os.ReadFile(out)
	require.NoError(t, err)
	require.NotContains(t, string(copied), value)
	require.NotContains(t, string(copied), `"salt"`)

	r = clitest.Run(t, "rec", "redact", file, "--dry-run") // with a state folder of its own, as on another machine
	require.Equal(t, 0, r.Code, r.Stderr)
	require.NotContains(t, r.Stderr, "given APP_WORD")
	require.Contains(t, r.Stderr, "not searched for: 1 value given to the session, unknown here")
}

// TestGivenValuesWithoutKey: without a state folder that can be written, a recording has
// no digests, and says so.
func TestGivenValuesWithoutKey(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "in.jsonl")
	cmd := clitest.Program(t, "call", "--record", file, "-e", "APP_WORD=hunter2-given", "--tool", "echo", "message=hi", "--", clitest.Binary(), console.DemoServer)
	cmd.Env = append(cmd.Env, "XDG_STATE_HOME="+clitest.WriteFile(t, ""))
	r := clitest.Finish(t, cmd)
	require.Equal(t, 0, r.Code, r.Stderr)
	recorded, err := os.ReadFile(file)
	require.NoError(t, err)
	require.NotContains(t, string(recorded), `"secrets"`)
	require.Contains(t, string(recorded), `"text":"no digests of the given values: `)
}

// TestRedactNothing: a copy without a removed secret differs from the recording, and the
// report names the places.
func TestRedactNothing(t *testing.T) {
	t.Parallel()
	file := clitest.RuleFixtures + "healthy-legacy.jsonl"
	out := filepath.Join(t.TempDir(), "copy.jsonl")
	r := clitest.InProcess(t, "rec", "redact", file, "-o", out)
	require.Equal(t, 0, r.Code, r.Stderr)
	require.Contains(t, r.Stderr, "0 secrets removed; 0 of ")
	require.Contains(t, r.Stderr, "only the header, which marks the copy as redacted, and the hash at the end (if there is one) differ\n")
	r = clitest.InProcess(t, "rec", "redact", file, "--dry-run")
	require.NotContains(t, r.Stderr, "only the header")
}
