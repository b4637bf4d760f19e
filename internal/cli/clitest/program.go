package clitest

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/cli/console"
)

const (
	// WaitLimit is how long a test waits for anything before it gives up, however
	// busy the machine is.
	WaitLimit = 5 * time.Minute
	// holding is how long a leaked process may hold its output open.
	holding = 20 * time.Second
)

// MarkName is the variable by which a test finds leaked processes: all
// descendants inherit it.
const MarkName = "MCPDBG_TEST_MARK"

// Program returns a command that runs the program, with its own state folder.
// When the test ends, all processes that it started are gone.
func Program(t testing.TB, args ...string) *exec.Cmd {
	t.Helper()
	return Command(t, Binary(), args...)
}

// Command is Program for another executable, which may run the program in turn.
// If it does not end within WaitLimit, it is killed and fails the test.
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

// setUp gives a command its state folder and its mark.
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

// A Result is the exit code and output of the program.
type Result struct {
	Code           int
	Stdout, Stderr string
}

// Finish runs a command of Program to its end, and checks that it leaked no
// process.
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

// A Watched program runs while a test reads its standard output.
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

// Until reads up to a line that contains text, and returns it.
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

// End reads to the end, and checks that no process was leaked.
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

// Against returns a command line of flags and, after --, the demo server with a
// fault, or none if it is "".
func Against(fault string, flags ...string) []string {
	args := append(flags[:len(flags):len(flags)], "--", Binary(), console.DemoServer)
	if fault != "" {
		args = append(args, "--misbehave", fault)
	}
	return args
}

// Need skips the test if a required program is missing, and fails it in CI.
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

// InProcess runs the program in this process, for commands that start no server.
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
