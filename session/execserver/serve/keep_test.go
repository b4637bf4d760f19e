//go:build unix

package serve

import (
	"context"
	"encoding/json"
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/session/execserver/wire"
	"mcpdbg/session/exectest"
	"mcpdbg/session/executor"
)

func shortDir(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "s") //nolint:usetesting // the path must be short
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

func TestResume(t *testing.T) {
	t.Parallel()
	s := newServer(t, Options{Keep: time.Minute})
	a, hello := greeted(t, s)
	require.Equal(t, 60, hello.KeepSeconds)
	require.True(t, hello.Environment.Capabilities.Takeover)
	a.start(helper(t, "p", "echo", "exit", "3"))
	require.Equal(t, wire.Accepted, a.write("p", "1", "one"))
	require.Equal(t, "one", a.text("p", 3))

	b := dial(t, s)
	_, err := b.hello(wire.InitializeParams{ResumeSessionID: hello.SessionID})
	require.Equal(t, wire.ErrAttached, err.Code)
	_, err = b.hello(wire.InitializeParams{ResumeSessionID: hello.SessionID, ResumeToken: "wrong"})
	require.Equal(t, wire.ErrRequest, err.Code)
	_, err = b.hello(wire.InitializeParams{ResumeSessionID: "x", ResumeToken: hello.ResumeToken})
	require.Equal(t, "unknown session id x", err.Message)
	again, err := b.hello(wire.InitializeParams{ResumeSessionID: hello.SessionID, ResumeToken: hello.ResumeToken})
	require.Nil(t, err)
	require.Equal(t, hello.SessionID, again.SessionID)
	<-a.ended

	require.Equal(t, wire.Accepted, b.write("p", "1", "one")) // sent again
	require.Equal(t, wire.Accepted, b.write("p", "2", "two"))
	require.Nil(t, b.call(wire.MethodCloseStdin, wire.Process{ProcessID: "p"}, nil))
	require.NoError(t, b.lines.Close())
	eventually(t, func() bool { return s.detached(hello.SessionID) })

	c := dial(t, s)
	_, err = c.hello(wire.InitializeParams{ResumeSessionID: hello.SessionID})
	require.Nil(t, err)
	one := uint64(len(a.output["p"]))
	var r wire.ReadResult
	require.Nil(t, c.call(wire.MethodRead, wire.ReadParams{ProcessID: "p", AfterSeq: one}, &r))
	text := ""
	for _, chunk := range r.Chunks {
		text += string(chunk.Chunk)
	}
	require.Equal(t, 3, *c.exited("p").ExitCode)
	c.closed("p")
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, o := range c.output["p"] {
		text += string(o.Chunk)
	}
	require.Equal(t, "two", text)
}

func (s *Server) detached(id string) bool {
	s.mu.Lock()
	x := s.sessions[id]
	s.mu.Unlock()
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.conn == nil
}

// TestResumeInBulk cuts a connection in the middle of output, again and again: each byte
// comes once, by reads or by notifications.
func TestResumeInBulk(t *testing.T) {
	t.Parallel()
	const lines, size = 60_000, 500
	s := newServer(t, Options{Keep: time.Minute})
	c, hello := greeted(t, s)
	c.start(helper(t, "p", "flood", strconv.Itoa(lines), strconv.Itoa(size)))
	var all strings.Builder
	last, next, total := uint64(0), 0, 0
	take := func(seq uint64, text []byte) {
		if seq <= last {
			return
		}
		require.Equal(t, last+1, seq, "a gap")
		last = seq
		all.Write(text)
		total += len(text)
	}
	for cuts := 0; total < lines*size; cuts++ {
		if cuts < 20 {
			next = total + 1 + lines*size/25
		} else {
			next = lines * size
		}
		c.mu.Lock()
		for i := 0; total < next; i++ {
			for i >= len(c.output["p"]) {
				require.False(t, c.over)
				c.changed.Wait()
			}
			take(c.output["p"][i].Seq, c.output["p"][i].Chunk)
		}
		c.mu.Unlock()
		require.NoError(t, c.lines.Close())
		<-c.ended
		for _, o := range c.output["p"] { // received output may be gone from the server
			take(o.Seq, o.Chunk)
		}
		c = dial(t, s)
		_, err := c.hello(wire.InitializeParams{ResumeSessionID: hello.SessionID, ResumeToken: hello.ResumeToken})
		require.Nil(t, err)
		var r wire.ReadResult
		limit := 100_000
		require.Nil(t, c.call(wire.MethodRead, wire.ReadParams{ProcessID: "p", AfterSeq: last, MaxBytes: &limit}, &r))
		for _, chunk := range r.Chunks {
			take(chunk.Seq, chunk.Chunk)
		}
	}
	require.Equal(t, lines, strings.Count(all.String(), "\n"))
	require.Len(t, all.String(), lines*size)
}

