//go:build unix

package run_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/cli/clitest"
	"mcpdbg/internal/cli/console"
	"mcpdbg/sshexec/sshtest"
)

// A script is a server in a file that can be edited.
type script struct {
	t    *testing.T
	path string
}

func newScript(t *testing.T) *script {
	t.Helper()
	s := &script{t: t, path: filepath.Join(t.TempDir(), "server.sh")}
	s.serve()
	return s
}

// serve makes the script start the demo server with flags.
func (s *script) serve(flags ...string) {
	s.write(fmt.Sprintf("exec '%s' %s %s", clitest.Binary(), console.DemoServer, strings.Join(flags, " ")))
}

// write replaces the script by another file, as editors do.
func (s *script) write(text string) {
	s.t.Helper()
	fresh := s.path + ".new"
	require.NoError(s.t, os.WriteFile(fresh, []byte("#!/bin/sh\n"+text+"\n"), 0o755))
	require.NoError(s.t, os.Rename(fresh, s.path))
}

// input writes a file with calls of the demo server's tools.
func (s *script) input() string {
	s.t.Helper()
	path := filepath.Join(filepath.Dir(s.path), "calls.jsonl")
	require.NoError(s.t, os.WriteFile(path, []byte(
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"message":"hi"}}}`+"\n"+
			`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"book","arguments":{}}}`+"\n"), 0o644))
	return path
}

// TestWatchRun edits a server while run watches it: changes are reported, a
// server that does not start is restarted at the next change, and calls that
// may have side effects are not re-sent.
func TestWatchRun(t *testing.T) {
	s := newScript(t)
	w := clitest.Watch(t, clitest.Program(t, "run", "--era", "legacy", "--watch", s.path, "--in", s.input(), "--", s.path))
	w.Until("watching " + s.path + ": 1 file in 1 folder")
	w.Until(`"id":1,"result"`)
	w.Until(`"id":2`)

	s.serve("--changed")
	w.Until("restart: " + s.path + " changed")
	require.Contains(t, w.Until("the lists: "), "re-sent 1 call and the lists: 1 of 6 responses changed; not re-sent: book (may have side effects) (ended in ")
	w.Until("~ tools/list: /result/tools/slow/inputSchema: schema changed")
	w.Until("/properties/steps/maximum: 1000 -> 100")

	s.write("echo no such luck >&2; exit 3")
	w.Until("no such luck")
	w.Until("restart failed")
	s.serve("--changed")
	require.Contains(t, w.Until("and the lists: "), "their responses are the same", "compared with the last server that ran")

	require.NoError(t, w.Cmd.Process.Signal(syscall.SIGINT))
	require.Equal(t, 128+int(syscall.SIGINT), w.End().Code)
	require.Contains(t, w.Stderr.String(), "exit code 3")
}

// TestWatchRunAll re-sends calls of all tools, up to --watch-calls; the notes
// are in the recorded lines.
func TestWatchRunAll(t *testing.T) {
	s := newScript(t)
	w := clitest.Watch(t, clitest.Program(t, "run", "--era", "legacy", "--json", "--watch", s.path, "--watch-all", "--watch-calls", "1", "--in", s.input(), "--", s.path))
	w.Until(`"id":2,"result"`)
	s.serve("--changed")
	w.Until(`"k":"note","text":"restart: `)
	require.Contains(t, w.Until("the lists: "), `"text":"re-sent 1 call and the lists: 1 of 6 responses changed; older calls not re-sent (`)
	w.Until(`"text":"~ tools/list: `)
	require.NoError(t, w.Cmd.Process.Signal(syscall.SIGINT))
	res := w.End()
	require.NotContains(t, res.Stdout[strings.Index(res.Stdout, "restart: "):], `"name":"echo"}`)
	require.Contains(t, res.Stderr, "mcpdbg: restart: ")
	require.Contains(t, res.Stderr, "mcpdbg:   ~ tools/list: /result/tools/slow/inputSchema")
}

