//go:build unix

package cli

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"mcpdbg/internal/cli/clitest"
	"mcpdbg/internal/cli/console"
)

func TestSignalShutsServerDown(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		signal syscall.Signal
		code   int
	}{{syscall.SIGINT, 130}, {syscall.SIGTERM, 143}, {syscall.SIGHUP, 129}} {
		w := clitest.Watch(t, clitest.Program(t, clitest.Against("", "run", "--json")...))
		w.Until(`"state":"ready"`)
		require.NoError(t, w.Cmd.Process.Signal(c.signal))
		r := w.End()
		require.Equal(t, c.code, r.Code)
		_, entries := clitest.PrintedEntries(t, r.Stdout)
		steps := clitest.Phases(entries)
		require.Equal(t, "close-stdin", steps[len(steps)-1], "it ended on stdin EOF")
		require.Contains(t, r.Stderr, "mcpdbg: ended by signal: "+c.signal.String()+"\n")
		require.Equal(t, "end", entries[len(entries)-1].K)
	}
}

func TestSignalDuringHandshake(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		fault string
		last  string // step of the shutdown sequence
	}{{"never-answers", "close-stdin"}, {"not-reading-stdin-now", "TERM"}} {
		w := clitest.Watch(t, clitest.Program(t, clitest.Against(c.fault, "run", "--json")...))
		w.Until(`"method":"server/discover"`)
		require.NoError(t, w.Cmd.Process.Signal(syscall.SIGTERM))
		r := w.End()
		require.Equal(t, 143, r.Code, c.fault)
		require.Contains(t, r.Stderr, "ended by signal: terminated")
		_, entries := clitest.PrintedEntries(t, r.Stdout)
		steps := clitest.Phases(entries)
		require.Equal(t, c.last, steps[len(steps)-1])
	}
}

// aheadOfTerm returns the steps of a shutdown that a second signal cut short. The
// signal must arrive while the server still runs, and in the two seconds before
// SIGTERM, which can fail on a busy machine, so it is retried.
func aheadOfTerm(t *testing.T, steps func() []string) []string {
	t.Helper()
	for range 5 {
		if s := steps(); slices.Contains(s, "KILL") && !slices.Contains(s, "TERM") {
			return s
		}
	}
	require.Fail(t, "each time the server ended or got TERM before the second signal")
	return nil
}

func TestSecondSignalDuringHandshake(t *testing.T) {
	t.Parallel()
	steps := aheadOfTerm(t, func() []string {
		w := clitest.Watch(t, clitest.Program(t, clitest.Against("not-reading-stdin-now", "run", "--json")...))
		w.Until(`"method":"server/discover"`)
		require.NoError(t, w.Cmd.Process.Signal(syscall.SIGINT))
		w.Until(`"phase":"server/discover"`) // which the first signal has ended
		require.NoError(t, w.Cmd.Process.Signal(syscall.SIGINT))
		r := w.End()
		require.Equal(t, 130, r.Code)
		_, entries := clitest.PrintedEntries(t, r.Stdout)
		return clitest.Phases(entries)
	})
	require.Contains(t, steps, "KILL")
}

// The first signal starts the shutdown sequence of a stubborn server; a second
// one cuts it short.
func TestSecondSignalKillsAtOnce(t *testing.T) {
	t.Parallel()
	steps := aheadOfTerm(t, func() []string {
		w := clitest.Watch(t, clitest.Program(t, clitest.Against("ignores-eof-term", "run", "--json")...))
		w.Until(`"state":"ready"`)
		require.NoError(t, w.Cmd.Process.Signal(syscall.SIGINT))
		w.Until(`"state":"stopping"`)
		require.NoError(t, w.Cmd.Process.Signal(syscall.SIGINT))
		r := w.End()
		require.Equal(t, 130, r.Code)
		_, entries := clitest.PrintedEntries(t, r.Stdout)
		return clitest.Phases(entries)
	})
	require.Contains(t, steps, "KILL")
}

func TestWholeShutdownSequence(t *testing.T) {
	t.Parallel()
	w := clitest.Watch(t, clitest.Program(t, clitest.Against("ignores-eof-term", "run", "--json")...))
	w.Until(`"state":"ready"`)
	require.NoError(t, w.Cmd.Process.Signal(syscall.SIGINT))
	r := w.End()
	require.Equal(t, 130, r.Code)
	_, entries := clitest.PrintedEntries(t, r.Stdout)
	steps := clitest.Phases(entries)
	require.Equal(t, []string{"close-stdin", "TERM", "KILL"}, steps[len(steps)-3:])
}

