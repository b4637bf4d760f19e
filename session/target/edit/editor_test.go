package edit

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/session/target"
)

const notes = `{"mcpServers":{"notes":{"command":"notes"}}}`

// only returns the key of the only entry of a file.
func only(t testing.TB, ed *Editor, path string) Key {
	t.Helper()
	file, err := target.Read(path, ed.Options)
	require.NoError(t, err)
	require.Len(t, file.Entries, 1)
	return KeyOf(&file.Entries[0])
}

// TestEditsBetweenSurvive checks that unwrapping keeps what a person has changed since.
func TestEditsBetweenSurvive(t *testing.T) {
	for _, c := range []struct{ name, file, old, new string }{
		{"environment", `{"mcpServers":{"notes":{"command":"notes","args":["a"],"env":{"A":"1"}}}}`, `"A":"1"`, `"A":"2", "B": "3"`},
		{"another server", `{"mcpServers":{"notes":{"command":"notes","args":["a"]}}}`, `"mcpServers":{`, `"mcpServers":{"new":{"command":"new"},`},
		{"another argument", `{"mcpServers":{"notes":{"command":"notes","args":["a"]}}}`, `"a"]`, `"a", "b"]`},
		{"a first argument", `{"mcpServers":{"notes":{"command":"notes"}}}`, `"notes"]`, `"notes", "b"]`},
		{"spaces", `{"mcpServers":{"notes":{"command":"notes","args":["a"]}}}`, `"args":`, "\n  \"args\" :  "},
		{"table", "[mcp_servers.notes]\ncommand = \"notes\"\nargs = [\"a\"]\n", "args =", "# mine\nenabled = false\nargs="},
		{"table without arguments", "[mcp_servers.notes]\ncommand = \"notes\"\n", "args =", "cwd = \"/srv\"\nargs ="},
	} {
		t.Run(c.name, func(t *testing.T) {
			ed := editor(t)
			path := written(t, "config", []byte(c.file))
			key := only(t, ed, path)
			wrapAll(t, ed, []Key{key})
			wrapped := read(t, path)
			require.Equal(t, 1, strings.Count(wrapped, c.old), wrapped)
			require.NoError(t, os.WriteFile(path, []byte(strings.Replace(wrapped, c.old, c.new, 1)), 0o600))
			unwrapAll(t, ed, []Key{key})
			want := strings.Replace(c.file, c.old, c.new, 1)
			switch c.name { // the arguments were not in the file
			case "a first argument":
				want = `{"mcpServers":{"notes":{"command":"notes","args":["b"]}}}`
			case "table without arguments":
				want = "[mcp_servers.notes]\ncommand = \"notes\"\ncwd = \"/srv\"\n"
			}
			require.Equal(t, want, read(t, path))
		})
	}
}

// TestUnwrapByHand checks entries that a person or another program has written.
func TestUnwrapByHand(t *testing.T) {
	for _, c := range []struct{ file, want string }{
		{`{"mcpServers":{"n":{"command":"mcpdbg","args":["tap","--","n"]}}}`, `{"mcpServers":{"n":{"command":"n"}}}`},
		{`{/*of Claude Code*/"mcpServers":{"n":{"command":"mcpdbg","args":["tap","--","n"],}}}`, `{/*of Claude Code*/"mcpServers":{"n":{"command":"n",}}}`},
		{`{"mcpServers":{"n":{"args":["tap","--","n"],"command":"mcpdbg"}}}`, `{"mcpServers":{"n":{"command":"n"}}}`},
		{`{"servers":{"n":{"command":"C:\\bin\\MCPDBG.EXE","args":["tap","--live","--name=n","--","n",],}}}`, `{"servers":{"n":{"command":"n",}}}`},
		{`{"servers":{"n":{"command":"mcpdbg",/*1*/"args":["tap","--","n"]/*2*/}}}`, `{"servers":{"n":{"command":"n",/*1*/"args":[]/*2*/}}}`},
		{`{"servers":{"n":{"command":"mcpdbg","args":["tap","--","n"/*1*/,/*2*/]/*3*/,"type":"stdio"}}}`, `{"servers":{"n":{"command":"n","args":[/*1*//*2*/]/*3*/,"type":"stdio"}}}`},
		{`{"servers":{"n":{"command":"mcpdbg","args":["tap","--","n",/*1*/"a","--","b"]}}}`, `{"servers":{"n":{"command":"n","args":[/*1*/"a","--","b"]}}}`},
		{"[mcp_servers]\nn = {command = 'mcpdbg', args = ['tap', '--', 'n']}\n", "[mcp_servers]\nn = {command = 'n'}\n"},
		{"[mcp_servers.n]\nargs = [ # 1\n 'tap', '--', 'n' ] # 2\ncommand = 'mcpdbg'\n", "[mcp_servers.n]\nargs = [ # 1\n  ] # 2\ncommand = 'n'\n"},
	} {
		ed := editor(t)
		path := written(t, "config", []byte(c.file))
		unwrapAll(t, ed, []Key{only(t, ed, path)})
		require.Equal(t, c.want, read(t, path))
	}
}

