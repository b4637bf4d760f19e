//go:build unix

package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/cli/clitest"
	"mcpdbg/recordings"
)

// tampering returns the demo server behind a shell that first changes the files of
// a folder, as another program might.
func tampering(what, folder string, flags ...string) []string {
	script := `cd "$1" && ` + what + ` && exec "$2" demo-server`
	return append(flags[:len(flags):len(flags)], "--", "sh", "-c", script, "sh", folder, clitest.Binary())
}

// An incomplete recording is reported on the last line of stderr, and by exit code
// 6 unless there is another error.
func TestExitCodesOfIncompleteRecordings(t *testing.T) {
	t.Parallel()
	clitest.Need(t, "sh")
	ping := clitest.WriteFile(t, `{"jsonrpc":"2.0","id":1,"method":"ping"}`)
	steps := clitest.WriteFile(t, "scenario: 1\nsteps:\n  - tool: echo\n    arguments: {message: hi}\n")
	session := clitest.RecordedDemo(t, "", []string{"--era", "legacy"}, clitest.ReplayLines...)
	for name, flags := range map[string][]string{
		"run": {"run", "--for", "1s"}, "run, quiet": {"run", "--quiet", "--for", "1s"}, "run --in": {"run", "--era", "legacy", "--in", ping},
		"run --scenario": {"run", "--scenario", steps}, "call": {"call", "--tool", "echo", "message=hi"}, "list": {"list", "tools"},
		"replay": {"replay", session}, "smoke": {"smoke"},
	} {
		for what, c := range map[string]struct {
			does string
			code int
			says string // after the path
		}{
			"deleted":   {"rm *", 6, "was deleted while it was open"},
			"truncated": {"for f in *; do : >$f; done", 6, "was truncated while it was open"},
			"replaced":  {"echo >.new && for f in *; do cp .new .next && mv .next $f; done", 6, "was replaced while it was open"},
			"renamed":   {"for f in *; do mv $f $f.kept; done", 0, ""},
			"left":      {"true", 0, ""},
		} {
			if name == "replay" && what == "truncated" {
				c.code = 2 // nothing to compare with
			}
			t.Run(name+", "+what, func(t *testing.T) {
				t.Parallel()
				folder := t.TempDir()
				place := []string{"--record", filepath.Join(folder, "z.jsonl")}
				if name == "smoke" {
					place = []string{"--recordings", folder}
				}
				r := clitest.Run(t, tampering(c.does, folder, append(flags, place...)...)...)
				require.Equal(t, c.code, r.Code, r.Stderr)
				lines := strings.Split(strings.TrimSuffix(r.Stderr, "\n"), "\n")
				if c.code == 0 {
					require.NotContains(t, r.Stderr, "incomplete")
					if what == "renamed" && (name == "run" || name == "replay") {
						require.Regexp(t, `recorded to \S*/z.jsonl, moved( to \S*/z.jsonl.kept)? while it was open`, r.Stderr)
					}
					return
				}
				require.Regexp(t, `^mcpdbg: recording incomplete: `+regexp.QuoteMeta(folder)+`/\S+\.jsonl `+c.says+`$`, lines[len(lines)-1])
			})
		}
	}
}

// Any other code takes precedence over that of an incomplete recording.
func TestExitCodesBeforeIncompleteRecording(t *testing.T) {
	t.Parallel()
	clitest.Need(t, "sh")
	for _, c := range []struct {
		code  int
		flags []string
		end   string
	}{
		{1, []string{"call", "no/such"}, "demo-server"},
		{3, []string{"call", "ping"}, "demo-server --misbehave dies-at-start"},
		{4, []string{"list", "--startup-timeout", "500ms", "tools"}, "demo-server --misbehave never-answers"},
		{1, []string{"smoke"}, "demo-server --misbehave dies-at-start"},
	} {
		folder := t.TempDir()
		place := []string{"--record", filepath.Join(folder, "z.jsonl")}
		if c.flags[0] == "smoke" {
			place = []string{"--recordings", folder}
		}
		args := append(c.flags, place...)
		r := clitest.Run(t, append(args, "--", "sh", "-c", `rm "$1"/*; exec "$2" `+c.end, "sh", folder, clitest.Binary())...)
		require.Equal(t, c.code, r.Code, r.Stderr)
		require.Contains(t, r.Stderr, "recording incomplete: ")
	}
}

