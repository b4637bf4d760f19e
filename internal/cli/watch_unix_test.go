//go:build unix

package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/cli/console"
	"mcpdbg/internal/cli/exit"
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
	s.write(fmt.Sprintf("exec '%s' %s %s", binary, console.DemoServer, strings.Join(flags, " ")))
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
	w := watch(t, program(t, "run", "--era", "legacy", "--watch", s.path, "--in", s.input(), "--", s.path))
	w.until("watching " + s.path + ": 1 file in 1 folder")
	w.until(`"id":1,"result"`)
	w.until(`"id":2`)

	s.serve("--changed")
	w.until("restart: " + s.path + " changed")
	require.Contains(t, w.until("the lists: "), "re-sent 1 call and the lists: 1 of 6 responses changed; not re-sent: book (may have side effects) (ended in ")
	w.until("~ tools/list: /result/tools/slow/inputSchema: schema changed")
	w.until("/properties/steps/maximum: 1000 -> 100")

	s.write("echo no such luck >&2; exit 3")
	w.until("no such luck")
	w.until("restart failed")
	s.serve("--changed")
	require.Contains(t, w.until("and the lists: "), "their responses are the same", "compared with the last server that ran")

	require.NoError(t, w.cmd.Process.Signal(syscall.SIGINT))
	require.Equal(t, 128+int(syscall.SIGINT), w.end().code)
	require.Contains(t, w.stderr.String(), "exit code 3")
}

// TestWatchRunAll re-sends calls of all tools, up to --watch-calls; the notes
// are in the recorded lines.
func TestWatchRunAll(t *testing.T) {
	s := newScript(t)
	w := watch(t, program(t, "run", "--era", "legacy", "--json", "--watch", s.path, "--watch-all", "--watch-calls", "1", "--in", s.input(), "--", s.path))
	w.until(`"id":2,"result"`)
	s.serve("--changed")
	w.until(`"k":"note","text":"restart: `)
	require.Contains(t, w.until("the lists: "), `"text":"re-sent 1 call and the lists: 1 of 6 responses changed; older calls not re-sent (`)
	w.until(`"text":"~ tools/list: `)
	require.NoError(t, w.cmd.Process.Signal(syscall.SIGINT))
	res := w.end()
	require.NotContains(t, res.stdout[strings.Index(res.stdout, "restart: "):], `"name":"echo"}`)
	require.Contains(t, res.stderr, "mcpdbg: restart: ")
	require.Contains(t, res.stderr, "mcpdbg:   ~ tools/list: /result/tools/slow/inputSchema")
}

// TestWatchRunFirst builds before it restarts, and does not restart if the build
// fails.
func TestWatchRunFirst(t *testing.T) {
	s := newScript(t)
	source := s.path + ".src"
	require.NoError(t, os.WriteFile(source, []byte("good"), 0o644))
	w := watch(t, program(t, "run", "--watch", source, "--watch-run", "grep good "+source+" || { echo it is bad; exit 7; }", "--", s.path))
	w.until("prompts/list id=")
	w.until("< stdout")
	require.NoError(t, os.WriteFile(source, []byte("bad"), 0o644))
	require.Contains(t, w.until("exit status 7"), "the server is not restarted")
	w.until("  it is bad")
	require.NoError(t, os.WriteFile(source, []byte("good again"), 0o644))
	w.until("took ")
	w.until("restart: ")
	w.until("all responses are the same")
	require.NoError(t, w.cmd.Process.Signal(syscall.SIGINT))
	require.Equal(t, 1, strings.Count(w.end().stdout, "restart: "))
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
		}, waitLimit, 5*time.Millisecond, "%s", lazy(func() string { return string(text) }))
	}
	save("zero")
	command := fmt.Sprintf("cat '%s' >> '%s'; while ! test -e '%s'; do sleep 0.02; done", source, begun, goOn)
	w := watch(t, program(t, "run", "--era", "legacy", "--watch", source, "--watch-run", command, "--", s.path))
	w.until("prompts/list id=")
	w.until("< stdout")
	save("one ")
	builds("one ")
	save("two ")
	builds("one two ")
	save("three ")
	builds("one two three ")
	require.NoError(t, os.WriteFile(goOn, nil, 0o644))
	w.until("is started over")
	w.until("is started over")
	w.until("took ")
	w.until("all responses are the same")
	require.NoError(t, w.cmd.Process.Signal(syscall.SIGINT))
	out := w.end().stdout
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
	w := watch(t, program(t, "run", "--era", "legacy", "--config", config, "--server", "edited", "--record", filepath.Join(folder, "r.jsonl"), "--watch", folder+"/*.{sh,jsonl}", "--watch-poll"))
	w.until("polling files every second: as requested")
	w.until("prompts/list id=")
	w.until("< stdout")
	s.serve("--changed")
	w.until("restart: ")
	require.Contains(t, w.until("the lists: "), "1 of 5 responses changed")
	require.NoError(t, w.cmd.Process.Signal(syscall.SIGINT))
	require.Equal(t, 1, strings.Count(w.end().stdout, "restart: "))
}

// TestWatchOverSSH watches local files and restarts the server on a host.
func TestWatchOverSSH(t *testing.T) {
	t.Parallel()
	host := sshtest.OpenSSH(t, sshtest.Options{})
	s := newScript(t)
	w := watch(t, commandOverSSH(t, host, "run", "--era", "legacy", "--watch", s.path, "--watch-run", "true", "--", s.path))
	w.until("prompts/list id=")
	w.until("< stdout")
	s.serve("--changed")
	w.until("restart: ")
	require.Contains(t, w.until("the lists: "), "1 of 5 responses changed")
	s.write("echo no such luck >&2; exit 3")
	w.until("no such luck")
	w.until("restart failed")
	s.serve("--changed")
	require.Contains(t, w.until("the lists: "), "all responses are the same")
	require.NoError(t, w.cmd.Process.Signal(syscall.SIGINT))
	require.Equal(t, 128+int(syscall.SIGINT), w.end().code)
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
		res := run(t, strings.Fields(c.args)...)
		require.Equal(t, exit.Usage, res.code, c.args)
		require.Contains(t, res.stderr, c.want, c.args)
	}
	res := run(t, "run", "--watch", "*", "--for", "1m", "--", "/no/such/server")
	require.Equal(t, exit.Start, res.code, "a change does not fix that")
}

// TestWatchOnScreen edits a server under the interface.
func TestWatchOnScreen(t *testing.T) {
	s := newScript(t)
	t.Chdir(filepath.Dir(s.path)) // a long path would push the end off the line
	sc := onScreen(t, 120, 36, "--watch", s.path, "--", s.path)
	sc.until("WATCH", "ready", "prompts/list")
	s.serve("--changed")
	sc.until("WATCH 1 ", "D shows it: re-sent the lists: 1 of 5 responses changed")
	sc.keys("D")
	sc.until("Comparison", "B after", "maximum")
	s.serve()
	sc.until("WATCH 2 ")
	sc.keys("q")
	sc.quit()
}

// TestWatchRunBackoff detects a server that writes watched files.
func TestWatchRunBackoff(t *testing.T) {
	s := newScript(t)
	log := s.path + ".log"
	s.write(fmt.Sprintf("echo $$ > '%s'; exec '%s' %s", log, binary, console.DemoServer))
	w := watch(t, program(t, "run", "--watch", log, "--", s.path))
	require.Contains(t, w.until("does the server write it?"), "exclude it")
	require.NoError(t, w.cmd.Process.Signal(syscall.SIGINT))
	w.end()
}
