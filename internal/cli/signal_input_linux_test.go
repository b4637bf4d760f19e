package cli

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"mcpdbg/internal/cli/clitest"
	"mcpdbg/internal/cli/console"
)

// An endlessInput is an input that never ends, for a command that reads it.
type endlessInput struct {
	name  string   // by which the program opens it; "-" for standard input
	stdin *os.File // nil for none
	extra *os.File // descriptor 3
	// reading reports whether the program waits for more.
	reading func(pid int) bool
}

// endlessInputs are the kinds of endless input.
var endlessInputs = map[string]func(t *testing.T) *endlessInput{
	"a FIFO": func(t *testing.T) *endlessInput {
		name := filepath.Join(t.TempDir(), "fifo")
		require.NoError(t, unix.Mkfifo(name, 0o600))
		return &endlessInput{name: name, reading: opens}
	},
	"an open pipe": func(t *testing.T) *endlessInput {
		read := openPipe(t)
		return &endlessInput{name: "/dev/fd/3", extra: read, reading: func(int) bool { return drained(t, read) }}
	},
	"a pipe on stdin": func(t *testing.T) *endlessInput {
		read := openPipe(t)
		return &endlessInput{name: "-", stdin: read, reading: func(int) bool { return drained(t, read) }}
	},
	"a terminal": func(t *testing.T) *endlessInput {
		tty := openTerminal(t)
		return &endlessInput{name: tty.Name(), reading: func(int) bool { return drained(t, tty) }}
	},
	"a terminal on stdin": func(t *testing.T) *endlessInput {
		tty := openTerminal(t)
		return &endlessInput{name: "-", stdin: tty, reading: func(int) bool { return drained(t, tty) }}
	},
}

// openPipe returns a pipe with a blank line in it and an open writer.
func openPipe(t *testing.T) (read *os.File) {
	t.Helper()
	read, write, err := os.Pipe()
	require.NoError(t, err)
	t.Cleanup(func() { _, _ = read.Close(), write.Close() })
	_, err = write.WriteString("\n")
	require.NoError(t, err)
	return read
}

// openTerminal returns a terminal in which enter was pressed.
func openTerminal(t *testing.T) (tty *os.File) {
	t.Helper()
	keys, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		require.NotEqual(t, "true", os.Getenv("CI"), "no terminal: %v", err)
		t.Skip("no terminal: ", err)
	}
	require.NoError(t, unix.IoctlSetPointerInt(int(keys.Fd()), unix.TIOCSPTLCK, 0))
	number, err := unix.IoctlGetInt(int(keys.Fd()), unix.TIOCGPTN)
	require.NoError(t, err)
	tty, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	require.NoError(t, err)
	t.Cleanup(func() { _, _ = tty.Close(), keys.Close() })
	_, err = keys.WriteString("\n")
	require.NoError(t, err)
	require.Eventually(t, func() bool { return !drained(t, tty) }, clitest.WaitLimit, time.Millisecond, "the key does not arrive")
	return tty
}

// drained reports whether nothing is left to read.
func drained(t *testing.T, f *os.File) bool {
	t.Helper()
	n, err := unix.IoctlGetInt(int(f.Fd()), unix.TIOCINQ)
	require.NoError(t, err)
	return n == 0
}

// opens reports whether a thread of a process sleeps in openat: a FIFO is opened
// when it has a writer.
func opens(pid int) bool {
	calls, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/syscall", pid))
	for _, file := range calls {
		call, err := os.ReadFile(file)
		if err != nil {
			continue // the thread has ended
		}
		state, _ := os.ReadFile(filepath.Join(filepath.Dir(file), "stat"))
		_, rest, _ := strings.Cut(string(state), ") ")
		if strings.HasPrefix(string(call), fmt.Sprintf("%d ", unix.SYS_OPENAT)) && strings.HasPrefix(rest, "S") {
			return true
		}
	}
	return false
}

// needSystemCalls skips the test where the system calls of other processes are
// not shown.
func needSystemCalls(t *testing.T) {
	t.Helper()
	if _, err := os.ReadFile("/proc/thread-self/syscall"); err != nil {
		require.NotEqual(t, "true", os.Getenv("CI"), "system calls cannot be read: %v", err)
		t.Skip("system calls cannot be read: ", err)
	}
}

