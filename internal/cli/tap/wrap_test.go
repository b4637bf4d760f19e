package tap

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"

	"mcpdbg/internal/cli/console"
	"mcpdbg/internal/cli/flags"
)

const (
	program   = "/opt/mcpdbg/bin/mcpdbg"
	mcpJSON   = `{"mcpServers":{"notes":{"command":"node","args":["notes.js","--api-key","s3cret"]},"remote":{"url":"https://example.com/mcp"}}}`
	vscodeMCP = "{\n  // mine\n  \"servers\": {\n    \"notes\": { \"command\": \"notes\" },\n    \"web\": { \"command\": \"web\", \"sandboxEnabled\": true },\n  },\n}\n"
)

// inFolder makes a project with the files, and a home folder, and moves into the project.
func inFolder(t *testing.T, files map[string]string) (home string) {
	t.Helper()
	home, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	for _, name := range []string{"HOME", "USERPROFILE", "AppData", "LocalAppData"} {
		t.Setenv(name, home)
	}
	for _, name := range []string{"XDG_CONFIG_HOME", "XDG_STATE_HOME", "CODEX_HOME", "CLAUDE_CONFIG_DIR"} {
		t.Setenv(name, "")
	}
	project := filepath.Join(home, "project")
	require.NoError(t, os.MkdirAll(filepath.Join(project, ".git"), 0o700))
	t.Chdir(project)
	for name, text := range files {
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o700))
		require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
	}
	return home
}

type result struct {
	code        int
	out, errors string
}

// run runs wrap or unwrap; it does not wait before it reads edited files again.
func run(t *testing.T, args ...string) result {
	t.Helper()
	var out, errs bytes.Buffer
	env := &console.Env{Stdout: &out, Stderr: &errs, Self: []string{program}}
	var cmd *cobra.Command
	if args[0] == "wrap" {
		cmd = wrapCommand(env, 0)
	} else {
		cmd = unwrapCommand(env, 0)
	}
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	cmd.SetArgs(args[1:])
	code := env.ExitCode(cmd.ExecuteContext(t.Context()))
	return result{code, out.String(), errs.String()}
}

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(data)
}

func TestWrap(t *testing.T) {
	inFolder(t, map[string]string{".mcp.json": mcpJSON})
	r := run(t, "wrap", "notes")
	require.Equal(t, 0, r.code, r.errors)
	require.Equal(t, "wrapped notes in .mcp.json:1 (Claude Code, project)\n", r.out)
	var file struct {
		Servers map[string]struct {
			Command string
			Args    []string
		} `json:"mcpServers"`
	}
	require.NoError(t, json.Unmarshal([]byte(read(t, ".mcp.json")), &file))
	require.Equal(t, program, file.Servers["notes"].Command)
	require.Equal(t, []string{"tap", "--live", "--name", "notes", "--", "node", "notes.js", "--api-key", "s3cret"}, file.Servers["notes"].Args)
	for _, says := range []string{"with all secrets in them", filepath.Join("mcpdbg", "recordings"), "mcpdbg rec redact", "mcpdbg unwrap --all before you remove mcpdbg"} {
		require.Contains(t, r.errors, says)
	}
	require.True(t, strings.HasSuffix(r.errors, "mcpdbg: Claude Code picks this up in a new session, or after /mcp in a running one\n"), r.errors)

	once := read(t, ".mcp.json")
	r = run(t, "wrap", "notes")
	require.Equal(t, result{0, "", "mcpdbg: notes in .mcp.json:1 (Claude Code, project) is already wrapped\n"}, r)
	require.Equal(t, once, read(t, ".mcp.json"))

	r = run(t, "unwrap", "notes")
	require.Equal(t, result{0, "unwrapped notes in .mcp.json:1 (Claude Code, project)\n", "mcpdbg: Claude Code picks this up in a new session, or after /mcp in a running one\n"}, r)
	require.Equal(t, mcpJSON, read(t, ".mcp.json"))
	r = run(t, "unwrap", "notes")
	require.Equal(t, result{0, "", "mcpdbg: notes in .mcp.json:1 (Claude Code, project) is not wrapped\n"}, r)
	r = run(t, "wrap", "notes")
	require.NotContains(t, r.errors, "secrets", "this is said once")
}

