package cli

import (
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/cli/clitest"
	"mcpdbg/session/diagnosis/rule"
)

func TestWrongUsage(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	there := clitest.WriteFile(t, "precious")
	broken := clitest.WriteFile(t, "{\"roots/list\": ")
	for _, c := range []struct {
		args string // separated by spaces; @ is a space
		says []string
	}{
		{"--no-record", []string{"no command to debug", "--config"}},
		{"run --server x -- y", []string{"--server requires --config"}},
		{"list --input a=b tools -- y", []string{"--input requires --config"}},
		{"run --config " + broken + " -- x", []string{"--config and a command cannot be combined", "try: remove the command"}},
		{"--config " + dir + "/missing", []string{dir + "/missing: can't be read: no such file"}},
		{"--config " + dir, []string{dir + ": can't be read: not a regular file"}},
		{"--config " + broken, []string{broken + ":1:16: not valid JSON: unexpected end of file", "try: check for a missing bracket"}},
		{"run --config " + there, []string{there + ":", "not valid TOML"}},
		{"run --config " + broken + " --input hunter2", []string{"--input hunter2: must be NAME=VALUE"}},
		{"rnu -- x", []string{`unknown command "rnu"`, "try: mcpdbg run"}},
		{"frobnicate", []string{`unknown command "frobnicate"`, "try: mcpdbg --help"}},
		{"my-server --flag", []string{"unknown flag: --flag", "--help"}},
		{"run", []string{"no command", "after --"}},
		{"run --", []string{"no command", "after --"}},
		{"run my-server", []string{`unexpected "my-server"`, "after --"}},
		{"run --nope -- x", []string{"unknown flag: --nope", "mcpdbg run --help"}},
		{"run --json --quiet -- x", []string{"--json and --quiet cannot be combined"}},
		{"run --for soon -- x", []string{`invalid argument "soon"`, "--for"}},
		{"run --in " + dir + "/missing -- x", []string{"--in: open", "no such file"}},
		{"run --in " + dir + " -- x", []string{"--in: " + dir + " is a directory"}},
		{"call -- x", []string{"no method", "tools/list"}},
		{"call --tool x", []string{"no command", "after --"}},
		{"call --tool x a -- x", []string{`argument "a": must be NAME=TEXT`}},
		{"call --tool x a:=b -- x", []string{`"b" is not valid JSON`, "always a string"}},
		{"call --tool x --params {} a=b -- x", []string{"--params and arguments (a=b) cannot be combined"}},
		{"call m --params {\"a\" -- x", []string{"--params: must be a JSON object"}},
		{"call m --params [1] -- x", []string{"--params: must be a JSON object"}},
		{"call m --params null -- x", []string{"--params: must be a JSON object"}},
		{"list -- x", []string{"list takes one of", "tools, resources, templates, prompts"}},
		{"list tool -- x", []string{`list "tool"`, "tools, resources, templates, prompts"}},
		{"list tools prompts -- x", []string{"list takes one of"}},
		{"run --env A -- x", []string{`--env "A"`, "NAME=VALUE", "--env-from"}},
		{"run --env =A -- x", []string{`--env "=A"`}},
		{"run --env-from NO_SUCH_VARIABLE -- x", []string{"--env-from NO_SUCH_VARIABLE", "not set in this environment"}},
		{"run --env-policy some -- x", []string{`--env-policy "some"`, "inherit, client or none"}},
		{"run --era old -- x", []string{`--era "old"`, "auto, legacy or modern"}},
		{"run --overrun wait -- x", []string{`--overrun "wait"`, "hold or drop"}},
		{"run --timeout 0s -- x", []string{"must be more than 0"}},
		{"run --startup-timeout -1s -- x", []string{"must be more than 0"}},
		{"run --line-limit 1X -- x", []string{`invalid size "1X"`, "16M"}},
		{"run --answers " + dir + "/missing -- x", []string{"--answers: open", "no such file"}},
		{"run --answers " + broken + " -- x", []string{"--answers " + broken, "not valid JSON: it ends too early"}},
		{"run --record " + there + " -- x", []string{there + ": the file exists", "never overwritten", "try: --record"}},
		{"run --record " + dir + "/no/r -- x", []string{"create recording " + dir + "/no/r: no such file", "try: --record"}},
		{"run --record r --no-record -- x", []string{"--record and --no-record cannot be combined"}},
		{"run --path-from login -- x", []string{"--path-from requires --ssh"}},
		{"call --accept-new m -- x", []string{"--accept-new requires --ssh"}},
		{"-F f -- x", []string{"--ssh-config requires --ssh"}},
		{"list --ssh-lease 30s tools -- x", []string{"--ssh-lease requires --ssh"}},
		{"run --ssh= -- x", []string{"\"--ssh\" flag: empty", "must be a host"}},
		{"run --ssh -oProxyCommand=x -- x", []string{"--ssh: destination", "begins with '-'"}},
		{"run --ssh me:hunter2@h -- x", []string{"--ssh: destination", "contains a password"}},
		{"run --ssh h --ssh-transport telnet -- x", []string{`--ssh-transport "telnet": must be auto, native, master or binary`}},
		{"run --ssh h --path-from x -- x", []string{`--path-from "x": must be plain, login, interactive or explicit`}},
		{"run --ssh h --ssh-launch x -- x", []string{`--ssh-launch "x": must be guarded or plain`}},
		{"run --ssh h --path-from explicit -- x", []string{"--path-from explicit requires -e PATH="}},
		{"run --ssh h --ssh-connect-timeout 0s -- x", []string{"must be more than 0"}},
		{"run --ssh h --ssh-auth-timeout 0s -- x", []string{"--ssh-auth-timeout must be more than 0"}},
		{"run --ssh h --ssh-launch-timeout 0s -- x", []string{"--ssh-launch-timeout must be more than 0"}},
		{"run --ssh h --ssh-lease 9s -- x", []string{"--ssh-lease must be at least 10s"}},
		{"run --ssh h -C sub/dir -- x", []string{"--cwd sub/dir", "an absolute path on the host"}},
		{"run --ssh h --env-policy client -- x", []string{"--env-policy client", "cannot be combined with --ssh", "--env-from"}},
		{"run --ssh h", []string{"no command", "after --"}},
		{"demo --ssh h", []string{"unknown flag: --ssh"}},
		{"demo x", []string{`unknown command "x"`}},
		{"demo -- x", []string{"demo takes no command", "mcpdbg -- COMMAND"}},
	} {
		r := clitest.InProcess(t, strings.Fields(c.args)...)
		require.Equal(t, 2, r.Code, c.args)
		require.True(t, strings.HasPrefix(r.Stderr, "mcpdbg: "), "%s: %s", c.args, r.Stderr)
		for _, text := range c.says {
			require.Contains(t, r.Stderr, text, c.args)
		}
		require.NotContains(t, r.Stderr, "me:hunter2", "passwords are never repeated")
		require.Empty(t, r.Stdout, c.args)
	}
	data, err := os.ReadFile(there)
	require.NoError(t, err)
	require.Equal(t, "precious", string(data))
}