// TestWatchRunFirst builds before it restarts, and does not restart if the build
// fails.
func TestWatchRunFirst(t *testing.T) {
	s := newScript(t)
	source := s.path + ".src"
	require.NoError(t, os.WriteFile(source, []byte("good"), 0o644))
	w := clitest.Watch(t, clitest.Program(t, "run", "--watch", source, "--watch-run", "grep good "+source+" || { echo it is bad; exit 7; }", "--", s.path))
	w.Until("prompts/list id=")
	w.Until("< stdout")
	require.NoError(t, os.WriteFile(source, []byte("bad"), 0o644))
	require.Contains(t, w.Until("exit status 7"), "the server is not restarted")
	w.Until("  it is bad")
	require.NoError(t, os.WriteFile(source, []byte("good again"), 0o644))
	w.Until("took ")
	w.Until("restart: ")
	w.Until("all responses are the same")
	require.NoError(t, w.Cmd.Process.Signal(syscall.SIGINT))
	require.Equal(t, 1, strings.Count(w.End().Stdout, "restart: "))
}

// TestWatchRunFirstRestarts: a change during a build restarts it, and builds
// are not queued.
func TestWatchRunFirstRestarts(t *testing.T) {
	s := newScript(t)
	source, begun, goOn := s.path+".src", s.path+".begun", s.path+".go"
	save := func(text string) {
		t.Helper()
		require.NoError(t, os.WriteFile(source+"~", []byte(text), 0o644))
		require.NoError(t, os.Rename(source+"~", source))
	}
	builds := func(want string) {
		t.Helper()
		var text []byte
		require.Eventually(t, func() bool {
			text, _ = os.ReadFile(begun)
			return string(text) == want
		}, clitest.WaitLimit, 5*time.Millisecond, "%s", clitest.Lazy(func() string { return string(text) }))
	}
	save("zero")
	command := fmt.Sprintf("cat '%s' >> '%s'; while ! test -e '%s'; do sleep 0.02; done", source, begun, goOn)
	w := clitest.Watch(t, clitest.Program(t, "run", "--era", "legacy", "--watch", source, "--watch-run", command, "--", s.path))
	w.Until("prompts/list id=")
	w.Until("< stdout")
	save("one ")
	builds("one ")
	save("two ")
	builds("one two ")
	save("three ")
	builds("one two three ")
	require.NoError(t, os.WriteFile(goOn, nil, 0o644))
	w.Until("is started over")
	w.Until("is started over")
	w.Until("took ")
	w.Until("all responses are the same")
	require.NoError(t, w.Cmd.Process.Signal(syscall.SIGINT))
	out := w.End().Stdout
	require.Equal(t, 1, strings.Count(out, "restart: "), "a cancelled build starts no server")
	builds("one two three ")
}

// TestWatchConfig watches the files of a server from a config file by polling,
// and ignores its own recording.
func TestWatchConfig(t *testing.T) {
	s := newScript(t)
	folder := filepath.Dir(s.path)
	config := filepath.Join(t.TempDir(), "mcp.json")
	require.NoError(t, os.WriteFile(config, fmt.Appendf(nil, `{"mcpServers":{"other":{"command":"false"},"edited":{"command":%q}}}`, s.path), 0o600))
	w := clitest.Watch(t, clitest.Program(t, "run", "--era", "legacy", "--config", config, "--server", "edited", "--record", filepath.Join(folder, "r.jsonl"), "--watch", folder+"/*.{sh,jsonl}", "--watch-poll"))
	w.Until("polling files every second: as requested")
	w.Until("prompts/list id=")
	w.Until("< stdout")
	s.serve("--changed")
	w.Until("restart: ")
	require.Contains(t, w.Until("the lists: "), "1 of 5 responses changed")
	require.NoError(t, w.Cmd.Process.Signal(syscall.SIGINT))
	require.Equal(t, 1, strings.Count(w.End().Stdout, "restart: "))
}