// TestNotATap checks command lines that start another server than the one after --.
func TestNotATap(t *testing.T) {
	for _, args := range []string{`"tap","--ssh","host","--","n"`, `"tap","--ssh=host","--","n"`, `"tap","-e","A=B","--","n"`, `"tap","--"`, `"tap","n"`, `"run","--","n"`, `"tap","--name","n"`} {
		ed := editor(t)
		path := written(t, "config", []byte(`{"mcpServers":{"n":{"command":"mcpdbg","args":[`+args+`]}}}`))
		c, err := ed.Unwrap(t.Context(), only(t, ed, path))
		require.NoError(t, err)
		require.False(t, c.Changed(), args)
		require.Equal(t, "mcpdbg", c.Before.Argv[0].String())
	}
}

// TestConcurrentChange checks that a file which another program writes during an edit keeps
// what that program wrote.
func TestConcurrentChange(t *testing.T) {
	ed := editor(t)
	path := written(t, ".mcp.json", []byte(notes))
	key := only(t, ed, path)
	const other = `{"mcpServers":{"other":{"command":"x"}}}`
	ed.beforeReplace = func() { require.NoError(t, os.WriteFile(path, []byte(other), 0o600)) }
	_, err := ed.Wrap(t.Context(), key)
	require.ErrorIs(t, err, errChanged)
	require.Equal(t, other, read(t, path))
	require.Empty(t, ed.Remembered())
	files, err := os.ReadDir(filepath.Dir(path))
	require.NoError(t, err)
	require.Len(t, files, 1, "no temporary file is left")
}

// TestChangeAfterTheEdit: a file that another program writes right after the edit may have
// the wrapped entry, which unwrap must be able to restore.
func TestChangeAfterTheEdit(t *testing.T) {
	ed := editor(t)
	path := written(t, ".mcp.json", []byte(notes))
	key := only(t, ed, path)
	ed.afterReplace = func() {
		require.NoError(t, os.WriteFile(path, append([]byte("\n"), read(t, path)...), 0o600))
	}
	_, err := ed.Wrap(t.Context(), key)
	require.ErrorContains(t, err, "another program has written it since")
	require.Len(t, ed.Remembered(), 1)
	ed.afterReplace = nil
	_, err = ed.Unwrap(t.Context(), key)
	require.NoError(t, err)
	require.Equal(t, "\n"+notes, read(t, path))
}

// TestCommaInComment: an argument list that goes away takes its own comma with it.
func TestCommaInComment(t *testing.T) {
	ed := editor(t)
	path := written(t, ".vscode/mcp.json", []byte(`{"servers": {"a": {"command": "/opt/mcpdbg", // mine,
"args": ["tap", "--name", "a", "--", "./notes"]}}}`))
	_, err := ed.Unwrap(t.Context(), only(t, ed, path))
	require.NoError(t, err)
	require.Equal(t, `{"servers": {"a": {"command": "./notes", // mine,
"args": []}}}`, read(t, path))
}