func TestStartErrors(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	script := filepath.Join(dir, "script")
	require.NoError(t, os.WriteFile(script, []byte("#!/bin/sh\n"), 0o644))
	for _, c := range []struct {
		args []string
		says []string
	}{
		{[]string{"--", "no-such-program"}, []string{`program "no-such-program" not found`, "PATH=" + os.Getenv("PATH"), "try: "}},
		{[]string{"--", "./no-such-program"}, []string{"./no-such-program does not exist", "try: "}},
		{[]string{"--", dir}, []string{dir + " is a directory", "try: "}},
		{[]string{"--", script}, []string{"not executable", "try: chmod +x"}},
		{[]string{"-C", dir + "/missing", "--", "sh"}, []string{dir + "/missing does not exist", "--cwd"}},
		{[]string{"-C", script, "--", "sh"}, []string{"not a directory", "--cwd"}},
		{[]string{"--", ""}, []string{"no program given"}},
		{[]string{"--", "sh", "a\x00b"}, []string{"NUL"}},
		{[]string{"-e", "A=b\x00c", "--", "sh"}, []string{"NUL"}},
		{[]string{"-e", "A\x00=b", "--", "sh"}, []string{"A"}},
	} {
		for _, how := range [][]string{{"call", "--no-record", "m"}, {"list", "--no-record", "tools"}, {"run", "--no-record"}, {"run", "--no-record", "--raw"}} {
			args := append(how[:len(how):len(how)], c.args...)
			r := clitest.InProcess(t, args...)
			require.Equal(t, 3, r.Code, "%q", args)
			for _, text := range c.says {
				require.Contains(t, r.Stderr, text, "%q", args)
			}
			require.NotContains(t, r.Stderr, "\x00")
		}
	}
}