// TestWatchOverSSH watches local files and restarts the server on a host.
func TestWatchOverSSH(t *testing.T) {
	t.Parallel()
	host := sshtest.OpenSSH(t, sshtest.Options{})
	s := newScript(t)
	w := clitest.Watch(t, clitest.CommandOverSSH(t, host, "run", "--era", "legacy", "--watch", s.path, "--watch-run", "true", "--", s.path))
	w.Until("prompts/list id=")
	w.Until("< stdout")
	s.serve("--changed")
	w.Until("restart: ")
	require.Contains(t, w.Until("the lists: "), "1 of 5 responses changed")
	s.write("echo no such luck >&2; exit 3")
	w.Until("no such luck")
	w.Until("restart failed")
	s.serve("--changed")
	require.Contains(t, w.Until("the lists: "), "all responses are the same")
	require.NoError(t, w.Cmd.Process.Signal(syscall.SIGINT))
	require.Equal(t, 128+int(syscall.SIGINT), w.End().Code)
}

// TestWatchUsage checks the errors about flags.
func TestWatchUsage(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"run --watch [a -- x", `--watch "[a": invalid glob`},
		{"--watch * --watch-calls -1 -- x", "--watch-calls -1"},
		{"run --watch-all -- x", "--watch-all requires --watch"},
		{"run --watch-tool a -- x", "--watch-tool requires --watch"},
		{"run --raw --watch * -- x", "try: remove --raw"},
		{"run --scenario x.yaml --watch * -- x", "try: --in FILE with requests"},
		{"run --watch * --watch-poll --config no.json -- x", "--config and a command cannot be combined"},
		{"run --watch * --config no.json", "no.json"},
		{"run --watch * --record a --no-record -- x", "--record and --no-record cannot be combined"},
		{"run --watch-poll -- x", "--watch-poll requires --watch"},
		{"demo --watch *", "unknown flag"},
		{"call --watch * tools/list -- x", "unknown flag"},
		{"run --watch a.go b.go -- x", "try: quote the glob"},
		{"--watch a.go b.go -- x", "try: quote the glob"},
		{"--watch *", "no command to debug"},
		{"open --watch * x", "unknown flag"},
	} {
		res := clitest.Run(t, strings.Fields(c.args)...)
		require.Equal(t, console.ExitUsage, res.Code, c.args)
		require.Contains(t, res.Stderr, c.want, c.args)
	}
	res := clitest.Run(t, "run", "--watch", "*", "--for", "1m", "--", "/no/such/server")
	require.Equal(t, console.ExitStart, res.Code, "a change does not fix that")
}

// TestWatchOnScreen edits a server under the interface.
func TestWatchOnScreen(t *testing.T) {
	s := newScript(t)
	t.Chdir(filepath.Dir(s.path)) // a long path would push the end off the line
	sc := clitest.OnScreen(t, 120, 36, "--watch", s.path, "--", s.path)
	sc.Until("WATCH", "ready", "prompts/list")
	s.serve("--changed")
	sc.Until("WATCH 1 ", "D shows it: re-sent the lists: 1 of 5 responses changed")
	sc.Keys("D")
	sc.Until("A before · B after", "maximum")
	s.serve()
	sc.Until("WATCH 2 ")
	sc.Keys("q")
	sc.Quit()
}

// TestWatchRunBackoff detects a server that writes watched files.
func TestWatchRunBackoff(t *testing.T) {
	s := newScript(t)
	log := s.path + ".log"
	s.write(fmt.Sprintf("echo $$ > '%s'; exec '%s' %s", log, clitest.Binary(), console.DemoServer))
	w := clitest.Watch(t, clitest.Program(t, "run", "--watch", log, "--", s.path))
	require.Contains(t, w.Until("does the server write it?"), "exclude it")
	require.NoError(t, w.Cmd.Process.Signal(syscall.SIGINT))
	w.End()
}