func TestWrapList(t *testing.T) {
	inFolder(t, map[string]string{".mcp.json": mcpJSON, ".vscode/mcp.json": vscodeMCP,
		"../.claude.json": `{"projects":{"/elsewhere":{"mcpServers":{"far":{"command":"far","disabled":true}}}}}`})
	require.Equal(t, 0, run(t, "wrap", "web").code)
	r := run(t, "wrap")
	require.Equal(t, 0, r.code)
	require.Empty(t, r.errors)
	var rows []string
	for line := range strings.Lines(r.out) {
		rows = append(rows, strings.Join(strings.Fields(line), " "))
	}
	require.Equal(t, []string{
		"NAME CLIENT SCOPE STATE FILE",
		"notes Claude Code project not wrapped .mcp.json:1",
		"remote Claude Code project - (HTTP servers cannot be wrapped: a tap speaks stdio) .mcp.json:1",
		"notes VS Code project not wrapped " + filepath.FromSlash(".vscode/mcp.json:4"),
		"web VS Code project wrapped " + filepath.FromSlash(".vscode/mcp.json:5"),
		"far Claude Code project /elsewhere not wrapped (disabled) " + filepath.FromSlash("~/.claude.json:1"),
	}, rows)
	r = run(t, "wrap", "--client", "vscode")
	require.NotContains(t, r.out, "Claude")
	r = run(t, "wrap", "--scope", "user")
	require.Equal(t, 1, strings.Count(r.out, "\n")+strings.Count(r.errors, "\n"), r.errors)
}

func TestWrapChoice(t *testing.T) {
	inFolder(t, map[string]string{".mcp.json": mcpJSON, ".vscode/mcp.json": vscodeMCP, "other.json": `{"mcpServers":{"other":{"command":"x"}}}`})
	for args, says := range map[string][]string{
		"wrap notes":                        {`several servers are called "notes":`, "notes in .mcp.json:1 (Claude Code, project)", "(VS Code, project)", "try: --client, --scope or --config FILE"},
		"wrap nots":                         {`no server "nots"; there are notes, remote, web`, "try: notes"},
		"wrap other":                        {`no server "other"`},
		"wrap notes --client code":          {`--client "code": unknown client`, "vscode"},
		"wrap notes --scope all":            {`--scope "all": use project or user`},
		"wrap remote":                       {"HTTP servers cannot be wrapped"},
		"wrap --status notes":               {"--status and names cannot be combined"},
		"wrap --dry-run":                    {"require a name"},
		"unwrap":                            {"no name given", "mcpdbg unwrap --all"},
		"unwrap --all notes":                {"--all and names cannot be combined"},
		"unwrap notes":                      {"several servers are called"},
		"wrap notes --config missing.json":  {"can't be read"},
		"wrap notes web --client cursor":    {`no server "notes"`},
		"wrap notes --config .git/../x.txt": {"can't be read"},
	} {
		r := run(t, strings.Fields(args)...)
		require.Equal(t, 2, r.code, args)
		require.Empty(t, r.out, args)
		for _, text := range says {
			require.Contains(t, r.errors, text, args)
		}
	}
	require.Equal(t, mcpJSON, read(t, ".mcp.json"))
	require.Equal(t, vscodeMCP, read(t, ".vscode/mcp.json"))
	require.Equal(t, 0, run(t, "wrap", "other", "--config", "other.json").code)
	require.Contains(t, read(t, "other.json"), program)
	r := run(t, "wrap", "notes", "web", "--client", "vscode")
	require.Equal(t, 0, r.code, r.errors)
	require.Contains(t, r.errors, "web: VS Code starts the tap in its sandbox")
	require.Equal(t, 1, strings.Count(r.errors, "picks this up"))
	r = run(t, "unwrap", "notes")
	require.Equal(t, 0, r.code, "only one of that name is wrapped")
	require.Contains(t, r.out, "VS Code")
}

