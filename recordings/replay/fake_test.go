package replay_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/demo"
	"mcpdbg/recordings"
	"mcpdbg/recordings/replay"
	"mcpdbg/session"
	"mcpdbg/session/exectest"
	"mcpdbg/session/executor"
	"mcpdbg/session/mcp"
)

// A server implements a server as a function that runs until its input ends.
type server func(p *process) (code int)

// An exec runs servers in this process, so that tests can run in a synctest
// bubble.
type exec struct {
	serve server
	over  sync.WaitGroup
}

type process struct {
	*exectest.Fake
	lines *bufio.Reader
}

func (x *exec) Start(_ context.Context, cmd executor.Command) (executor.Process, error) {
	fake := exectest.NewFake("mcp-stdio-1", cmd)
	p := &process{Fake: fake, lines: bufio.NewReader(fake.In)}
	x.over.Go(func() {
		code := x.serve(p)
		p.End(executor.Exit{Kind: executor.ExitCode, Code: code})
		p.EOF()
	})
	return p, nil
}

func (x *exec) Process(string) executor.Process { return nil }
func (x *exec) Close() error                    { return nil }

type discard struct{}

func (discard) Write(b []byte) (int, error) { return len(b), nil }

// theDemo runs the demo server.
func theDemo(p *process) int {
	return demo.Serve(context.Background(), p.lines, out{p}, discard{}, demo.Options{})
}

type out struct{ p *process }

func (o out) Write(b []byte) (int, error) {
	o.p.Journal.Output(executor.Stdout, append([]byte(nil), b...))
	return len(b), nil
}

// A message is what a scripted server reads.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	line   string
}

func (p *process) say(format string, args ...any) {
	p.Journal.Output(executor.Stdout, fmt.Appendf(nil, format+"\n", args...))
}