// TestHolds checks that an edit which a running client undoes is reported.
func TestHolds(t *testing.T) {
	ed := editor(t)
	path := written(t, ".mcp.json", []byte(notes))
	c, err := ed.Wrap(t.Context(), only(t, ed, path))
	require.NoError(t, err)
	require.NoError(t, ed.Holds(&c))
	require.NoError(t, os.WriteFile(path, []byte(notes), 0o600))
	require.ErrorContains(t, ed.Holds(&c), "another program has undone the edit")
}

// TestLock checks that an edit waits for another one of the same file.
func TestLock(t *testing.T) {
	ed := editor(t)
	path := written(t, ".mcp.json", []byte(notes))
	key := only(t, ed, path)
	real, err := filepath.EvalSymlinks(path)
	require.NoError(t, err)
	unlock, err := ed.lock(t.Context(), real)
	require.NoError(t, err)
	ctx, cancel := context.WithCancelCause(t.Context())
	cause := errors.New("stop")
	cancel(cause)
	_, err = ed.Wrap(ctx, key)
	require.ErrorIs(t, err, cause)
	require.Equal(t, notes, read(t, path))
	unlock()
	wrapAll(t, ed, []Key{key})
}

// TestLinkAndMode checks that the target of a symbolic link is replaced, with its mode.
func TestLinkAndMode(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("symbolic links and modes")
	}
	ed := editor(t)
	file := written(t, "dotfiles/mcp.json", []byte(notes))
	require.NoError(t, os.Chmod(file, 0o640))
	link := filepath.Join(t.TempDir(), ".mcp.json")
	require.NoError(t, os.Symlink(file, link))
	wrapAll(t, ed, []Key{only(t, ed, link)})
	require.Contains(t, read(t, file), program)
	info, err := os.Lstat(link)
	require.NoError(t, err)
	require.NotZero(t, info.Mode()&os.ModeSymlink)
	info, err = os.Stat(file)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o640), info.Mode())
	files, err := filepath.Glob(filepath.Join(ed.folder(), "*.json"))
	require.NoError(t, err)
	require.Len(t, files, 1)
	info, err = os.Stat(files[0])
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
}

// TestUnreadableMemory checks that an entry can be unwrapped all the same.
func TestUnreadableMemory(t *testing.T) {
	ed := editor(t)
	path := written(t, ".mcp.json", []byte(notes))
	key := only(t, ed, path)
	wrapAll(t, ed, []Key{key})
	require.Equal(t, []Key{key}, ed.Remembered())
	require.NoError(t, os.WriteFile(ed.memoryOf(key), []byte("{"), 0o600))
	require.Empty(t, ed.Remembered())
	unwrapAll(t, ed, []Key{key})
	require.Equal(t, notes, read(t, path))
}

// TestWrote checks that a program which others wrote into the file is not taken for ours.
func TestWrote(t *testing.T) {
	ed := editor(t)
	path := written(t, ".mcp.json", []byte(notes))
	c, err := ed.Wrap(t.Context(), only(t, ed, path))
	require.NoError(t, err)
	require.True(t, ed.Wrote(&c.After))
	require.False(t, ed.Wrote(&c.Before))
	c.After.Tap.Program = "/p/evil/mcpdbg"
	require.False(t, ed.Wrote(&c.After))
}

func TestDryRun(t *testing.T) {
	ed := editor(t)
	ed.DryRun = true
	path := written(t, ".mcp.json", []byte(notes))
	c, err := ed.Wrap(t.Context(), only(t, ed, path))
	require.NoError(t, err)
	require.Equal(t, []string{program, "tap", "--name", "notes", "--", "notes"}, c.After.Source.Words)
	require.Equal(t, notes, read(t, path))
	require.False(t, ed.Used())
	require.NoDirExists(t, ed.State)
}