// TestWrapDryRun checks that a dry run shows what changes, without secrets.
func TestWrapDryRun(t *testing.T) {
	home := inFolder(t, map[string]string{".mcp.json": mcpJSON})
	r := run(t, "wrap", "notes", "--dry-run")
	require.Equal(t, result{0, "notes in .mcp.json:1 (Claude Code, project)\n" +
		"- node notes.js --api-key '***'\n" +
		"+ " + program + " tap --live --name notes -- node notes.js --api-key '***'\n", ""}, r)
	require.Equal(t, mcpJSON, read(t, ".mcp.json"))
	require.NoDirExists(t, filepath.Join(home, ".local"))
	for word, want := range map[string]string{
		"plain": "plain", "--level=3": "--level=***", "A=b=c": "A=***", "https://u:p@host/x?k=v": "https://***@host/x?***",
		"--url=https://host/": "--url=***", "postgres://host/db": "postgres://host/db", "https://host/?a=b": "https://host/?***",
		"Authorization: Basic x": "Authorization: ***",
	} {
		require.Equal(t, want, maskWord(word))
	}
}

// TestUnwrapAll checks that it finds the servers of other folders.
func TestUnwrapAll(t *testing.T) {
	home := inFolder(t, map[string]string{".mcp.json": mcpJSON, "../gone/.mcp.json": mcpJSON, "../other/.mcp.json": mcpJSON})
	for _, dir := range []string{".", "../gone", "../other"} {
		require.Equal(t, 0, run(t, "wrap", "notes", "--config", filepath.Join(dir, ".mcp.json")).code)
	}
	require.NoError(t, os.RemoveAll("../gone"))
	r := run(t, "unwrap", "--all")
	require.Equal(t, 0, r.code, r.errors)
	require.Equal(t, 2, strings.Count(r.out, "unwrapped notes in "))
	require.Contains(t, r.errors, `gone/.mcp.json, which had the wrapped server "notes", is gone`)
	require.Equal(t, mcpJSON, read(t, ".mcp.json"))
	require.Equal(t, mcpJSON, read(t, "../other/.mcp.json"))
	left, err := filepath.Glob(filepath.Join(home, ".local", "state", "mcpdbg", "wrapped", "*"))
	require.NoError(t, err)
	require.Empty(t, left)
	require.Equal(t, result{0, "", "mcpdbg: no server is wrapped\n"}, run(t, "unwrap", "--all"))
}

func TestWrapStatus(t *testing.T) {
	inFolder(t, map[string]string{".mcp.json": mcpJSON, ".vscode/mcp.json": vscodeMCP})
	require.Equal(t, result{0, "", "mcpdbg: no server is wrapped\n"}, run(t, "wrap", "--status"))
	require.Equal(t, 0, run(t, "wrap", "notes", "--client", "claude-code").code)
	r := run(t, "wrap", "--status")
	require.Equal(t, 1, r.code)
	require.Contains(t, r.out, "does not start: ")
	require.Contains(t, r.out, program)

	require.NoError(t, os.WriteFile(".mcp.json", []byte(mcpJSON), 0o600))
	r = run(t, "wrap", "--status")
	require.Equal(t, 0, r.code)
	require.Contains(t, r.errors, "notes in .mcp.json:1 (Claude Code, project) is no longer wrapped: another program has changed it")

	evil := strings.Replace(vscodeMCP, `"command": "notes"`, `"command": "/nowhere/mcpdbg", "args": ["tap", "--", "notes"]`, 1)
	require.NoError(t, os.WriteFile(".vscode/mcp.json", []byte(evil), 0o600))
	r = run(t, "wrap", "--status")
	require.Equal(t, 1, r.code)
	require.Contains(t, r.out, "does not start: ")
	if runtime.GOOS == "windows" {
		t.Skip("symbolic links")
	}
	self, err := os.Executable() // it exists, and would run the tests again
	require.NoError(t, err)
	require.NoError(t, os.Symlink(self, "mcpdbg"))
	link, err := filepath.Abs("mcpdbg")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(".vscode/mcp.json", []byte(strings.Replace(evil, "/nowhere/mcpdbg", filepath.ToSlash(link), 1)), 0o600))
	r = run(t, "wrap", "--status")
	require.Equal(t, 0, r.code, r.errors)
	require.Contains(t, r.out, "exists (not tried: written by hand)")
}