// A fakeExecutor has fake processes, and notes that it was closed.
type fakeExecutor struct {
	executor.Executor
	mu     sync.Mutex
	closed bool
}

func (f *fakeExecutor) Process(string) executor.Process {
	return exectest.NewFake("", executor.Command{})
}

func (f *fakeExecutor) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closed = true
	return nil
}

func (f *fakeExecutor) gone() bool {
	synctest.Wait()
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.closed
}

// A pipeListener accepts connections in memory.
type pipeListener struct {
	conns chan net.Conn
	once  sync.Once
	over  chan struct{}
}

func (l *pipeListener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.over:
		return nil, net.ErrClosed
	}
}

func (l *pipeListener) Close() error {
	l.once.Do(func() { close(l.over) })
	return nil
}

func (l *pipeListener) Addr() net.Addr { return nil }

func (l *pipeListener) dial(t *testing.T) *client {
	ours, theirs := net.Pipe()
	l.conns <- theirs
	return newClient(t, ours)
}

// TestKeep: resumed within the time, everything stays; otherwise it is gone soon after.
func TestKeep(t *testing.T) {
	const keep = 10 * time.Minute
	serve := func(t *testing.T, f func(t *testing.T, l *pipeListener, e *fakeExecutor, ended chan error)) {
		synctest.Test(t, func(t *testing.T) {
			e := &fakeExecutor{}
			s := New(Options{Keep: keep, Executor: func() executor.Executor { return e }})
			l := &pipeListener{conns: make(chan net.Conn), over: make(chan struct{})}
			ended := make(chan error, 1)
			ctx, cancel := context.WithCancel(t.Context())
			go func() { ended <- s.Serve(ctx, l) }()
			f(t, l, e, ended)
			cancel()
			s.Close()
		})
	}
	hello := func(t *testing.T, c *client, p wire.InitializeParams) wire.InitializeResult {
		r, err := c.hello(p)
		require.Nil(t, err)
		return r
	}
	t.Run("resumed", func(t *testing.T) {
		serve(t, func(t *testing.T, l *pipeListener, e *fakeExecutor, ended chan error) {
			c := l.dial(t)
			r := hello(t, c, wire.InitializeParams{})
			require.NoError(t, c.lines.Close())
			time.Sleep(keep - time.Second)
			require.False(t, e.gone())
			c = l.dial(t)
			hello(t, c, wire.InitializeParams{ResumeSessionID: r.SessionID})
			time.Sleep(3 * keep) // attached, and without a heartbeat
			require.False(t, e.gone())
		})
	})
	t.Run("cut", func(t *testing.T) {
		serve(t, func(t *testing.T, l *pipeListener, e *fakeExecutor, ended chan error) {
			c := l.dial(t)
			hello(t, c, wire.InitializeParams{})
			require.NoError(t, c.lines.Close())
			time.Sleep(keep + 15*time.Second)
			require.True(t, e.gone())
			require.ErrorIs(t, <-ended, ErrIdle)
		})
	})
	t.Run("silent", func(t *testing.T) {
		serve(t, func(t *testing.T, l *pipeListener, e *fakeExecutor, ended chan error) {
			c := l.dial(t)
			hello(t, c, wire.InitializeParams{})
			for range 5 {
				require.Nil(t, c.call(wire.MethodStatus, nil, nil))
				time.Sleep(keep)
			}
			require.False(t, e.gone())
			time.Sleep(15 * time.Second)
			require.True(t, e.gone())
			require.ErrorIs(t, <-ended, ErrIdle)
		})
	})
	t.Run("no client", func(t *testing.T) {
		serve(t, func(_ *testing.T, _ *pipeListener, _ *fakeExecutor, ended chan error) {
			require.ErrorIs(t, <-ended, ErrIdle)
		})
	})
}

// TestServerIsKilled: nothing is left, at once.
func TestServerIsKilled(t *testing.T) {
	t.Parallel()
	server := exec.Command(os.Args[0], serverArg)
	in, err := server.StdinPipe()
	require.NoError(t, err)
	out, err := server.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, server.Start())
	c := newClient(t, stdio{out, in})
	_, failed := c.hello(wire.InitializeParams{})
	require.Nil(t, failed)
	c.start(helper(t, "p", "ignore", "TERM", "spawn", "child", "pid", "hang", "end", "pid", "hang"))
	pids := strings.Fields(strings.ReplaceAll(c.text("p", len("pid 1\npid 1\n")), "pid ", ""))
	require.NoError(t, server.Process.Kill())
	_ = server.Wait()
	for _, text := range pids {
		pid, err := strconv.Atoi(text)
		require.NoError(t, err)
		eventually(t, func() bool { return syscall.Kill(pid, 0) != nil || isZombie(pid) })
	}
}

