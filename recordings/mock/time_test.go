package mock

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/recordings"
)

// A client talks to a mock inside a synctest bubble, whose clock stands still while
// a goroutine runs.
type client struct {
	t      *testing.T
	server *Server
	in     *io.PipeWriter
	lines  chan string
	begin  time.Time
	over   chan error
}

func connect(t *testing.T, server *Server) *client {
	t.Helper()
	in, w := io.Pipe()
	out, outw := io.Pipe()
	c := &client{t: t, server: server, in: w, lines: make(chan string, 100), begin: time.Now(), over: make(chan error, 1)}
	go func() {
		for s := bufio.NewScanner(out); s.Scan(); {
			c.lines <- s.Text()
		}
		close(c.lines)
	}()
	go func() {
		_, err := server.Serve(t.Context(), in, outw, io.Discard)
		_ = outw.Close()
		c.over <- err
	}()
	return c
}

func (c *client) send(line string) {
	c.t.Helper()
	_, err := io.WriteString(c.in, line+"\n")
	require.NoError(c.t, err)
}

// expect reads a line and checks when it came.
func (c *client) expect(line string, after time.Duration) {
	c.t.Helper()
	require.Equal(c.t, line, <-c.lines)
	require.Equal(c.t, after, time.Since(c.begin))
}

func (c *client) end() {
	c.t.Helper()
	require.NoError(c.t, c.in.Close())
	require.NoError(c.t, <-c.over)
}

// serveInTurn serves a client that sends a line when all output caused by the
// previous line has come, and returns the output.
func serveInTurn(t *testing.T, rec *recordings.Recording, opts Options, input string) string {
	var out strings.Builder
	synctest.Test(t, func(t *testing.T) {
		server, err := New(t.Context(), rec, opts)
		require.NoError(t, err)
		client := connect(t, server)
		for line := range strings.Lines(lines(input)) {
			client.send(strings.TrimSpace(line))
			time.Sleep(time.Minute) // on the bubble's clock: longer than any rhythm
		}
		client.end()
		for line := range client.lines {
			out.WriteString(line + "\n")
		}
	})
	return out.String()
}

const slowly = legacy + `
	1000 > {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"slow"}}
	1400 < {"jsonrpc":"2.0","method":"notifications/message","params":{"data":"half"}}
	9400 < {"jsonrpc":"2.0","id":1,"result":"done"}
	9600 < {"jsonrpc":"2.0","method":"notifications/message","params":{"data":"after"}}
`

func TestSpeed(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		opts               Options
		half, done, behind time.Duration
	}{
		{Options{}, 20, 40, 60}, // the shortened rhythm of notifications
		{Options{Speed: 1}, 400, 8400, 8600},
		{Options{Speed: 2}, 200, 4200, 4300},
		{Options{Speed: 1, IdleCap: time.Second}, 400, 1400, 1600},
		{Options{Speed: 0.5, IdleCap: time.Second}, 800, 2800, 3200},
	} {
		rec := record(t, slowly)
		synctest.Test(t, func(t *testing.T) {
			server, err := New(t.Context(), rec, c.opts)
			require.NoError(t, err)
			client := connect(t, server)
			client.send(`{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"slow"}}`)
			client.expect(`{"jsonrpc":"2.0","method":"notifications/message","params":{"data":"half"}}`, c.half*time.Millisecond)
			client.expect(`{"jsonrpc":"2.0","id":5,"result":"done"}`, c.done*time.Millisecond)
			client.expect(`{"jsonrpc":"2.0","method":"notifications/message","params":{"data":"after"}}`, c.behind*time.Millisecond)
			client.end()
		})
	}
}

