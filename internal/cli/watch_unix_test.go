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

	"mcpdbg/sshexec/sshtest"
)

// A script is a server that is a file, so that it can be edited.
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

// serve makes the script the demo server, with flags.
func (s *script) serve(flags ...string) {
	s.write(fmt.Sprintf("exec '%s' %s %s", binary, demoServer, strings.Join(flags, " ")))
}

// write puts another script in the place of the old one, as editors do.
func (s *script) write(text string) {
	s.t.Helper()
	fresh := s.path + ".new"
	require.NoError(s.t, os.WriteFile(fresh, []byte("#!/bin/sh\n"+text+"\n"), 0o755))
	require.NoError(s.t, os.Rename(fresh, s.path))
}

// input is a file of calls of the demo server's tools.
func (s *script) input() string {
	s.t.Helper()
	path := filepath.Join(filepath.Dir(s.path), "calls.jsonl")
	require.NoError(s.t, os.WriteFile(path, []byte(
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"message":"hi"}}}`+"\n"+
			`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"book","arguments":{}}}`+"\n"), 0o644))
	return path
}

// TestWatchRun edits a server while run watches it: what changed is named, what
// does not start is waited for, and what may change things is not called again.
func TestWatchRun(t *testing.T) {
	s := newScript(t)
	w := watch(t, program(t, "run", "--era", "legacy", "--watch", s.path, "--in", s.input(), "--", s.path))
	w.until("watches " + s.path + ": 1 file in 1 folder")
	w.until(`"id":1,"result"`)
	w.until(`"id":2`)

	s.serve("--changed")
	w.until("restart: " + s.path + " changed")
	require.Contains(t, w.until("the lists again"), "1 call and the lists again: 1 of 6 answers changed; not re-sent: book (may have side effects) (ended in ")
	w.until("~ tools/list: /result/tools/slow/inputSchema: another schema")
	w.until("/properties/steps/maximum: 1000 -> 100")

	s.write("echo no such luck >&2; exit 3")
	w.until("no such luck")
	w.until("not started again")
	s.serve("--changed")
	require.Contains(t, w.until("the lists again"), "all answers to these are the same", "compared with the last one that ran")

	require.NoError(t, w.cmd.Process.Signal(syscall.SIGINT))
	require.Equal(t, 128+int(syscall.SIGINT), w.end().code)
	require.Contains(t, w.stderr.String(), "exit code 3")
}

// TestWatchRunAll calls all tools again, no more than it was told to; and what
// the log is told of stands in the recording's lines.
func TestWatchRunAll(t *testing.T) {
	s := newScript(t)
	w := watch(t, program(t, "run", "--era", "legacy", "--json", "--watch", s.path, "--watch-all", "--watch-calls", "1", "--in", s.input(), "--", s.path))
	w.until(`"id":2,"result"`)
	s.serve("--changed")
	w.until(`"k":"note","text":"restart: `)
	require.Contains(t, w.until("the lists again"), `"text":"1 call and the lists again: 1 of 6 answers changed; older calls not re-sent (`)
	w.until(`"text":"~ tools/list: `)
	require.NoError(t, w.cmd.Process.Signal(syscall.SIGINT))
	res := w.end()
	require.NotContains(t, res.stdout[strings.Index(res.stdout, "restart: "):], `"name":"echo"}`)
	require.Contains(t, res.stderr, "mcpdbg: restart: ")
	require.Contains(t, res.stderr, "mcpdbg:   ~ tools/list: /result/tools/slow/inputSchema")
}

// TestWatchRunFirst builds before it restarts, and leaves the server alone when
// that fails.
func TestWatchRunFirst(t *testing.T) {
	s := newScript(t)
	source := s.path + ".src"
	require.NoError(t, os.WriteFile(source, []byte("good"), 0o644))
	w := watch(t, program(t, "run", "--watch", source, "--watch-run", "grep good "+source+" || { echo it is bad; exit 7; }", "--", s.path))
	w.until("prompts/list id=")
	w.until("< stdout")
	require.NoError(t, os.WriteFile(source, []byte("bad"), 0o644))
	require.Contains(t, w.until("exit status 7"), "the server is left as it is")
	w.until("  it is bad")
	require.NoError(t, os.WriteFile(source, []byte("good again"), 0o644))
	w.until("took ")
	w.until("restart: ")
	w.until("all answers are the same")
	require.NoError(t, w.cmd.Process.Signal(syscall.SIGINT))
	require.Equal(t, 1, strings.Count(w.end().stdout, "restart: "))
}

// TestWatchRunFirstAnew begins a build anew that works on what has changed
// meanwhile, and makes no queue of builds.
func TestWatchRunFirstAnew(t *testing.T) {
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
		}, patience, 5*time.Millisecond, "%s", lazy(func() string { return string(text) }))
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
	w.until("is begun anew")
	w.until("is begun anew")
	w.until("took ")
	w.until("all answers are the same")
	require.NoError(t, w.cmd.Process.Signal(syscall.SIGINT))
	out := w.end().stdout
	require.Equal(t, 1, strings.Count(out, "restart: "), "what was begun for nothing starts no server")
	builds("one two three ")
}

