package serve

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"mcpdbg/session/execserver/wire"
	"mcpdbg/session/executor"
)

func TestProcess(t *testing.T) {
	t.Parallel()
	c, hello := greeted(t, newServer(t, Options{Environment: Describe("1")}))
	require.Len(t, hello.SessionID, 36)
	require.Empty(t, hello.ResumeToken)
	require.Equal(t, "1", hello.Environment.Version)
	require.True(t, hello.Environment.Capabilities.Stop)
	require.False(t, hello.Environment.Capabilities.Takeover)
	started := c.start(helper(t, "a", "echo", "err", "bye", "exit", "7"))
	require.Positive(t, started.PID)
	require.Equal(t, wire.Accepted, c.write("a", "w1", "hello"))
	require.Equal(t, wire.Accepted, c.write("a", "w1", "again"))
	require.Equal(t, "hello", c.text("a", 5))
	var closed wire.CloseStdinResult
	require.Nil(t, c.call(wire.MethodCloseStdin, wire.Process{ProcessID: "a"}, &closed))
	require.Equal(t, wire.Accepted, closed.Status)
	exited := c.exited("a")
	require.Equal(t, 7, *exited.ExitCode)
	require.Equal(t, "code", exited.Exit.Kind)
	end := c.closed("a")
	require.Equal(t, "hellobye", c.text("a", 8))
	require.Equal(t, wire.StdinClosed, c.write("a", "w2", "late"))
	var r wire.ReadResult
	require.Nil(t, c.call(wire.MethodRead, wire.ReadParams{ProcessID: "a"}, &r))
	require.Len(t, r.Chunks, 2)
	require.True(t, r.Exited && r.Closed)
	require.Equal(t, exited.Seq, r.ExitSeq)
	require.Equal(t, end.Seq+1, r.NextSeq)
	var terminated wire.TerminateResult
	require.Nil(t, c.call(wire.MethodTerminate, wire.Process{ProcessID: "a"}, &terminated))
	require.False(t, terminated.Running)
}

// TestErrors: as Codex answers.
func TestErrors(t *testing.T) {
	t.Parallel()
	c := dial(t, newServer(t, Options{}))
	send := func(text string, id string) *wire.Error {
		require.NoError(t, c.lines.Write(t.Context(), []byte(text)))
		return c.response(id).Error
	}
	require.Contains(t, c.call(wire.MethodStatus, nil, nil).Message, "must call initialize")
	require.Equal(t, "missing field `clientName`", c.call(wire.MethodInitialize, struct{}{}, nil).Message)
	require.Nil(t, c.call(wire.MethodInitialize, wire.InitializeParams{}, nil))
	require.Contains(t, c.call(wire.MethodStatus, nil, nil).Message, "must send initialized")
	require.NoError(t, c.lines.Write(t.Context(), []byte(`{"method":"initialized"}`)))
	require.Nil(t, c.call(wire.MethodStatus, nil, nil))
	require.Contains(t, c.call(wire.MethodInitialize, wire.InitializeParams{}, nil).Message, "only be sent once")
	require.Equal(t, wire.ErrRequest, send("no JSON", "-1").Code)
	for _, tc := range []struct {
		method, params string
		code           int
		text           string
	}{
		{"fs/readFile", `{}`, wire.ErrMethod, "fs/readFile"},
		{"http/request", `{}`, wire.ErrMethod, "http/request"},
		{"process/list", `{}`, wire.ErrMethod, "process/list"},
		{"process/start", `{}`, wire.ErrParams, "missing field `processId`"},
		{"process/start", `{"processId":"a","argv":[],"cwd":"file:///","env":{},"tty":false}`, wire.ErrParams, "argv"},
		{"process/start", `{"processId":"a","argv":["x"],"cwd":"/","env":{},"tty":false}`, wire.ErrParams, "not a file URI"},
		{"process/start", `{"processId":"a","argv":["x"],"cwd":"file:///","env":{},"tty":true}`, wire.ErrParams, "tty"},
		{"process/start", `{"processId":"a","argv":["x"],"cwd":"file:///","env":{},"tty":false,"sandbox":{}}`, wire.ErrParams, "sandbox"},
		{"process/start", `{"processId":"a","argv":["/no/such"],"cwd":"file:///","env":{},"tty":false}`, wire.ErrInternal, "/no/such"},
		{"process/start", `{"processId":"a","argv":["x"],"cwd":"file:///","env":{},"tty":false,"envPolicy":{"inherit":"some"}}`, wire.ErrParams, "some"},
		{"process/read", `{"processId":"zz"}`, wire.ErrRequest, "unknown process id zz"},
		{"process/read", `{"processId":"zz","waitMs":-1}`, wire.ErrParams, "negative"},
		{"process/write", `{"processId":"zz","chunk":"","writeId":""}`, wire.ErrParams, "writeId"},
		{"process/write", `{"processId":"zz","chunk":"?","writeId":"1"}`, wire.ErrParams, "base64"},
		{"process/signal", `{"processId":"zz","signal":"hup"}`, wire.ErrParams, "hup"},
		{"process/stop", `{"processId":"zz","step":"TERM","scope":"all"}`, wire.ErrParams, "all"},
		{"process/killOne", `{"processId":"zz","pid":1}`, wire.ErrNotInTree, "tree"},
	} {
		err := c.call(tc.method, json.RawMessage(tc.params), nil)
		require.NotNil(t, err, tc)
		require.Equal(t, tc.code, err.Code, "%v: %s", tc, err.Message)
		require.Contains(t, err.Message, tc.text)
	}
	require.Equal(t, wire.UnknownProcess, c.write("zz", "1", ""))
	require.Nil(t, c.call(wire.MethodSignal, wire.SignalParams{ProcessID: "zz", Signal: wire.Interrupt}, nil))
	var r wire.TerminateResult
	require.Nil(t, c.call(wire.MethodTerminate, wire.Process{ProcessID: "zz"}, &r))
	require.False(t, r.Running)
}

