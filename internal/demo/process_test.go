//go:build unix

package demo_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/demo/demotest"
)

func TestMain(m *testing.M) { demotest.Main(m) }

// timeout is the timeout for everything that a test waits for.
const timeout = 5 * time.Minute

// process is a demo server as a real process, in a group of its own.
type process struct {
	t      *testing.T
	cmd    *exec.Cmd
	in     io.WriteCloser
	outEnd *os.File
	out    *bufio.Reader
	err    *bufio.Reader
}

func start(t *testing.T, kind string) *process {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	argv := demotest.Command(kind)
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Env = append(os.Environ(), demotest.FastExit)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	outR, outW, err := os.Pipe()
	require.NoError(t, err)
	errR, errW, err := os.Pipe()
	require.NoError(t, err)
	cmd.Stdout, cmd.Stderr = outW, errW
	require.NoError(t, cmd.Start())
	require.NoError(t, outW.Close())
	require.NoError(t, errW.Close())
	require.NoError(t, outR.SetReadDeadline(time.Now().Add(timeout)))
	require.NoError(t, errR.SetReadDeadline(time.Now().Add(timeout)))
	t.Cleanup(func() {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		_ = cmd.Wait()
		_ = outR.Close()
		_ = errR.Close()
		cancel()
	})
	return &process{t: t, cmd: cmd, in: in, outEnd: outR, out: bufio.NewReaderSize(outR, 1<<16), err: bufio.NewReader(errR)}
}

const (
	initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`
	discover   = `{"jsonrpc":"2.0","id":"p","method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`
	callEcho   = `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"echo","arguments":{"message":"hello"},"_meta":{"progressToken":"tok"}}}`
	ping       = `{"jsonrpc":"2.0","id":3,"method":"ping"}`
)

func (p *process) send(lines ...string) {
	p.t.Helper()
	_, err := io.WriteString(p.in, strings.Join(lines, "\n")+"\n")
	require.NoError(p.t, err)
}

// line reads one line of stdout, with its newline.
func (p *process) line() string {
	p.t.Helper()
	line, err := p.out.ReadString('\n')
	require.NoError(p.t, err)
	return line
}

// message reads one line of stdout, which must be a message.
func (p *process) message() message {
	p.t.Helper()
	line := p.line()
	var m message
	require.NoError(p.t, json.Unmarshal([]byte(line), &m), "%q", line)
	return m
}

type message struct {
	ID     json.RawMessage
	Method string
	Params json.RawMessage
	Result json.RawMessage
	Error  *struct{ Code int }
}

// handshake opens a legacy session, which must succeed.
func (p *process) handshake() {
	p.t.Helper()
	p.send(initialize)
	require.Contains(p.t, string(p.message().Result), `"protocolVersion":"2025-11-25"`)
}

// untilStderr reads stderr up to a line with a prefix, and returns the rest of
// that line.
func (p *process) untilStderr(prefix string) string {
	p.t.Helper()
	for {
		line, err := p.err.ReadString('\n')
		require.NoError(p.t, err, "waiting for %q on stderr", prefix)
		if rest, ok := strings.CutPrefix(line, prefix); ok {
			return strings.TrimSpace(rest)
		}
	}
}

// pid reads the next pid from stderr.
func (p *process) pid() int {
	p.t.Helper()
	pid, err := strconv.Atoi(p.untilStderr("pid "))
	require.NoError(p.t, err)
	return pid
}

// end closes stdin, and returns the rest of stdout and the state of the
// process.
func (p *process) end() (string, *os.ProcessState) {
	p.t.Helper()
	require.NoError(p.t, p.in.Close())
	rest, err := io.ReadAll(p.out)
	require.NoError(p.t, err)
	return string(rest), p.wait()
}

func (p *process) wait() *os.ProcessState {
	_ = p.cmd.Wait()
	return p.cmd.ProcessState
}

// requireGone waits until a process no longer exists.
func requireGone(t *testing.T, pid int) {
	t.Helper()
	require.Eventually(t, func() bool { return !alive(pid) }, timeout, 5*time.Millisecond, "process %d is still there", pid)
}

// alive reports whether a process exists and is not a zombie.
func alive(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return false
	}
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil { // a system without /proc
		state, err := exec.Command("ps", "-o", "stat=", "-p", strconv.Itoa(pid)).Output()
		return err == nil && !bytes.HasPrefix(bytes.TrimSpace(state), []byte("Z"))
	}
	// The state follows the name, which is in parentheses: proc(5).
	_, state, _ := bytes.Cut(stat, []byte(") "))
	return !bytes.HasPrefix(state, []byte("Z"))
}

