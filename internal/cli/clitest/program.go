package clitest

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/cli/console"
)

const (
	// WaitLimit is how long a test waits for anything, however busy the machine is.
	WaitLimit = 5 * time.Minute
	// how long a leaked process may hold its output open
	holding = 20 * time.Second
)

// MarkName is the variable that marks leaked processes: all descendants inherit it.
const MarkName = "MCPDBG_TEST_MARK"

// Program returns a command with its own state folder. When the test ends, all its
// processes are gone.
func Program(t testing.TB, args ...string) *exec.Cmd {
	t.Helper()
	return Command(t, Binary(), args...)
}

// Command is Program for another executable, which may run the program in turn. After
// WaitLimit it is killed and fails the test.
func Command(t testing.TB, name string, args ...string) *exec.Cmd {
	t.Helper()
	return CommandWithin(t, WaitLimit, name, args...)
}

// CommandWithin is Command with another time limit.
func CommandWithin(t testing.TB, limit time.Duration, name string, args ...string) *exec.Cmd {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Cancel = func() error {
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			t.Errorf("%q did not end within %v", cmd.Args, limit)
		}
		return cmd.Process.Kill()
	}
	cmd.WaitDelay = holding
	setUp(t, cmd)
	return cmd
}

func setUp(t testing.TB, cmd *exec.Cmd) {
	t.Helper()
	state := t.TempDir()
	cmd.Env = append(os.Environ(), "XDG_STATE_HOME="+state, MarkName+"="+state)
	t.Cleanup(func() {
		for _, p := range Marked(state) {
			_ = p.Kill() // a failed test may have leaked it
		}
	})
}

// Left returns the processes that cmd leaked.
func Left(cmd *exec.Cmd) []*os.Process {
	for _, entry := range cmd.Env {
		if mark, ok := strings.CutPrefix(entry, MarkName+"="); ok {
			return Marked(mark)
		}
	}
	return nil
}

// A Result is an exit code and output.
type Result struct {
	Code           int
	Stdout, Stderr string
}

// Finish runs a command of Program, and checks that it leaked no process.
func Finish(t testing.TB, cmd *exec.Cmd) Result {
	t.Helper()
	var stdout, stderr bytes.Buffer
	if cmd.Stdout == nil {
		cmd.Stdout = &stdout
	}
	cmd.Stderr = &stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		require.NoError(t, err)
	}
	require.Empty(t, Left(cmd), "leaked processes")
	return Result{Code: cmd.ProcessState.ExitCode(), Stdout: stdout.String(), Stderr: stderr.String()}
}

// Run runs the program.
func Run(t testing.TB, args ...string) Result {
	t.Helper()
	return Finish(t, Program(t, args...))
}

// A Watched program's standard output is read while it runs.
type Watched struct {
	t      testing.TB
	Cmd    *exec.Cmd
	Out    *bufio.Reader   // of its standard output
	Seen   strings.Builder // what Until and End read of it
	Stderr bytes.Buffer
}

// Watch starts a command of Program.
func Watch(t testing.TB, cmd *exec.Cmd) *Watched {
	t.Helper()
	w := &Watched{t: t, Cmd: cmd}
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	w.Out = bufio.NewReader(out)
	stop := time.AfterFunc(WaitLimit+holding, func() { _ = out.Close() }) // even if a process holds the other end
	t.Cleanup(func() { stop.Stop() })
	cmd.Stderr = &w.Stderr
	require.NoError(t, cmd.Start())
	return w
}

// Until returns the first line that contains text.
func (w *Watched) Until(text string) string {
	w.t.Helper()
	for {
		line, err := w.Out.ReadString('\n')
		w.Seen.WriteString(line)
		if strings.Contains(line, text) {
			return line
		}
		require.NoError(w.t, err, "%q did not come, but\n%s%s", text, &w.Seen, &w.Stderr)
	}
}

// End reads the rest, and checks that no process was leaked.
func (w *Watched) End() Result {
	w.t.Helper()
	_, err := w.Out.WriteTo(&w.Seen)
	require.NoError(w.t, err)
	var exit *exec.ExitError
	if err := w.Cmd.Wait(); !errors.As(err, &exit) {
		require.NoError(w.t, err)
	}
	require.Empty(w.t, Left(w.Cmd), "leaked processes")
	return Result{Code: w.Cmd.ProcessState.ExitCode(), Stdout: w.Seen.String(), Stderr: w.Stderr.String()}
}

// Against returns flags and, after --, the demo server with a fault, or "".
func Against(fault string, flags ...string) []string {
	args := append(flags[:len(flags):len(flags)], "--", Binary(), console.DemoServer)
	if fault != "" {
		args = append(args, "--misbehave", fault)
	}
	return args
}

// Need skips the test without a required program, and fails it in CI.
func Need(t testing.TB, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err == nil {
		return path
	}
	if os.Getenv("CI") == "true" {
		require.NoError(t, err)
	}
	t.Skipf("%s is not on PATH", name)
	return ""
}

// Lazy is formatted when it is printed.
type Lazy func() string

func (l Lazy) String() string { return l() }

// InProcess is for commands that start no server.
func InProcess(t testing.TB, args ...string) Result {
	t.Helper()
	return InProcessWith(t, &console.Env{}, args...)
}

// InProcessWith is InProcess with a prepared environment.
func InProcessWith(t testing.TB, env *console.Env, args ...string) Result {
	t.Helper()
	var stdout, stderr bytes.Buffer
	env.Stdin, env.Stdout, env.Stderr, env.Self = strings.NewReader(""), &stdout, &stderr, []string{Binary()}
	code := entry.Execute(t.Context(), env, args)
	return Result{Code: code, Stdout: stdout.String(), Stderr: stderr.String()}
}

// Duel alternates two functions, rounds times each, and returns their median times.
func Duel(rounds int, base, ours func() time.Duration) (baseTime, ourTime time.Duration) {
	var bases, all []time.Duration
	for range rounds {
		bases = append(bases, base())
		all = append(all, ours())
	}
	slices.Sort(bases)
	slices.Sort(all)
	return bases[rounds/2], all[rounds/2]
}

// WriteFile writes a new file, and returns its path.
func WriteFile(t testing.TB, text string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
	return name
}

// ConfigFile writes a config file of Claude Code to a new folder, and returns its path.
// DEMO in text becomes the demo server's program.
func ConfigFile(t testing.TB, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), filepath.FromSlash(name))
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
	quoted, err := json.Marshal(Binary())
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, []byte(strings.ReplaceAll(text, `"DEMO"`, string(quoted))), 0o600))
	return path
}

// Fill writes files below a folder. DEMO becomes the program's path.
func Fill(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(t, os.WriteFile(path, []byte(strings.ReplaceAll(text, "DEMO", Binary())), 0o600))
	}
}

// root leads from the tested package's folder, which is current when its tests begin, to
// the module.
var root = func() string {
	for up := ""; len(up) < len("../../../../"); up += "../" {
		if _, err := os.Stat(up + "go.mod"); err == nil {
			return up
		}
	}
	return ""
}()

func source(path string) string { return root + path }