// isZombie: a container may have no init that reaps.
func isZombie(pid int) bool {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	return err == nil && strings.Contains(string(text), ") Z ")
}

// FuzzMessages: a server answers anything, and ends with its connection.
func FuzzMessages(f *testing.F) {
	for _, text := range []string{
		`{"id":1,"method":"process/write","params":{"processId":"a","chunk":"eA==","writeId":"1"}}`,
		`{"id":"x","method":"process/read","params":{"processId":"a","waitMs":1}}`,
		`{"id":1,"method":"process/stop","params":{"processId":"a","step":"close-stdin","scope":"tree"}}`,
		`{"id":1,"method":"initialize","params":{"clientName":""}}`, `[]`, `{"id":null}`,
		`{"id":1,"method":"session/end"}`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		s := New(Options{Executor: func() executor.Executor { return &fakeExecutor{Executor: refusing{}} }})
		defer s.Close()
		c := dial(t, s)
		_, err := c.hello(wire.InitializeParams{})
		require.Nil(t, err)
		_ = c.lines.Write(t.Context(), text)
		_ = c.lines.Close()
		<-c.ended
	})
}

// A refusing executor starts nothing.
type refusing struct{ executor.Executor }

func (refusing) Start(context.Context, executor.Command) (executor.Process, error) {
	return nil, &executor.StartError{Code: executor.StartFailed, Err: context.Canceled}
}

func FuzzStart(f *testing.F) {
	f.Add([]byte(`{"processId":"a","argv":["x"],"cwd":"file:///a%20b","env":{"A":"1"},"tty":false,"policy":"client"}`), true)
	f.Add([]byte(`{"processId":"a","argv":["x"],"cwd":"file:///","env":{},"tty":false,"envPolicy":{"inherit":"all","exclude":["A["],"includeOnly":["*"]}}`), false)
	f.Fuzz(func(t *testing.T, text []byte, windows bool) {
		var p startParams
		if json.Unmarshal(text, &p) != nil {
			return
		}
		cmd, err := commandOf(&p, []string{"PATH=/bin", "A_KEY=1", "=C:=x"})
		if err == nil {
			require.NotEmpty(t, cmd.Argv)
			require.NotEmpty(t, cmd.Dir)
		}
		if windows {
			_, _ = pathOf(p.CWD, "windows")
		}
	})
}

func TestPaths(t *testing.T) {
	t.Parallel()
	for uri, want := range map[string]string{"file:///a%20b/%23": "/a b/#", "file:///": "/", "file://h/x": "", "file:///C:/x": "", "/x": "", "file:x": ""} {
		got, err := pathOf(uri, "linux")
		require.Equal(t, want, got)
		require.Equal(t, want == "", err != nil, uri)
	}
	require.Equal(t, "file:///a%20b/%23", uriOf("/a b/#"))
}

func TestEnvPolicy(t *testing.T) {
	t.Parallel()
	environ := []string{"PATH=/bin", "HOME=/h", "API_KEY=k", "OTHER=o"}
	for want, p := range map[string]wire.EnvPolicy{
		"HOME=/h PATH=/bin X=1":                   {Inherit: "core"},
		"HOME=/h OTHER=o PATH=/bin X=1":           {Inherit: "all"},
		"API_KEY=k HOME=/h OTHER=o PATH=/bin X=1": {Inherit: "all", IgnoreExcludes: true},
		"API_KEY=k HOME=/h PATH=/bin X=1":         {Inherit: "all", IgnoreExcludes: true, Exclude: []string{"oth*"}},
		"S=s X=1":                                 {Inherit: "none", Set: map[string]string{"S": "s"}},
		"OTHER=o X=1":                             {Inherit: "all", IncludeOnly: []string{"OTHER"}},
	} {
		got, err := commandOf(&startParams{StartParams: wire.StartParams{
			ProcessID: "a", Argv: []string{"x"}, CWD: "file:///", Env: map[string]string{"X": "1"}, EnvPolicy: &p,
		}}, environ)
		require.NoError(t, err)
		var names []string
		for _, v := range got.Env {
			names = append(names, v.Name+"="+v.Value)
		}
		require.Equal(t, want, strings.Join(names, " "))
	}
}