func (p *process) result(m message, result string) {
	p.say(`{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, result)
}

func (p *process) fail(m message, code int) {
	p.say(`{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":"no"}}`, m.ID, code)
}

// scripted returns a server of one era that leaves everything but the handshake to f.
func scripted(era mcp.Era, f func(p *process, m message)) server {
	return func(p *process) int {
		for {
			line, err := p.lines.ReadString('\n')
			if err != nil {
				return 0
			}
			m := message{line: strings.TrimSuffix(line, "\n")}
			_ = json.Unmarshal([]byte(line), &m)
			switch {
			case m.Method == "server/discover" && era == mcp.Modern:
				p.result(m, `{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{}}`)
			case m.Method == "initialize" && era == mcp.Legacy:
				p.result(m, `{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"s","version":"1"}}`)
			case m.Method == "server/discover" || m.Method == "initialize":
				p.fail(m, -32601)
			case m.Method == "notifications/initialized":
			default:
				f(p, m)
			}
		}
	}
}

// A run is a session with its log.
type run struct {
	log *recordings.File
	s   *session.Session
}

// start opens a session with a server.
func start(t *testing.T, serve server, change func(*session.Config)) *run {
	t.Helper()
	log, err := recordings.Create(recordings.Options{NoRecord: true, Header: session.Header{Tool: "test"}})
	require.NoError(t, err)
	x := &exec{serve: serve}
	cfg := session.Config{Executor: x, Log: log, ClientName: "test", ClientVersion: "0", Command: executor.Command{Argv: []string{"fake"}}}
	change(&cfg)
	r := &run{log: log, s: session.New(cfg)}
	t.Cleanup(func() {
		r.close(t)
		x.over.Wait()
		require.NoError(t, log.Release())
	})
	require.NoError(t, r.s.Open(t.Context()))
	return r
}

func (r *run) close(t *testing.T) {
	t.Helper()
	_, err := r.s.Close(context.Background())
	require.NoError(t, err)
	require.NoError(t, r.log.Close())
}

// record records a session of an era in which act runs.
func record(t *testing.T, serve server, era mcp.Era, act func(s *session.Session), change ...func(*session.Config)) *recordings.File {
	t.Helper()
	r := start(t, serve, func(cfg *session.Config) {
		cfg.Era = era
		for _, f := range change {
			f(cfg)
		}
	})
	act(r.s)
	r.close(t)
	return r.log
}

// again replays a recording with a server.
func again(t *testing.T, src session.Source, serve server, opts replay.Options) (*replay.Plan, *replay.Result, *recordings.File) {
	t.Helper()
	plan, err := replay.New(t.Context(), src, opts)
	require.NoError(t, err)
	r := start(t, serve, plan.Configure)
	res, err := plan.Run(t.Context(), r.s, nil)
	require.NoError(t, err)
	r.close(t)
	return plan, res, r.log
}

// call calls a tool and requires a response.
func call(t *testing.T, s *session.Session, tool, args string, opts session.CallOptions) session.Response {
	t.Helper()
	return request(t, s, "tools/call", `{"name":"`+tool+`","arguments":`+args+`}`, opts)
}

func request(t *testing.T, s *session.Session, method, params string, opts session.CallOptions) session.Response {
	t.Helper()
	resp, err := s.Request(context.Background(), method, json.RawMessage(params), opts)
	require.NoError(t, err)
	return resp
}

// sent returns the lines that were sent, without the handshake.
func sent(t *testing.T, src session.Source) []string {
	t.Helper()
	var lines []string
	rows := make([]session.Row, src.Len())
	for _, row := range rows[:src.Rows(0, rows)] {
		method := src.Method(row.Method)
		if row.Kind != session.KindStdin || method == "initialize" || method == "server/discover" || method == "notifications/initialized" {
			continue
		}
		e, err := src.Entry(row, 0)
		require.NoError(t, err)
		lines = append(lines, string(e.Payload))
	}
	return lines
}

// statuses returns the statuses of a result, in the order of the items.
func statuses(res *replay.Result) []string {
	var all []string
	for _, o := range res.Outcomes {
		all = append(all, o.Status.String())
	}
	return all
}

// onlyEra runs the demo server, which supports both eras, with only one of them enabled.
func onlyEra(p *process, era mcp.Era) int {
	closed := map[mcp.Era]string{mcp.Legacy: "server/discover", mcp.Modern: "initialize"}[era]
	in, w := io.Pipe()
	var copying sync.WaitGroup
	copying.Go(func() {
		defer w.Close()
		for {
			line, err := p.lines.ReadString('\n')
			if err != nil {
				return
			}
			var m message
			if json.Unmarshal([]byte(line), &m) == nil && m.Method == closed {
				p.fail(m, -32601)
				continue
			}
			_, _ = io.WriteString(w, line)
		}
	})
	defer copying.Wait()
	defer in.Close()
	return demo.Serve(context.Background(), in, out{p}, discard{}, demo.Options{})
}

// texts returns everything that a server wrote to stdout.
func texts(t *testing.T, src session.Source) string {
	t.Helper()
	return payloads(t, src, session.KindStdout)
}

// said returns everything that was sent, including the handshake.
func said(t *testing.T, src session.Source) string {
	t.Helper()
	return payloads(t, src, session.KindStdin)
}

// payloads returns the lines of one stream.
func payloads(t *testing.T, src session.Source, stream session.Kind) string {
	t.Helper()
	var all strings.Builder
	rows := make([]session.Row, src.Len())
	for _, row := range rows[:src.Rows(0, rows)] {
		if row.Kind != stream {
			continue
		}
		e, err := src.Entry(row, 0)
		require.NoError(t, err)
		all.Write(e.Payload)
		all.WriteByte('\n')
	}
	return all.String()
}

// paired returns how many items have a pair for their last round.
func paired(pairs []replay.Pair, plan *replay.Plan) int {
	n := 0
	for _, it := range plan.Items() {
		last := it.N
		if len(it.Rounds) > 0 {
			last = it.Rounds[len(it.Rounds)-1]
		}
		if slices.ContainsFunc(pairs, func(p replay.Pair) bool { return p.Recorded == last }) {
			n++
		}
	}
	return n
}