// TestTryProgram checks what counts as mcpdbg.
func TestTryProgram(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("shell scripts")
	}
	dir := t.TempDir()
	for i, c := range []struct{ script, says string }{{"echo mcpdbg 1.0", ""}, {"echo something", "is another program"}, {"exit 3", "exit status 3"}} {
		path := filepath.Join(dir, strconv.Itoa(i))
		require.NoError(t, os.WriteFile(path, []byte("#!/bin/sh\n"+c.script+"\n"), 0o700))
		err := tryProgram(t.Context(), path)
		if c.says == "" {
			require.NoError(t, err)
		} else {
			require.ErrorContains(t, err, c.says)
		}
	}
	require.ErrorIs(t, tryProgram(t.Context(), filepath.Join(dir, "missing")), fs.ErrNotExist)
}

func TestSharedFile(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip(err)
	}
	inFolder(t, map[string]string{".mcp.json": mcpJSON})
	require.NoError(t, os.Remove(".git"))
	for _, args := range [][]string{{"init", "--quiet"}, {"add", ".mcp.json"}} {
		out, err := exec.CommandContext(t.Context(), "git", args...).CombinedOutput()
		require.NoError(t, err, "%s", out)
	}
	r := run(t, "wrap", "notes")
	require.Equal(t, 2, r.code)
	require.Contains(t, r.errors, "git tracks the file")
	require.Contains(t, r.errors, "--shared")
	require.Contains(t, r.errors, "claude mcp add --scope local notes")
	require.Equal(t, mcpJSON, read(t, ".mcp.json"))
	r = run(t, "wrap", "notes", "--shared")
	require.Equal(t, 0, r.code, r.errors)
	require.Contains(t, r.errors, "mcpdbg unwrap --all", "the first attempt failed")
}

// TestInstalled checks that the path by which PATH finds the program is preferred.
func TestInstalled(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("symbolic links")
	}
	dir := t.TempDir()
	self, link := filepath.Join(dir, "1.0", "mcpdbg"), filepath.Join(dir, "bin", "mcpdbg")
	for _, path := range []string{self, link} {
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
	}
	require.NoError(t, os.WriteFile(self, nil, 0o700))
	t.Setenv("PATH", filepath.Dir(link))
	require.Equal(t, self, installed(self))
	require.NoError(t, os.Symlink(self, link))
	require.Equal(t, link, installed(self))
	require.NoError(t, os.Remove(link))
	require.NoError(t, os.WriteFile(link, nil, 0o700))
	require.Equal(t, self, installed(self), "another program")
}

func TestCompletion(t *testing.T) {
	inFolder(t, map[string]string{".mcp.json": mcpJSON, ".vscode/mcp.json": vscodeMCP})
	require.Equal(t, 0, run(t, "wrap", "web").code)
	var c choice
	names, _ := c.complete(false)(nil, nil, "")
	require.Equal(t, []cobra.Completion{"notes\tClaude Code", "notes\tVS Code"}, names)
	names, _ = c.complete(true)(nil, nil, "")
	require.Equal(t, []cobra.Completion{"web\tVS Code"}, names)
}

// TestFlagsOfAWrap: folders are absolute, since a client starts the tap in its own one.
func TestFlagsOfAWrap(t *testing.T) {
	t.Parallel()
	folder, err := os.Getwd()
	require.NoError(t, err)
	words, err := tapFlags(&cobra.Command{}, false, &flags.Watch{Globs: []string{"src/*.go", "!**/gen.go", "/abs/*"}, Before: "go build", Poll: true})
	require.NoError(t, err)
	require.Equal(t, []string{
		"--live", "--watch", filepath.Join(folder, "src/*.go"), "--watch", "!" + filepath.Join(folder, "**/gen.go"), "--watch", "/abs/*",
		"--watch-run", words[8], "--watch-poll",
	}, words)
	require.Regexp(t, `^cd .* && go build$`, words[8])
	words, err = tapFlags(&cobra.Command{}, true, &flags.Watch{})
	require.NoError(t, err)
	require.Empty(t, words)
	_, err = tapFlags(&cobra.Command{}, false, &flags.Watch{Globs: []string{"src/[*.go"}})
	require.ErrorContains(t, err, "unclosed bracket")
}
