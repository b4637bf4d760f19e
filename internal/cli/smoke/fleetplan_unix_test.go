//go:build unix

package smoke_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/cli/clitest"
)

// planned runs a command with hosts on standard input.
func planned(t *testing.T, hosts string, args ...string) clitest.Result {
	t.Helper()
	cmd := clitest.Program(t, args...)
	cmd.Stdin = strings.NewReader(hosts)
	return clitest.Finish(t, cmd)
}

func TestDryRun(t *testing.T) {
	t.Parallel()
	const groups = "[eu]\nh-[001:005]\n[canary]\nh-002\n"
	for _, command := range []string{"smoke", "check"} {
		r := planned(t, groups, command, "--hosts", "-", "--limit", "eu:!canary", "--dry-run", "--", "my-server")
		require.Equal(t, 0, r.Code, r.Stderr)
		require.Regexp(t, `^4 hosts x 1 server: 4 targets, plan [0-9a-f]{32}
my-server@h-001  standard input:2  groups: eu
my-server@h-003  standard input:2  groups: eu
my-server@h-004  standard input:2  groups: eu
my-server@h-005  standard input:2  groups: eu
$`, r.Stdout)
	}
	r := planned(t, groups+"[eu:vars]\nmcp_command=/opt/x --token hush\nmcp_env=KEY=hush\nansible_port=2222\n", "smoke", "--hosts", "-", "--limit", "h-003", "--dry-run")
	require.Equal(t, 0, r.Code, r.Stderr)
	require.Contains(t, r.Stdout, "x@h-003  standard input:2  groups: eu\n    ansible_port=2222  (standard input:8 [eu])\n    mcp_command=/opt/x --token ***  (standard input:6 [eu])\n    mcp_env=KEY=***  (standard input:7 [eu])\n")
	require.NotContains(t, r.Stdout+r.Stderr, "hush")
}

func TestHostsFileErrors(t *testing.T) {
	t.Parallel()
	for hosts, want := range map[string]string{
		"a\n[all:vars]\nmcp_command={{ x }}": "standard input:3 [all]: mcp_command has a template",
		"a ansible_password=hush":            "standard input:1: ansible_password is refused",
		"a":                                  "standard input:1: a has no mcp_command",
		"a mcp_command='x | y'":              "standard input:1: mcp_command: unquoted |",
		"a mcp_command=x mcp_via='docker exec web'": "standard input:1: mcp_via: docker exec has no -i",
		"a mcp_command=x mcp_env=hush":              "standard input:1: mcp_env: word 1 is not NAME=VALUE",
		"a mcp_command=x mcp_launch=fast":           `standard input:1: mcp_launch "fast": must be guarded, plain`,
		"a mcp_command=x mcp_cwd=srv":               "standard input:1: --cwd srv: with --ssh it must be an absolute path",
		"a mcp_command=x ansible_port=x":            "standard input:1: ansible_port must be a number",
		"a mcp_command=x ansible_host=-b":           "standard input:1: destination \"-b\": begins with '-'",
		"a mcp_command=x ansible_connection=winrm":  "standard input:1: ansible_connection must be ssh or local",
	} {
		r := planned(t, hosts, "smoke", "--hosts", "-", "--dry-run")
		require.Equal(t, 2, r.Code, hosts)
		require.Contains(t, r.Stderr, want, hosts)
		require.NotContains(t, r.Stdout+r.Stderr, "hush", hosts)
	}
	for args, want := range map[string]string{
		"--limit x":              "--limit: x matches no group, host or target",
		"--shard auto":           "--shard auto: none of CI_NODE_INDEX",
		"--connections logins=0": `--connections "logins=0"`,
		"--connections x=1":      "unknown limit \"x\"",
	} {
		cmd := clitest.Program(t, append(append([]string{"smoke", "--hosts", "-", "--dry-run"}, strings.Fields(args)...), "--", "my-server")...)
		cmd.Env = append(cmd.Env, "CI_NODE_INDEX=", "CI_NODE_TOTAL=")
		cmd.Stdin = strings.NewReader("a")
		r := clitest.Finish(t, cmd)
		require.Equal(t, 2, r.Code, args)
		require.Contains(t, r.Stderr, want, args)
	}
}

// Hosts that run here, with variables: a skipped one is not run.
func TestHostVariables(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "fleet.ini")
	require.NoError(t, os.WriteFile(file, []byte(`[here]
one
two mcp_skip="is being rebuilt"
[here:vars]
ansible_connection=local
mcp_server=notes
mcp_command='`+clitest.Binary()+`' demo-server
`), 0o600))
	run := filepath.Join(dir, "run.json")
	r := clitest.Finish(t, clitest.Program(t, "smoke", "--no-record", "--hosts", file, "--json"))
	require.Equal(t, 0, r.Code, r.Stdout+r.Stderr)
	require.Contains(t, r.Stdout, `"host":"one","server":"notes","ok":true`)
	require.NoError(t, os.WriteFile(run, []byte(r.Stdout), 0o600))
	r = clitest.Finish(t, clitest.Program(t, "smoke", "--no-record", "--hosts", file, "--limit", "@"+run))
	require.Equal(t, 0, r.Code, r.Stderr)
	require.Contains(t, r.Stderr, "nothing to do: the report has no failures")

	r = clitest.Finish(t, clitest.Program(t, "smoke", "--no-record", "--hosts", file, "--shard", "3/3"))
	require.Equal(t, 0, r.Code, r.Stdout+r.Stderr)
	require.NoError(t, os.Chmod(file, 0o666))
	r = clitest.Finish(t, clitest.Program(t, "smoke", "--hosts", file))
	require.Equal(t, 2, r.Code)
	require.Contains(t, r.Stderr, "fleet.ini:7: mcp_command is refused, because others can write this file")
}