// TestRefusals checks the refused edits, and that they leave the file as it is.
func TestRefusals(t *testing.T) {
	watched := `{"servers":{"n":{"command":"node","dev":{"watch":"**/*.js"}}}}`
	for _, c := range []struct {
		name, file, text, says string
		prepare                func(ed *Editor, path string)
	}{
		{"HTTP", ".mcp.json", `{"mcpServers":{"n":{"type":"http","url":"u"}}}`, "HTTP servers cannot be wrapped", nil},
		{"comments", ".mcp.json", "// mine\n" + notes, "which Claude Code rejects", nil},
		{"trailing comma", "claude_desktop_config.json", `{"mcpServers":{"n":{"command":"n",}}}`, "which Claude Desktop rejects", nil},
		{"invalid", ".mcp.json", `{"mcpServers":{"n":{"args":[]}}}`, "neither command nor url is set", nil},
		{"watched", ".vscode/mcp.json", watched, "dev.watch restarts the tap", nil},
		{"debugged", ".vscode/mcp.json", strings.Replace(watched, `"watch"`, `"debug"`, 1), "dev.debug demands", nil},
		{"duplicate key", ".mcp.json", `{"mcpServers":{"n":{"command":"a","command":"b"}}}`, "its keys are not unique", nil},
		{"via", ".mcp.json", `{"mcpServers":{"n":{"command":"a","via":"docker exec -i web"}}}`, "it starts through docker exec -i web", nil},
		{"host", ".mcp.json", `{"mcpServers":{"n":{"command":"a","ssh":"build-7"}}}`, "it runs on build-7", nil},
		{"exec server", ".codex/config.toml", "[mcp_servers.n]\ncommand = \"a\"\nenvironment_id = \"remote\"\n", "an exec server starts it", func(ed *Editor, _ string) {
			ed.Options.LookupEnv = func(name string) (string, bool) { return "ws://build-7", name == "CODEX_EXEC_SERVER_URL" }
		}},
		{"Windsurf", "mcp_config.json", notes, "files of Windsurf are only read", nil},
		{"Zed", "settings.json", `{"context_servers":{"n":{"command":"n"}}}`, "files of Zed are only read", nil},
		{"read-only", ".mcp.json", notes, "it is read-only", func(_ *Editor, path string) { require.NoError(t, os.Chmod(path, 0o400)) }},
		{"sudo", ".mcp.json", notes, "sudo would leave it to another user", func(ed *Editor, _ string) {
			ed.Options.LookupEnv = func(name string) (string, bool) { return strconv.Itoa(os.Geteuid() + 1), name == "SUDO_UID" }
		}},
		{"go run", ".mcp.json", notes, "go run has built this program", func(ed *Editor, _ string) { ed.Program = "/tmp/go-build12/b001/exe/mcpdbg" }},
		{"temporary", ".mcp.json", notes, "in a temporary folder", func(ed *Editor, _ string) { ed.Program, ed.Passing = "/tmp/x/mcpdbg", []string{"", "/tmp"} }},
		{"relative", ".mcp.json", notes, "not an absolute path", func(ed *Editor, _ string) { ed.Program = "mcpdbg" }},
		{"name", ".mcp.json", notes, "the program must be called mcpdbg", func(ed *Editor, _ string) { ed.Program = "/opt/bin/debugger" }},
		{"text", ".mcp.json", notes, "not valid UTF-8", func(ed *Editor, _ string) { ed.Program = "/opt/\xff/mcpdbg" }},
	} {
		t.Run(c.name, func(t *testing.T) {
			ed := editor(t)
			path := written(t, c.file, []byte(c.text))
			key := only(t, ed, path)
			if c.prepare != nil {
				c.prepare(ed, path)
			}
			_, err := ed.Wrap(t.Context(), key)
			require.ErrorContains(t, err, c.says)
			require.Equal(t, c.text, read(t, path))
		})
	}
	ed := editor(t)
	ed.Force = true
	path := written(t, ".vscode/mcp.json", []byte(watched))
	wrapAll(t, ed, []Key{only(t, ed, path)})
}

