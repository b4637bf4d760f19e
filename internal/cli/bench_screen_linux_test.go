package cli

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// A ptyRun is the program in a pseudo terminal whose output is read.
type ptyRun struct {
	cmd  *exec.Cmd
	tty  *os.File // our side
	read sync.WaitGroup

	mu    sync.Mutex
	shown bytes.Buffer
	grown chan struct{} // has a value when there is more
}

// inPty starts the program in a terminal of 120 by 36.
func inPty(tb testing.TB, args ...string) *ptyRun {
	tb.Helper()
	return startInPty(tb, program(tb, args...), 120, 36)
}

// startInPty starts a command in a terminal.
func startInPty(tb testing.TB, cmd *exec.Cmd, columns, lines uint16) *ptyRun {
	tb.Helper()
	tty, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	require.NoError(tb, err)
	require.NoError(tb, unix.IoctlSetPointerInt(int(tty.Fd()), unix.TIOCSPTLCK, 0))
	n, err := unix.IoctlGetInt(int(tty.Fd()), unix.TIOCGPTN)
	require.NoError(tb, err)
	require.NoError(tb, unix.IoctlSetWinsize(int(tty.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: lines, Col: columns}))
	theirs, err := os.OpenFile("/dev/pts/"+strconv.Itoa(n), os.O_RDWR|syscall.O_NOCTTY, 0)
	require.NoError(tb, err)
	r := &ptyRun{cmd: cmd, tty: tty, grown: make(chan struct{}, 1)}
	r.cmd.Env = append(r.cmd.Environ(), "TERM=xterm-256color")
	r.cmd.Stdin, r.cmd.Stdout, r.cmd.Stderr = theirs, theirs, theirs
	r.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	require.NoError(tb, r.cmd.Start())
	require.NoError(tb, theirs.Close())
	r.read.Go(func() {
		buf := make([]byte, 64<<10)
		for {
			n, err := tty.Read(buf)
			r.mu.Lock()
			r.shown.Write(buf[:n])
			r.mu.Unlock()
			select {
			case r.grown <- struct{}{}:
			default:
			}
			if err != nil {
				return
			}
		}
	})
	return r
}

// until waits until the program has written text.
func (r *ptyRun) until(tb testing.TB, text string) {
	tb.Helper()
	timeout := time.After(waitLimit)
	for {
		r.mu.Lock()
		found := bytes.Contains(r.shown.Bytes(), []byte(text))
		r.mu.Unlock()
		if found {
			return
		}
		select {
		case <-r.grown:
		case <-timeout:
			require.FailNow(tb, "it did not come", "%q", text)
		}
	}
}

// end quits.
func (r *ptyRun) end(tb testing.TB) {
	tb.Helper()
	r.leave(tb, "\x03")
}

// leave presses the key that ends the program.
func (r *ptyRun) leave(tb testing.TB, key string) {
	tb.Helper()
	_, err := r.tty.WriteString(key)
	require.NoError(tb, err)
	require.NoError(tb, r.cmd.Wait())
	r.read.Wait() // it ends when the other side is closed
	require.NoError(tb, r.tty.Close())
}

// BenchmarkFirstFrame measures the time from exec to the first frame, which may
// take 60 ms, and the time of version, which draws nothing. The server does not
// respond, so that only the frame is measured.
func BenchmarkFirstFrame(b *testing.B) {
	args := against("never-answers")
	for b.Loop() {
		version, frame := duel(3*rounds, func() time.Duration { return wallTime(b, []string{"version"}) }, func() time.Duration {
			begin := time.Now()
			r := inPty(b, args...)
			r.until(b, "Exchanges")
			took := time.Since(begin)
			r.end(b)
			return took
		})
		b.ReportMetric(float64(frame.Microseconds())/1000, "ms")
		b.ReportMetric(float64(version.Microseconds())/1000, "version-ms")
	}
}

// BenchmarkIdle measures the CPU usage while nothing happens, which may be 1 %.
func BenchmarkIdle(b *testing.B) {
	const span = 5 * time.Second
	for b.Loop() {
		r := inPty(b, "demo", "--era", "legacy")
		r.until(b, "handshake")
		time.Sleep(2 * time.Second) // until the start is over
		before := cpuTime(b, r.cmd.Process.Pid)
		time.Sleep(span)
		used := cpuTime(b, r.cmd.Process.Pid) - before
		r.end(b)
		b.ReportMetric(100*used.Seconds()/span.Seconds(), "%core")
	}
}

// cpuTime returns the CPU time of a process, in units of 10 ms.
func cpuTime(tb testing.TB, pid int) time.Duration {
	tb.Helper()
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	require.NoError(tb, err)
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:])) // a name may hold blanks
	var ticks int
	for _, field := range fields[11:13] { // utime, stime
		n, err := strconv.Atoi(field)
		require.NoError(tb, err)
		ticks += n
	}
	return time.Duration(ticks) * 10 * time.Millisecond
}