// TestWatchOfConfig watches the files of a server of a config file, by looking at
// them, and never the recording that it writes itself.
func TestWatchOfConfig(t *testing.T) {
	s := newScript(t)
	folder := filepath.Dir(s.path)
	config := filepath.Join(t.TempDir(), "mcp.json")
	require.NoError(t, os.WriteFile(config, fmt.Appendf(nil, `{"mcpServers":{"other":{"command":"false"},"edited":{"command":%q}}}`, s.path), 0o600))
	w := watch(t, program(t, "run", "--era", "legacy", "--config", config, "--server", "edited", "--record", filepath.Join(folder, "r.jsonl"), "--watch", folder+"/*.{sh,jsonl}", "--watch-poll"))
	w.until("looks at the files each second: as asked for")
	w.until("prompts/list id=")
	w.until("< stdout")
	s.serve("--changed")
	w.until("restart: ")
	require.Contains(t, w.until("the lists again"), "1 of 5 answers changed")
	require.NoError(t, w.cmd.Process.Signal(syscall.SIGINT))
	require.Equal(t, 1, strings.Count(w.end().stdout, "restart: "))
}

// TestWatchOnAHost watches files here and starts the server again there.
func TestWatchOnAHost(t *testing.T) {
	t.Parallel()
	host := sshtest.OpenSSH(t, sshtest.Options{})
	s := newScript(t)
	w := watch(t, on(t, host, "run", "--era", "legacy", "--watch", s.path, "--watch-run", "true", "--", s.path))
	w.until("prompts/list id=")
	w.until("< stdout")
	s.serve("--changed")
	w.until("restart: ")
	require.Contains(t, w.until("the lists again"), "1 of 5 answers changed")
	s.write("echo no such luck >&2; exit 3")
	w.until("no such luck")
	w.until("not started again")
	s.serve("--changed")
	require.Contains(t, w.until("the lists again"), "all answers are the same")
	require.NoError(t, w.cmd.Process.Signal(syscall.SIGINT))
	require.Equal(t, 128+int(syscall.SIGINT), w.end().code)
}

// TestWatchUsage says what is wrong with the flags.
func TestWatchUsage(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"run --watch [a -- x", `--watch "[a": is no glob`},
		{"--watch * --watch-calls -1 -- x", "--watch-calls -1"},
		{"run --watch-all -- x", "--watch-all is for --watch"},
		{"run --watch-tool a -- x", "--watch-tool is for --watch"},
		{"run --raw --watch * -- x", "try: leave --raw out"},
		{"run --scenario x.yaml --watch * -- x", "try: --in FILE with requests"},
		{"run --watch * --watch-poll --config no.json -- x", "--config and a command can't be mixed"},
		{"run --watch * --config no.json", "no.json"},
		{"run --watch * --record a --no-record -- x", "--record and --no-record can't be mixed"},
		{"run --watch-poll -- x", "--watch-poll is for --watch"},
		{"demo --watch *", "unknown flag"},
		{"call --watch * tools/list -- x", "unknown flag"},
		{"run --watch a.go b.go -- x", "quote it"},
		{"--watch a.go b.go -- x", "quote it"},
		{"--watch *", "no command to debug"},
		{"open --watch * x", "unknown flag"},
	} {
		res := run(t, strings.Fields(c.args)...)
		require.Equal(t, exitUsage, res.code, c.args)
		require.Contains(t, res.stderr, c.want, c.args)
	}
	res := run(t, "run", "--watch", "*", "--for", "1m", "--", "/no/such/server")
	require.Equal(t, exitStart, res.code, "a change does not mend that")
}

// TestWatchOnScreen edits a server under the interface.
func TestWatchOnScreen(t *testing.T) {
	s := newScript(t)
	t.Chdir(filepath.Dir(s.path)) // a long path would push the end off the line
	sc := onScreen(t, 120, 36, "--watch", s.path, "--", s.path)
	sc.until("WATCH", "ready", "prompts/list")
	s.serve("--changed")
	sc.until("WATCH 1 ", "D shows it: the lists again: 1 of 5 answers changed")
	sc.keys("D")
	sc.until("Comparison", "B after", "maximum")
	s.serve()
	sc.until("WATCH 2 ")
	sc.keys("q")
	sc.quit()
}

// TestWatchRunInCircles tells of a server that writes what is watched.
func TestWatchRunInCircles(t *testing.T) {
	s := newScript(t)
	log := s.path + ".log"
	s.write(fmt.Sprintf("echo $$ > '%s'; exec '%s' %s", log, binary, demoServer))
	w := watch(t, program(t, "run", "--watch", log, "--", s.path))
	require.Contains(t, w.until("is it the server that writes it?"), "leave it out")
	require.NoError(t, w.cmd.Process.Signal(syscall.SIGINT))
	w.end()
}