// TestSignalEndsEveryRead: signals end the program while it reads any input.
func TestSignalEndsEveryRead(t *testing.T) {
	t.Parallel()
	needSystemCalls(t)
	demo := func(args ...string) []string { return clitest.Against("", args...) }
	for flag, c := range map[string]struct {
		args  func(name string) []string
		stdin bool // - means standard input
	}{
		"run --in":            {func(name string) []string { return demo("run", "--quiet", "--in", name) }, true},
		"run --scenario":      {func(name string) []string { return demo("run", "--scenario", name) }, true},
		"run --answers":       {func(name string) []string { return demo("run", "--answers", name) }, true},
		"call NAME=@FILE":     {func(name string) []string { return demo("call", "--tool", "echo", "message=@"+name) }, true},
		"call NAME:=@FILE":    {func(name string) []string { return demo("call", "--tool", "add", "a:=@"+name) }, true},
		"call --params @FILE": {func(name string) []string { return demo("call", "tools/list", "--params", "@"+name) }, true},
		"smoke --hosts":       {func(name string) []string { return demo("smoke", "--hosts", name) }, true},
		"smoke --scenario":    {func(name string) []string { return demo("smoke", "--scenario", name) }, true},
		"smoke --baseline":    {func(name string) []string { return demo("smoke", "--baseline", name) }, false},
		"rec import":          {func(name string) []string { return []string{"rec", "import", name} }, true},
		"rec redact --value-from": {func(name string) []string {
			return []string{"rec", "redact", clitest.GoldenRecording, "--dry-run", "--value-from", name}
		}, true},
		"diff --rules": {func(name string) []string {
			return []string{"diff", clitest.GoldenRecording, clitest.GoldenRecording, "--rules", name}
		}, true},
		"mock --rules": {func(name string) []string { return []string{"mock", clitest.GoldenRecording, "--rules", name} }, false},
	} {
		for kind, makeInput := range endlessInputs {
			if !c.stdin && strings.Contains(kind, "stdin") {
				continue
			}
			for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
				t.Run(fmt.Sprintf("%s/%s/%v", flag, kind, sig), func(t *testing.T) {
					t.Parallel()
					in := makeInput(t)
					cmd := clitest.Program(t, c.args(in.name)...)
					if in.stdin != nil {
						cmd.Stdin = in.stdin
					}
					if in.extra != nil {
						cmd.ExtraFiles = []*os.File{in.extra}
					}
					endsBySignal(t, cmd, sig, in.reading)
				})
			}
		}
	}
}

// endsBySignal starts a command, sends it a signal once it is ready, and
// expects the exit code of that signal.
func endsBySignal(t *testing.T, cmd *exec.Cmd, sig syscall.Signal, ready func(pid int) bool) {
	t.Helper()
	var stderr strings.Builder
	cmd.Stderr = &stderr
	require.NoError(t, cmd.Start())
	require.Eventually(t, func() bool { return ready(cmd.Process.Pid) }, clitest.WaitLimit, 5*time.Millisecond, "it does not read")
	require.NoError(t, cmd.Process.Signal(sig))
	_ = cmd.Wait()
	require.Equal(t, console.ExitSignal+int(sig), cmd.ProcessState.ExitCode(), "%v\n%s", cmd.ProcessState, stderr.String())
	// An interrupted handshake is reported before it.
	require.Contains(t, stderr.String(), "ended by signal: "+sig.String()+"\n")
	// A watchdog ends a moment after the program.
	require.Eventually(t, func() bool { return len(clitest.Left(cmd)) == 0 }, clitest.WaitLimit, 5*time.Millisecond, "leaked processes")
}

// TestPipeRejectedWhereFileIsReadTwice: config files and recordings are read more
// than once; a pipe is rejected without being opened.
func TestPipeRejectedWhereFileIsReadTwice(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "fifo")
	require.NoError(t, unix.Mkfifo(name, 0o600))
	for _, args := range [][]string{
		{"run", "--config", name}, {"smoke", "--config", name}, {"open", name}, {"rec", "cat", name}, {"rec", "info", name}, {"rec", "verify", name},
		{"replay", name, "--dry-run"}, {"mock", name}, {"diff", name, name}, {"diff", clitest.GoldenRecording, clitest.GoldenRecording, "--accept", name},
	} {
		r := clitest.Run(t, args...)
		require.Equal(t, 2, r.Code, "%q\n%s", args, r.Stderr)
		require.Contains(t, r.Stderr, name, "%q", args)
	}
}