func TestFirstDoubleDashEndsArguments(t *testing.T) {
	for _, c := range []struct {
		args, ours, command []string
		found               bool
	}{
		{nil, nil, nil, false},
		{[]string{"run"}, []string{"run"}, nil, false},
		{[]string{"--"}, []string{}, []string{}, true},
		{[]string{"--", "run"}, []string{}, []string{"run"}, true},
		{[]string{"-e", "A=B", "--", "list"}, []string{"-e", "A=B"}, []string{"list"}, true},
		{[]string{"run", "--", "srv", "--", "x"}, []string{"run"}, []string{"srv", "--", "x"}, true},
	} {
		ours, command, found := splitCommand(c.args)
		require.Equal(t, c.ours, ours, "%q", c.args)
		require.Equal(t, c.command, command, "%q", c.args)
		require.Equal(t, c.found, found, "%q", c.args)
	}
}

func TestExplain(t *testing.T) {
	t.Parallel()
	r := clitest.InProcess(t, "explain")
	require.Equal(t, 0, r.Code)
	require.Equal(t, len(rule.All()), strings.Count(r.Stdout, "\n"))
	require.Contains(t, r.Stdout, "FRM01   error    server   noise on stdout\n")
	for _, one := range rule.All() {
		r := clitest.InProcess(t, "explain", strings.ToLower(one.ID))
		require.Equal(t, 0, r.Code, r.Stderr)
		for _, word := range []string{one.ID, one.Title, "severity", "side", "revisions", "reference", "impact"} {
			require.Contains(t, r.Stdout, word)
		}
		for line := range strings.Lines(r.Stdout) {
			require.LessOrEqual(t, len([]rune(line)), 80, line)
		}
	}
	r = clitest.InProcess(t, "explain", "FRM1")
	require.Equal(t, 2, r.Code)
	require.Contains(t, r.Stderr, "unknown rule \"FRM1\"\n  try: mcpdbg explain FRM01")
	r = clitest.InProcess(t, "explain", "nothing")
	require.Contains(t, r.Stderr, "try: mcpdbg explain to list all rules")
	r = clitest.InProcess(t, "__complete", "explain", "prc0")
	require.Contains(t, r.Stdout, "PRC05\t")
}

func TestBuildWords(t *testing.T) {
	t.Parallel()
	commit := debug.BuildSetting{Key: "vcs.revision", Value: "3196ee6a5d0c1e2f3a4b5c6d7e8f901234567890"}
	date := debug.BuildSetting{Key: "vcs.time", Value: "2026-11-22T14:45:46Z"}
	clean := debug.BuildSetting{Key: "vcs.modified", Value: "false"}
	changed := debug.BuildSetting{Key: "vcs.modified", Value: "true"}
	require.Empty(t, buildWords(nil))
	require.Empty(t, buildWords([]debug.BuildSetting{{Key: "GOOS", Value: "linux"}, clean}))
	require.Equal(t, " commit 3196ee6a5d0c 2026-11-22T14:45:46Z", buildWords([]debug.BuildSetting{date, commit, clean}))
	require.Equal(t, " commit 3196ee6a5d0c+changes 2026-11-22T14:45:46Z", buildWords([]debug.BuildSetting{commit, date, changed}))
}