func TestDuplicateIDAndFailedStart(t *testing.T) {
	t.Parallel()
	c, _ := greeted(t, newServer(t, Options{}))
	bad := helper(t, "a", "hang")
	bad.Argv = []string{"/no/such/program"}
	err := c.call(wire.MethodStart, bad, nil)
	var failure wire.StartFailure
	require.NoError(t, json.Unmarshal(err.Data, &failure))
	require.Equal(t, "start.notfound", failure.Code)
	c.start(helper(t, "a", "hang"))
	err = c.call(wire.MethodStart, helper(t, "a", "hang"), nil)
	require.Equal(t, wire.ErrRequest, err.Code)
	require.Equal(t, "process a already exists", err.Message)
}

// TestNothingWaitsForAnything: a write that waits and a long poll hold up nothing.
func TestNothingWaitsForAnything(t *testing.T) {
	t.Parallel()
	c, _ := greeted(t, newServer(t, Options{}))
	c.start(helper(t, "deaf", "hang"))
	var writes []string
	for i := range 20 {
		writes = append(writes, c.send(wire.MethodWrite, wire.WriteParams{ProcessID: "deaf", Chunk: make([]byte, wire.MaxWrite), WriteID: string(rune('a' + i))}))
	}
	wait := 60_000
	poll := c.send(wire.MethodRead, wire.ReadParams{ProcessID: "deaf", WaitMS: &wait})
	var closed wire.CloseStdinResult
	require.Nil(t, c.call(wire.MethodCloseStdin, wire.Process{ProcessID: "deaf"}, &closed))
	require.Equal(t, wire.Accepted, closed.Status)
	require.Equal(t, wire.StdinClosed, c.write("deaf", "z", ""))
	var r wire.TerminateResult
	require.Nil(t, c.call(wire.MethodTerminate, wire.Process{ProcessID: "deaf"}, &r))
	require.True(t, r.Running)
	require.Len(t, r.Report.Signalled, 1)
	require.Equal(t, "signal", c.exited("deaf").Exit.Kind)
	require.Equal(t, 137, *c.exited("deaf").ExitCode)
	require.Nil(t, c.response(poll).Error)
	for _, id := range writes {
		require.JSONEq(t, `{"status":"stdinClosed"}`, string(c.response(id).Result))
	}
}