func TestHealthyProcess(t *testing.T) {
	p := start(t, "")
	p.handshake()
	p.send(`{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"slow","arguments":{"seconds":3000}}}`)
	p.untilStderr("demo: call slow")
	rest, state := p.end()
	require.Empty(t, rest)
	require.Equal(t, 0, state.ExitCode(), "ends at the end of stdin, with a call in flight")
}

func TestUnknownKind(t *testing.T) {
	for spec, says := range map[string]string{
		"nope":         "use one of ansi, answers-error,",
		"crlf:x":       "takes no parameter",
		"crlf-now":     "unknown kind",
		"flood:x":      "use COUNTxSIZE",
		"flood:1x10":   "use COUNTxSIZE",
		"slow-start:x": "use a number",
		"bom:some":     "the only one is all",
		"deep:1":       "at least 3",
	} {
		p := start(t, spec)
		text, err := io.ReadAll(p.err)
		require.NoError(t, err)
		require.Contains(t, string(text), says, spec)
		require.Equal(t, 2, p.wait().ExitCode(), spec)
	}
}

func TestIgnoresEOFAndTerm(t *testing.T) {
	p := start(t, "ignores-eof-term")
	leader, child := p.pid(), p.pid()
	require.Equal(t, p.cmd.Process.Pid, leader)
	group, err := syscall.Getpgid(child)
	require.NoError(t, err)
	require.Equal(t, leader, group, "the child is in the leader's group")
	requireIgnoresTerm(t, leader)
	requireIgnoresTerm(t, child)
	p.handshake()
	require.NoError(t, syscall.Kill(-leader, syscall.SIGTERM))
	p.send(ping)
	require.Equal(t, "3", string(p.message().ID), "still runs after SIGTERM")
	require.NoError(t, p.in.Close())
	require.NoError(t, syscall.Kill(-leader, syscall.SIGTERM))
	require.True(t, alive(leader))
	require.True(t, alive(child))
	require.NoError(t, syscall.Kill(-leader, syscall.SIGKILL))
	require.Equal(t, syscall.SIGKILL, p.wait().Sys().(syscall.WaitStatus).Signal())
	requireGone(t, child)
}

// requireIgnoresTerm reads from /proc whether a process ignores SIGTERM.
// Sending the signal instead would require waiting for nothing to happen.
func requireIgnoresTerm(t *testing.T, pid int) {
	t.Helper()
	status, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status")
	if err != nil {
		return // without /proc, the caller's own check must suffice
	}
	_, after, found := strings.Cut(string(status), "SigIgn:\t")
	require.True(t, found)
	mask, err := strconv.ParseUint(strings.TrimSpace(after[:16]), 16, 64)
	require.NoError(t, err)
	require.NotZero(t, mask&(1<<(syscall.SIGTERM-1)), "process %d ignores %016x", pid, mask)
}

// TestIgnoresEOFAndTermHasALifespan checks that a process that cannot be ended
// politely lives no longer than its lifespan.
func TestIgnoresEOFAndTermHasALifespan(t *testing.T) {
	p := start(t, "ignores-eof-term:1")
	_, child := p.pid(), p.pid()
	_, state := p.end()
	require.Equal(t, 0, state.ExitCode())
	requireGone(t, child)
}