// TestOtherUsersFile needs root to make one.
func TestOtherUsersFile(t *testing.T) {
	ed := editor(t)
	path := written(t, ".mcp.json", []byte(notes))
	key := only(t, ed, path)
	if err := os.Chown(path, 1, -1); err != nil {
		t.Skipf("only root can give files away: %v", err)
	}
	_, err := ed.Wrap(t.Context(), key)
	require.ErrorContains(t, err, "it belongs to another user")
}

// TestSharedFile checks files that git tracks.
func TestSharedFile(t *testing.T) {
	path := written(t, ".mcp.json", []byte(notes))
	git := func(args ...string) {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), "git", append([]string{"-C", filepath.Dir(path)}, args...)...)
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s", out)
	}
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip(err)
	}
	git("init", "--quiet")
	ed := editor(t)
	ed.Shared = false
	key := only(t, ed, path)
	wrapAll(t, ed, []Key{key}) // not tracked
	unwrapAll(t, ed, []Key{key})
	git("add", ".mcp.json")
	_, err := ed.Wrap(t.Context(), key)
	var refused *RefusedError
	require.ErrorAs(t, err, &refused)
	require.Contains(t, refused.Why, "git tracks the file")
	require.Contains(t, refused.Hint, "claude mcp add --scope local notes -- "+program+" tap --name notes -- COMMAND")
	require.Equal(t, notes, read(t, path))
	ed.Shared = true
	wrapAll(t, ed, []Key{key})
}

// FuzzEdit checks that an edit never panics, changes nothing else, and can be undone.
func FuzzEdit(f *testing.F) {
	for _, dir := range []string{"claude-code/escapes/.mcp.json", "claude-code/odd/.mcp.json", "vscode/comments/.vscode/mcp.json", "codex/dotted/.codex/config.toml", "codex/strings/.codex/config.toml", "codex/inline/.codex/config.toml"} {
		f.Add([]byte(read(f, filepath.Join("testdata/corpus", dir))), true)
	}
	f.Add([]byte(`{"servers":{"n":{"command":"mcpdbg","args":["tap","--","n"/*1*/,/*2*/]}}}`), false)
	f.Add([]byte("[mcp_servers.n]\nargs = [ # 1\n 'tap', '--', 'n' ] # 2\ncommand = 'mcpdbg'\n"), false)
	opts := editor(f).Options
	f.Fuzz(func(t *testing.T, data []byte, remember bool) {
		const path = "/p/mcp.json"
		file, err := target.Parse(path, data, opts)
		if err != nil {
			return
		}
		ed := Editor{Options: opts, Program: program}
		for i := range file.Entries {
			e := &file.Entries[i]
			if Refusal(e, true) != nil {
				continue
			}
			if _, err := find(&file, KeyOf(e)); err != nil {
				continue
			}
			if e.Tap != nil {
				tried := &text{data: data, after: unwrap(data, e, nil), file: file, entry: e}
				_, err := ed.check(KeyOf(e), tried)
				require.NoError(t, err, "%s\n%s", data, tried.after)
				continue
			}
			after, old, err := (&Editor{Program: program}).wrap(data, e)
			if err != nil {
				continue // a name that cannot be written
			}
			tried := &text{data: data, after: after, file: file, entry: e}
			wrapped, err := ed.check(KeyOf(e), tried)
			require.NoError(t, err, "%s\n%s", data, after)
			if !remember {
				tried.after = unwrap(after, wrapped, nil)
				back, err := target.Parse(path, tried.after, opts)
				require.NoError(t, err, "%s\n%s", data, tried.after)
				require.NoError(t, verify(file, back))
				continue
			}
			old.seal(after, wrapped)
			require.Equal(t, string(data), string(unwrap(after, wrapped, &old)))
		}
	})
}