// A signal during the shutdown sequence after the work is done does not change
// the result, and only cuts the wait short.
func TestSignalDuringShutdown(t *testing.T) {
	t.Parallel()
	aheadOfTerm(t, func() []string {
		w := clitest.Watch(t, clitest.Program(t, clitest.Against("ignores-eof-term", "run", "--json", "--for", "1ms")...))
		w.Until(`"state":"stopping"`)
		require.NoError(t, w.Cmd.Process.Signal(syscall.SIGINT))
		r := w.End()
		require.Equal(t, 0, r.Code, r.Stderr)
		_, entries := clitest.PrintedEntries(t, r.Stdout)
		return clitest.Phases(entries)
	})
}

// A signal ends a run that waits for its input.
func TestSignalWhileOutputIsBlocked(t *testing.T) {
	t.Parallel()
	cmd := clitest.Program(t, clitest.Against("", "run", "--json", "--in", "-")...)
	_, err := cmd.StdinPipe() // never written to
	require.NoError(t, err)
	w := clitest.Watch(t, cmd)
	w.Until(`"state":"ready"`)
	require.NoError(t, cmd.Process.Signal(syscall.SIGINT))
	require.Equal(t, 130, w.End().Code)
}

// untilTaken waits until each signal that a process was sent is in the queue of
// its Go runtime: otherwise a second one can overtake it. Only Linux shows that: no
// thread has a pending signal, or blocks SIGINT (bit 1) because it handles one.
func untilTaken(t *testing.T, pid int) {
	if runtime.GOOS != "linux" {
		return
	}
	busy := regexp.MustCompile(`(?m)^(S[ih][gd]Pnd:.*[1-9a-f]|SigBlk:.*[2367abef]$)`)
	require.Eventually(t, func() bool {
		threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/status", pid))
		return err == nil && !slices.ContainsFunc(threads, func(file string) bool {
			status, _ := os.ReadFile(file) // a thread that has ended handles nothing
			return busy.Match(status)
		})
	}, clitest.WaitLimit, time.Millisecond)
}

// Only the rule that a program without a shutdown exits ends this one: its report
// goes to a pipe without a reader.
func TestSignalEndsBlockedProgram(t *testing.T) {
	t.Parallel()
	for _, signals := range [][]syscall.Signal{{syscall.SIGTERM}, {syscall.SIGINT, syscall.SIGTERM}} {
		report := filepath.Join(t.TempDir(), "fifo")
		require.NoError(t, unix.Mkfifo(report, 0o600))
		w := clitest.Watch(t, clitest.Program(t, "diff", clitest.GoldenRecording, clitest.GoldenRecording, "--junit", report))
		w.Until("the same") // then it writes the report
		for _, s := range signals {
			require.NoError(t, w.Cmd.Process.Signal(s))
			untilTaken(t, w.Cmd.Process.Pid)
		}
		r := w.End()
		require.Equal(t, console.ExitSignal+int(signals[0]), r.Code, "%v", signals)
		require.Contains(t, r.Stderr, "mcpdbg: ended by signal: "+signals[0].String()+"; exited without a complete shutdown\n")
	}
}

// The shutdown is over, but printing blocks because its pipe is not read: the
// third signal ends that.
func TestThirdSignalExits(t *testing.T) {
	t.Parallel()
	cmd := clitest.Program(t, clitest.Against("flood:1000000x205", "run", "--json")...)
	out, unread, err := os.Pipe()
	require.NoError(t, err)
	t.Cleanup(func() { _, _ = out.Close(), unread.Close() })
	cmd.Stdout = unread
	require.NoError(t, cmd.Start())
	_, err = io.ReadFull(out, make([]byte, 1<<20)) // it prints
	require.NoError(t, err)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = cmd.Wait()
	}()
	for _, s := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP} { // two of one kind can become one
		require.NoError(t, cmd.Process.Signal(s))
	}
	select {
	case <-ended:
	case <-time.After(clitest.WaitLimit):
		require.Fail(t, "it continues")
	}
	require.Contains(t, []int{129, 130, 143}, cmd.ProcessState.ExitCode(), "any of them may come first")
	require.Eventually(t, func() bool { return len(clitest.Left(cmd)) == 0 }, clitest.WaitLimit, 10*time.Millisecond, "the watchdog ends the server")
}
