package serve

import (
	"context"
	"encoding/json"
	"io"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/session/execserver/wire"
	"mcpdbg/session/exectest"
	"mcpdbg/session/executor"
	"mcpdbg/session/localexec"
)

func TestMain(m *testing.M) {
	if exectest.HelperMain() {
		return
	}
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case watchdogArg:
			os.Exit(localexec.Watchdog(os.Stdin))
		case serverArg:
			s := New(Options{Executor: local, Environment: Describe("test")})
			s.ServeConn(context.Background(), stdio{os.Stdin, os.Stdout})
			s.Close()
			os.Exit(0)
		}
	}
	os.Exit(m.Run())
}

// Arguments that make the test binary run something other than tests.
const (
	watchdogArg = "watchdog-of-serve"
	serverArg   = "server-of-serve"
)

type stdio struct {
	io.Reader
	io.WriteCloser
}

func local() executor.Executor {
	return localexec.New(localexec.Options{Watchdog: []string{os.Args[0], watchdogArg}, Journal: Journal, Retention: Retention(time.Minute)})
}

// A client is the other side of a connection. It keeps what it gets.
type client struct {
	t     testing.TB
	lines *wire.Lines
	ended chan struct{} // closed when the connection has ended

	mu      sync.Mutex
	changed sync.Cond
	id      uint64
	got     []wire.Message // all but output
	output  map[string][]wire.Output
	over    bool
}

// dial connects a client to a server by a pipe in memory.
func dial(t testing.TB, s *Server) *client {
	t.Helper()
	ours, theirs := net.Pipe()
	s.running.Go(func() { s.ServeConn(context.Background(), theirs) })
	return newClient(t, ours)
}

func newServer(t testing.TB, o Options) *Server {
	t.Helper()
	if o.Executor == nil {
		o.Executor = local
	}
	s := New(o)
	t.Cleanup(s.Close)
	return s
}

func newClient(t testing.TB, stream io.ReadWriteCloser) *client {
	c := &client{t: t, lines: wire.NewLines(stream, wire.MaxMessage), ended: make(chan struct{}), output: map[string][]wire.Output{}}
	c.changed.L = &c.mu
	go c.read()
	t.Cleanup(func() {
		_ = c.lines.Close()
		<-c.ended
	})
	return c
}

func (c *client) read() {
	defer close(c.ended)
	for {
		text, err := c.lines.Read(context.Background())
		c.mu.Lock()
		if err != nil {
			c.over = true
			c.changed.Broadcast()
			c.mu.Unlock()
			return
		}
		if o, ok := wire.ParseOutput(text); ok {
			c.output[o.ProcessID] = append(c.output[o.ProcessID], o)
		} else if m, err := wire.Decode(append([]byte(nil), text...)); err == nil {
			c.got = append(c.got, m)
		}
		c.changed.Broadcast()
		c.mu.Unlock()
	}
}

// until waits for a message.
func (c *client) until(match func(wire.Message) bool) wire.Message {
	c.t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	for {
		for _, m := range c.got {
			if match(m) {
				return m
			}
		}
		if c.over {
			c.t.Fatal("the connection has ended")
		}
		c.changed.Wait()
	}
}

// send sends a request, and returns its id.
func (c *client) send(method string, params any) string {
	c.t.Helper()
	c.mu.Lock()
	c.id++
	id := c.id
	c.mu.Unlock()
	require.NoError(c.t, c.lines.Write(context.Background(), request(c.t, id, method, params)))
	return strconv.FormatUint(id, 10)
}

func request(t testing.TB, id uint64, method string, params any) []byte {
	t.Helper()
	text, err := json.Marshal(params)
	require.NoError(t, err)
	return wire.AppendRequest(nil, id, method, text)
}

func (c *client) response(id string) wire.Message {
	c.t.Helper()
	return c.until(func(m wire.Message) bool { return string(m.ID) == id })
}

// call sends a request and decodes its result.
func (c *client) call(method string, params, result any) *wire.Error {
	c.t.Helper()
	m := c.response(c.send(method, params))
	if m.Error == nil && result != nil {
		require.NoError(c.t, json.Unmarshal(m.Result, result))
	}
	return m.Error
}

func (c *client) hello(p wire.InitializeParams) (wire.InitializeResult, *wire.Error) {
	c.t.Helper()
	var r wire.InitializeResult
	if err := c.call(wire.MethodInitialize, p, &r); err != nil {
		return r, err
	}
	text, err := wire.Notification(wire.NoteInitialized, nil)
	require.NoError(c.t, err)
	require.NoError(c.t, c.lines.Write(context.Background(), text))
	return r, nil
}

// greeted returns a client with a new session.
func greeted(t testing.TB, s *Server) (*client, wire.InitializeResult) {
	t.Helper()
	c := dial(t, s)
	r, err := c.hello(wire.InitializeParams{ClientName: "test"})
	require.Nil(t, err)
	return c, r
}

func helper(t testing.TB, id string, steps ...string) wire.StartParams {
	dir, err := filepath.Abs(".")
	require.NoError(t, err)
	return wire.StartParams{
		ProcessID: id, Argv: append([]string{os.Args[0]}, exectest.HelperArgs(steps...)...),
		CWD: uriOf(dir), Env: map[string]string{}, Policy: "inherit", PipeStdin: true,
	}
}

func (c *client) start(p wire.StartParams) wire.StartResult {
	c.t.Helper()
	var r wire.StartResult
	err := c.call(wire.MethodStart, p, &r)
	require.Nil(c.t, err)
	return r
}

func (c *client) write(id, writeID, text string) string {
	c.t.Helper()
	var r wire.WriteResult
	require.Nil(c.t, c.call(wire.MethodWrite, wire.WriteParams{ProcessID: id, Chunk: []byte(text), WriteID: writeID}, &r))
	return r.Status
}

// text waits until a process has written so many bytes, and returns them; it checks that the
// numbers grow.
func (c *client) text(id string, size int) string {
	c.t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	var text []byte
	last := uint64(0)
	for taken := 0; ; {
		for ; taken < len(c.output[id]); taken++ {
			o := c.output[id][taken]
			require.Greater(c.t, o.Seq, last)
			last = o.Seq
			text = append(text, o.Chunk...)
		}
		if len(text) >= size {
			return string(text)
		}
		if c.over {
			c.t.Fatalf("the connection has ended: got %d of %d bytes", len(text), size)
		}
		c.changed.Wait()
	}
}

func (c *client) closed(id string) wire.Closed {
	c.t.Helper()
	var closed wire.Closed
	c.until(func(m wire.Message) bool {
		return m.Method == wire.NoteClosed && json.Unmarshal(m.Params, &closed) == nil && closed.ProcessID == id
	})
	return closed
}

func (c *client) exited(id string) wire.Exited {
	c.t.Helper()
	var exited wire.Exited
	c.until(func(m wire.Message) bool {
		return m.Method == wire.NoteExited && json.Unmarshal(m.Params, &exited) == nil && exited.ProcessID == id
	})
	return exited
}

// eventually waits for a condition that no event reports.
func eventually(t testing.TB, condition func() bool) {
	t.Helper()
	require.Eventually(t, condition, time.Minute, 5*time.Millisecond)
}