func TestDaemon(t *testing.T) {
	p := start(t, "daemon")
	pid := p.pid()
	t.Cleanup(func() { _ = syscall.Kill(pid, syscall.SIGKILL) })
	group, err := syscall.Getpgid(pid)
	require.NoError(t, err)
	require.NotEqual(t, p.cmd.Process.Pid, group, "the daemon is in a group of its own")
	p.handshake()
	rest, state := p.end()
	require.Empty(t, rest)
	require.Equal(t, 0, state.ExitCode())
	require.True(t, alive(pid), "the daemon outlives the server")
	require.NoError(t, syscall.Kill(pid, syscall.SIGKILL))
	requireGone(t, pid)
}

func TestHoldsStdout(t *testing.T) {
	p := start(t, "holds-stdout")
	child := p.pid()
	p.handshake()
	require.NoError(t, p.in.Close())
	require.Equal(t, 0, p.wait().ExitCode(), "the leader exits")
	require.Contains(t, p.line(), "late output: the server has exited")
	require.True(t, alive(child), "the child runs and holds stdout")
	require.NoError(t, syscall.Kill(child, syscall.SIGKILL))
	_, err := p.out.ReadByte()
	require.ErrorIs(t, err, io.EOF)
	requireGone(t, child)
}

func TestLateOutput(t *testing.T) {
	for _, kind := range []string{"late-output", "late-output-now:1", "holds-stdout-now:1"} {
		t.Run(kind, func(t *testing.T) {
			p := start(t, kind)
			child := p.pid()
			rest, state := p.end()
			require.Equal(t, 0, state.ExitCode())
			require.Equal(t, 2, strings.Count(rest, "late output"), rest)
			requireGone(t, child)
		})
	}
}

func TestCrashMidCall(t *testing.T) {
	for _, test := range []struct {
		kind   string
		signal syscall.Signal // 0: exit code 2
	}{
		{"crash-mid-call", syscall.SIGSEGV},
		{"crash-mid-call:abort", syscall.SIGABRT},
		{"crash-mid-call:kill", syscall.SIGKILL},
		{"crash-mid-call:panic", 0},
	} {
		t.Run(test.kind, func(t *testing.T) {
			p := start(t, test.kind)
			p.handshake()
			p.send(callEcho)
			_, state := p.end()
			status := state.Sys().(syscall.WaitStatus)
			if test.signal == 0 {
				require.Equal(t, 2, status.ExitStatus())
				return
			}
			require.True(t, status.Signaled())
			require.Equal(t, test.signal, status.Signal())
		})
	}
}

func TestClosesStdout(t *testing.T) {
	for _, kind := range []string{"closes-stdout", "closes-stdout-now"} {
		t.Run(kind, func(t *testing.T) {
			p := start(t, kind)
			if kind == "closes-stdout" {
				p.handshake()
				p.send(callEcho)
			}
			_, err := p.out.ReadByte()
			require.ErrorIs(t, err, io.EOF)
			require.True(t, alive(p.cmd.Process.Pid), "still runs")
			_, state := p.end()
			require.Equal(t, 0, state.ExitCode())
		})
	}
}

func TestPingFlood(t *testing.T) {
	p := start(t, "ping-flood")
	p.handshake()
	p.send(ping)
	r := p.out
	for id := range 1000 {
		line, err := r.ReadString('\n')
		require.NoError(t, err)
		require.Equal(t, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"ping"}`+"\n", id), line)
	}
	require.NoError(t, p.in.Close())
	_, err := r.ReadString('\n')
	require.NoError(t, err, "it does not notice the end of stdin")
}

func TestNotReadingStdin(t *testing.T) {
	for _, kind := range []string{"not-reading-stdin", "not-reading-stdin-now"} {
		t.Run(kind, func(t *testing.T) {
			p := start(t, kind)
			if kind == "not-reading-stdin" {
				p.handshake()
				p.send(ping)
			}
			in := p.in.(interface{ SetWriteDeadline(time.Time) error })
			require.NoError(t, in.SetWriteDeadline(time.Now().Add(500*time.Millisecond)))
			_, err := p.in.Write(make([]byte, 1<<20))
			require.ErrorIs(t, err, os.ErrDeadlineExceeded, "a megabyte fits into no buffer")
			require.NoError(t, p.in.Close())
			require.True(t, alive(p.cmd.Process.Pid))
		})
	}
}