// TestSpeedDoesNotBlockOtherRequests checks that other requests are answered while
// one waits for its time, that waiting ones continue when the client has sent
// everything, and that cancelled ones get no response.
func TestSpeedDoesNotBlockOtherRequests(t *testing.T) {
	t.Parallel()
	rec := record(t, slowly+`
	10000 > {"jsonrpc":"2.0","id":2,"method":"tools/list"}
	10001 < {"jsonrpc":"2.0","id":2,"result":"list"}
	`)
	synctest.Test(t, func(t *testing.T) {
		server, err := New(t.Context(), rec, Options{Speed: 1})
		require.NoError(t, err)
		client := connect(t, server)
		client.send(`{"jsonrpc":"2.0","id":"gone","method":"tools/call","params":{"name":"slow"}}`)
		client.send(`{"jsonrpc":"2.0","id":"kept","method":"tools/call","params":{"name":"slow"}}`)
		client.send(`{"jsonrpc":"2.0","id":"list","method":"tools/list"}`)
		client.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"gone"}}`)
		require.NoError(t, client.in.Close())
		client.expect(`{"jsonrpc":"2.0","id":"list","result":"list"}`, time.Millisecond)
		client.expect(`{"jsonrpc":"2.0","method":"notifications/message","params":{"data":"half"}}`, 400*time.Millisecond)
		client.expect(`{"jsonrpc":"2.0","id":"kept","result":"done"}`, 8400*time.Millisecond)
		client.expect(`{"jsonrpc":"2.0","method":"notifications/message","params":{"data":"after"}}`, 8600*time.Millisecond)
		client.end()
		require.Equal(t, Report{Run: 1, Requests: 3, Answered: 2, Repeated: 1, Unanswered: 1}, server.Report())
	})
}

func TestClientDoesNotRespond(t *testing.T) {
	t.Parallel()
	rec := record(t, asking)
	synctest.Test(t, func(t *testing.T) {
		var told []string
		server, err := New(t.Context(), rec, Options{AskTimeout: time.Minute, Warn: func(text string) { told = append(told, text) }})
		require.NoError(t, err)
		client := connect(t, server)
		client.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ask"}}`)
		client.expect(`{"jsonrpc":"2.0","id":"mock-1","method":"elicitation/create","params":{"message":"your name?"}}`, 0)
		client.expect(`{"jsonrpc":"2.0","id":"mock-2","method":"roots/list"}`, time.Minute)
		client.send(`{"jsonrpc":"2.0","id":"mock-2","error":{"code":-32601,"message":"no roots"}}`)
		client.expect(`{"jsonrpc":"2.0","id":1,"result":"hello Ada"}`, time.Minute)
		client.end()
		require.Equal(t, []string{"no response in 1m0s to the server's elicitation/create"}, told)
		require.EqualValues(t, 1, server.Report().Silent)
	})
}

// TestPreparesWhileIdle checks that while the client is idle, further requests are
// prepared for the methods that it has requested.
func TestPreparesWhileIdle(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&text, "> %s\n< %s\n", benchRequest(i, i), benchResponse(i))
	}
	rec := record(t, legacy+text.String())
	synctest.Test(t, func(t *testing.T) {
		server, err := New(t.Context(), rec, Options{})
		require.NoError(t, err)
		client := connect(t, server)
		client.send(benchRequest(0, 0))
		client.expect(benchResponse(0), 0)
		server.mu.Lock()
		require.Equal(t, 1, server.table.sent["tools/call"].keyed)
		server.mu.Unlock()
		time.Sleep(idleTime + time.Millisecond)
		synctest.Wait()
		server.mu.Lock()
		require.Equal(t, 1000, server.table.sent["tools/call"].keyed)
		require.Zero(t, server.table.sent["initialize"].keyed)
		require.True(t, server.table.prepared)
		server.mu.Unlock()
		client.end()
	})
}

// TestContextEnds checks that a mock stops with its context.
func TestContextEnds(t *testing.T) {
	t.Parallel()
	rec := record(t, slowly)
	synctest.Test(t, func(t *testing.T) {
		server, err := New(t.Context(), rec, Options{Speed: 1})
		require.NoError(t, err)
		in, w := io.Pipe()
		ctx, cancel := context.WithCancelCause(t.Context())
		done := make(chan error)
		go func() {
			_, err := server.Serve(ctx, in, io.Discard, io.Discard)
			done <- err
		}()
		_, err = io.WriteString(w, `{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"slow"}}`+"\n")
		require.NoError(t, err)
		synctest.Wait()
		cancel(io.ErrClosedPipe)
		require.ErrorIs(t, <-done, io.ErrClosedPipe)
		require.NoError(t, w.Close())
	})
}
