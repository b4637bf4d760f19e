package cli

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/cli/console"
	"mcpdbg/internal/testhome"
)

// binary is the program, which most tests run, and isStandIn reports whether it
// is a copy of the test binary instead.
var (
	binary    string
	isStandIn bool
)

func TestMain(m *testing.M) {
	if isMarkedCopy() {
		os.Exit(Main(os.Args[1:]))
	}
	if others := os.Getenv(strictServer); others != "" {
		os.Exit(serveStrictly(others))
	}
	if url := os.Getenv(bridgeTo); url != "" {
		os.Exit(serveBridge(url))
	}
	if program := os.Getenv(conformanceClient); program != "" {
		os.Exit(conform(program))
	}
	// Tests mostly wait for processes, so that one test per processor would leave
	// the processors idle.
	flag.Parse()
	if !isGiven("test.parallel") {
		_ = flag.Set("test.parallel", strconv.Itoa(3*runtime.GOMAXPROCS(0))) // it exists
	}
	os.Exit(testhome.Run(func() int { return buildAndRun(m) }))
}

// isGiven reports whether a flag was on the command line.
func isGiven(name string) bool {
	given := false
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == name })
	return given
}

func buildAndRun(m *testing.M) int {
	dir, err := os.MkdirTemp("", "mcpdbg-test-*")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	// One test runs the program as another user.
	if err := os.Chmod(dir, 0o755); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	binary = filepath.Join(dir, "mcpdbg")
	if runtime.GOOS == "windows" {
		binary += ".exe"
	}
	if err := os.Setenv("PATH", readable(os.Getenv("PATH"))); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	if err := buildProgram(binary); err != nil {
		isStandIn = true
		fmt.Fprintf(os.Stderr, "the test binary stands for the program: %v\n", err)
		if err := copySelf(binary); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
	}
	return m.Run()
}

// readable returns PATH without the folders that this user cannot read, which
// might contain a missing program.
func readable(path string) string {
	dirs := slices.DeleteFunc(filepath.SplitList(path), func(dir string) bool {
		_, err := os.Stat(filepath.Join(dir, "."))
		return errors.Is(err, fs.ErrPermission)
	})
	return strings.Join(dirs, string(filepath.ListSeparator))
}

// programMark ends the copy of the test binary that serves as the program where
// there is no go command, or no source code.
const programMark = "\x00this copy of the test binary is mcpdbg\x00"

// isMarkedCopy reports whether this process runs that copy.
func isMarkedCopy() bool {
	self, err := os.Executable()
	if err != nil {
		return false
	}
	f, err := os.Open(self)
	if err != nil {
		return false
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return false
	}
	end := make([]byte, len(programMark))
	_, err = f.ReadAt(end, info.Size()-int64(len(end)))
	return err == nil && string(end) == programMark
}

// buildProgram builds the program, without the network.
func buildProgram(path string) error {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	build := exec.CommandContext(ctx, "go", "build", "-o", path, "mcpdbg")
	build.Env = append(os.Environ(), "GOPROXY=off", "GOTOOLCHAIN=local")
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("go build: %w\n%.1000s", err, out)
	}
	return nil
}

// copySelf copies the test binary, and marks the copy.
func copySelf(path string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	from, err := os.Open(self)
	if err != nil {
		return err
	}
	defer from.Close()
	to, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o755)
	if err != nil {
		return err
	}
	_, err = io.Copy(to, io.MultiReader(from, strings.NewReader(programMark)))
	return errors.Join(err, to.Close())
}

const (
	// waitLimit is how long a test waits for anything before it gives up, however
	// busy the machine is.
	waitLimit = 5 * time.Minute
	// holding is how long a leaked process may hold its output open.
	holding = 20 * time.Second
)

// markName is the variable by which a test finds leaked processes: all
// descendants inherit it.
const markName = "MCPDBG_TEST_MARK"

// program returns a command that runs the program, with its own state folder.
// When the test ends, all processes that it started are gone.
func program(t testing.TB, args ...string) *exec.Cmd {
	t.Helper()
	return command(t, binary, args...)
}

// command is program for another executable, which may run the program in turn.
// If it does not end within waitLimit, it is killed and fails the test.
func command(t testing.TB, name string, args ...string) *exec.Cmd {
	t.Helper()
	return commandWithin(t, waitLimit, name, args...)
}

// commandWithin is command with another time limit.
func commandWithin(t testing.TB, limit time.Duration, name string, args ...string) *exec.Cmd {
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
	cmd.Env = append(os.Environ(), "XDG_STATE_HOME="+state, markName+"="+state)
	t.Cleanup(func() {
		for _, p := range marked(state) {
			_ = p.Kill() // a failed test may have leaked it
		}
	})
}

// left returns the processes that cmd leaked.
func left(cmd *exec.Cmd) []*os.Process {
	for _, entry := range cmd.Env {
		if mark, ok := strings.CutPrefix(entry, markName+"="); ok {
			return marked(mark)
		}
	}
	return nil
}

// A result is the exit code and output of the program.
type result struct {
	code           int
	stdout, stderr string
}

// finish runs a command of program to its end, and checks that it leaked no
// process.
func finish(t testing.TB, cmd *exec.Cmd) result {
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
	require.Empty(t, left(cmd), "leaked processes")
	return result{cmd.ProcessState.ExitCode(), stdout.String(), stderr.String()}
}

// run runs the program.
func run(t testing.TB, args ...string) result {
	t.Helper()
	return finish(t, program(t, args...))
}

// A watched program runs while a test reads its standard output.
type watched struct {
	t      testing.TB
	cmd    *exec.Cmd
	out    *bufio.Reader
	seen   strings.Builder
	stderr bytes.Buffer
}

// watch starts a command of program.
func watch(t testing.TB, cmd *exec.Cmd) *watched {
	t.Helper()
	w := &watched{t: t, cmd: cmd}
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	w.out = bufio.NewReader(out)
	stop := time.AfterFunc(waitLimit+holding, func() { _ = out.Close() }) // even if a process holds the other end
	t.Cleanup(func() { stop.Stop() })
	cmd.Stderr = &w.stderr
	require.NoError(t, cmd.Start())
	return w
}

// until reads up to a line that contains text, and returns it.
func (w *watched) until(text string) string {
	w.t.Helper()
	for {
		line, err := w.out.ReadString('\n')
		w.seen.WriteString(line)
		if strings.Contains(line, text) {
			return line
		}
		require.NoError(w.t, err, "%q did not come, but\n%s%s", text, &w.seen, &w.stderr)
	}
}

// end reads to the end, and checks that no process was leaked.
func (w *watched) end() result {
	w.t.Helper()
	_, err := w.out.WriteTo(&w.seen)
	require.NoError(w.t, err)
	var exit *exec.ExitError
	if err := w.cmd.Wait(); !errors.As(err, &exit) {
		require.NoError(w.t, err)
	}
	require.Empty(w.t, left(w.cmd), "leaked processes")
	return result{w.cmd.ProcessState.ExitCode(), w.seen.String(), w.stderr.String()}
}

// against returns a command line of flags and, after --, the demo server with a
// fault, or none if it is "".
func against(fault string, flags ...string) []string {
	args := append(flags[:len(flags):len(flags)], "--", binary, console.DemoServer)
	if fault != "" {
		args = append(args, "--misbehave", fault)
	}
	return args
}

// need skips the test if a required program is missing, and fails it in CI.
func need(t testing.TB, name string) string {
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