func TestSignals(t *testing.T) {
	t.Parallel()
	c, _ := greeted(t, newServer(t, Options{}))
	for _, tc := range []struct {
		signal, step string
		want         string
	}{{wire.Interrupt, "", "INT"}, {wire.Terminate, "", "TERM"}, {wire.Kill, "", "KILL"}, {"", "TERM", "TERM"}, {"", "KILL", "KILL"}} {
		id := tc.signal + tc.step
		c.start(helper(t, id, "out", "up", "hang"))
		c.text(id, 2)
		if tc.signal != "" {
			require.Nil(t, c.call(wire.MethodSignal, wire.SignalParams{ProcessID: id, Signal: tc.signal}, nil))
		} else {
			var r wire.StopReport
			require.Nil(t, c.call(wire.MethodStop, wire.StopParams{ProcessID: id, Step: tc.step, Scope: "tree"}, &r))
			require.True(t, r.Running)
		}
		require.Equal(t, tc.want, c.exited(id).Exit.Signal)
	}
}

// TestSlowClient: a client that does not read loses nothing, and its processes are held: one of
// them may be while it writes to the connection, so that there are two.
func TestSlowClient(t *testing.T) {
	t.Parallel()
	const lines, size = 13_000, 1000
	s := newServer(t, Options{})
	c, _ := greeted(t, s)
	names := []string{"a", "b"}
	c.mu.Lock() // stops reading
	for i, name := range names {
		start := helper(t, name, "flood", itoa(lines), itoa(size))
		require.NoError(t, c.lines.Write(t.Context(), request(t, uint64(98+i), wire.MethodStart, start)))
	}
	held := assert.Eventually(t, func() bool { return slices.ContainsFunc(names, s.holds) }, time.Minute, 5*time.Millisecond)
	c.mu.Unlock()
	require.True(t, held)
	for _, name := range names {
		c.closed(name)
		got := c.text(name, lines*size)
		require.Len(t, got, lines*size)
		for i, line := range strings.Split(strings.TrimSuffix(got, "\n"), "\n") {
			require.True(t, strings.HasPrefix(strings.TrimLeft(line, "0 "), strings.TrimLeft(itoa(i), "0")), "line %d is %.20q", i, line)
		}
	}
}

// holds reports whether a process of the only session waits for its client.
func (s *Server) holds(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, x := range s.sessions {
		if p := x.find(id); p != nil {
			p.mu.Lock()
			defer p.mu.Unlock()
			return p.behind > maxBehind || p.chunks > maxChunksBehind
		}
	}
	return false
}

func itoa(i int) string {
	text, _ := json.Marshal(i)
	return string(bytes.TrimSpace(text))
}

func TestEndSession(t *testing.T) {
	t.Parallel()
	for _, keep := range []time.Duration{0, time.Hour} {
		s := newServer(t, Options{Keep: keep})
		c, _ := greeted(t, s)
		c.start(helper(t, "a", "hang"))
		require.Nil(t, c.call(wire.MethodEnd, nil, nil))
		<-c.ended
		eventually(t, func() bool {
			s.mu.Lock()
			defer s.mu.Unlock()
			return len(s.sessions) == 0
		})
	}
}

// TestWriteAfterStart: what a client writes as soon as it has the response to its start arrives.
// The processes are slow to be added to the session, as on a busy machine.
func TestWriteAfterStart(t *testing.T) {
	t.Parallel()
	c, _ := greeted(t, newServer(t, Options{Executor: func() executor.Executor { return slowAdd{local()} }}))
	c.start(helper(t, "a", "echo"))
	require.Equal(t, wire.Accepted, c.write("a", "1", "x"))
	require.Equal(t, "x", c.text("a", 1))
}

type slowAdd struct{ executor.Executor }

func (e slowAdd) Start(ctx context.Context, cmd executor.Command) (executor.Process, error) {
	p, err := e.Executor.Start(ctx, cmd)
	return slowID{p}, err
}

type slowID struct{ executor.Process }

func (p slowID) ID() string {
	time.Sleep(50 * time.Millisecond)
	return p.Process.ID()
}