// With --no-record nothing can be incomplete.
func TestNoRecordIsNeverIncomplete(t *testing.T) {
	t.Parallel()
	for _, flags := range [][]string{{"run", "--for", "100ms"}, {"list", "tools"}, {"smoke"}} {
		r := clitest.Run(t, clitest.Against("", append(flags, "--no-record")...)...)
		require.Equal(t, 0, r.Code, r.Stderr)
		require.NotContains(t, r.Stderr, "incomplete")
	}
}

func TestScreenReportsIncompleteRecording(t *testing.T) {
	for what, c := range map[string]struct {
		does, header, end string
	}{
		"deleted": {"rm z.jsonl", "REC INCOMPLETE", "ended with 6"},
		"renamed": {"mv z.jsonl y.jsonl", "moved", "ended with 0"},
	} {
		t.Run(what, func(t *testing.T) {
			folder := t.TempDir()
			args := tampering(c.does, folder, "--record", filepath.Join(folder, "z.jsonl"))
			s := clitest.InTerminal(t, 160, 36, append([]string{"sh", "-c", `"$0" "$@"; echo "ended with $?"; exec cat`, clitest.Binary()}, args...)...)
			s.Until("ready", c.header)
			s.Keys("q")
			shown := s.Until(c.end)
			require.Equal(t, what == "deleted", strings.Contains(strings.ReplaceAll(shown, "\n", ""), "z.jsonl was deleted while it was open"), shown)
		})
	}
}

// Without a default folder, recordings go to a temporary folder that only this user
// can read.
func TestRecordingWithoutHome(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{
		clitest.Against("", "call", "--tool", "echo", "message=hi"), clitest.Against("", "list", "tools"), clitest.Against("", "run", "--for", "100ms"), clitest.Against("", "smoke"),
	} {
		cmd := clitest.Program(t, args...)
		temp := t.TempDir()
		mark := cmd.Env[len(cmd.Env)-1]
		cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "TMPDIR=" + temp, mark}
		r := clitest.Finish(t, cmd)
		require.Equal(t, 0, r.Code, r.Stderr)
		folders, err := filepath.Glob(filepath.Join(temp, "mcpdbg-recordings-*"))
		require.NoError(t, err)
		require.Len(t, folders, 1)
		require.Equal(t, 1, strings.Count(r.Stderr, "warning"), r.Stderr)
		require.Contains(t, r.Stderr, "mcpdbg: warning: $HOME is not defined: recording to the temporary folder "+folders[0]+"\n")
		info, err := os.Stat(folders[0])
		require.NoError(t, err)
		require.Equal(t, os.FileMode(0o700), info.Mode().Perm())
		files, err := filepath.Glob(filepath.Join(folders[0], "*.jsonl"))
		require.NoError(t, err)
		require.Len(t, files, 1)
		report, err := recordings.Verify(files[0])
		require.NoError(t, err)
		require.True(t, report.OK() && report.Finished)
	}

	readOnly := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(readOnly, "state"), 0o500))
	homes := map[string]string{
		"HOME=/dev/null": "mkdir /dev/null: not a directory", "HOME=/dev/null/home": "not a directory",
		"XDG_STATE_HOME=" + clitest.WriteFile(t, "a file"): "not a directory", "XDG_STATE_HOME=/dev/null": "not a directory",
	}
	if os.Geteuid() != 0 { // who may write everywhere
		homes["XDG_STATE_HOME="+filepath.Join(readOnly, "state")] = "permission denied"
		homes["HOME=/nonexistent"] = "mkdir /nonexistent: "
	}
	for home, why := range homes {
		cmd := clitest.Program(t, clitest.Against("", "list", "tools")...)
		temp := t.TempDir()
		cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "TMPDIR=" + temp, home, cmd.Env[len(cmd.Env)-1]}
		r := clitest.Finish(t, cmd)
		require.Equal(t, 0, r.Code, r.Stderr)
		require.Contains(t, r.Stderr, why, home)
		require.Contains(t, r.Stderr, ": recording to the temporary folder "+temp, home)
		files, err := filepath.Glob(filepath.Join(temp, "mcpdbg-recordings-*", "*.jsonl"))
		require.NoError(t, err)
		require.Len(t, files, 1, home)
	}

	cmd := clitest.Program(t, clitest.Against("", "list", "--no-record", "tools")...)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), cmd.Env[len(cmd.Env)-1]}
	r := clitest.Finish(t, cmd)
	require.Equal(t, 0, r.Code, r.Stderr)
	require.Empty(t, r.Stderr)
}
