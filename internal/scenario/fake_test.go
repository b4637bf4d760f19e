package scenario_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/demo"
	"mcpdbg/internal/scenario"
	"mcpdbg/recordings"
	"mcpdbg/session"
	"mcpdbg/session/exectest"
	"mcpdbg/session/executor"
)

// A fakeExecutor runs a function as the server, so tests can run in a synctest
// bubble.
type fakeExecutor struct {
	serve func(p *fake) int

	mu      sync.Mutex
	started []*fake
}

func (x *fakeExecutor) Start(_ context.Context, cmd executor.Command) (executor.Process, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	p := &fake{Fake: exectest.NewFake(fmt.Sprintf("mcp-stdio-%d", len(x.started)+1), cmd)}
	p.in = bufio.NewReader(p.In)
	x.started = append(x.started, p)
	p.over.Go(func() {
		code := x.serve(p)
		p.End(executor.Exit{Kind: executor.ExitCode, Code: code})
		p.EOF()
	})
	return p, nil
}

func (x *fakeExecutor) Process(string) executor.Process { panic("not used") }
func (x *fakeExecutor) Close() error                    { return nil }

// A fake is a server implemented by a function.
type fake struct {
	*exectest.Fake
	in   *bufio.Reader
	over sync.WaitGroup
}

func (p *fake) out(line string) { p.Journal.Output(executor.Stdout, []byte(line+"\n")) }
func (p *fake) err(line string) { p.Journal.Output(executor.Stderr, []byte(line+"\n")) }

// lose simulates a lost connection.
func (p *fake) lose() {
	p.Journal.Fail(&executor.LostError{Code: executor.LostReset, Hop: "box", Err: errors.New("connection reset")})
	_ = p.In.Close() // a pipe of the test
}

// A message is a message that a fake reads.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	raw    string
}

func (p *fake) result(m message, result string) {
	p.out(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, result))
}

func (p *fake) fail(m message, failure string) {
	p.out(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":%s}`, m.ID, failure))
}

// errGone makes a fake end with code 3.
var errGone = errors.New("gone")

// legacy returns a server that handles the handshake and passes other messages to f,
// until f returns an error.
func legacy(f func(p *fake, m message) error) func(p *fake) int {
	return func(p *fake) int {
		for {
			line, err := p.in.ReadString('\n')
			if err != nil {
				return 0
			}
			m := message{raw: strings.TrimSuffix(line, "\n")}
			_ = json.Unmarshal([]byte(line), &m) // tests also send invalid JSON
			switch m.Method {
			case "initialize":
				p.result(m, `{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"fake","version":"1"}}`)
			case "notifications/initialized":
			default:
				if f(p, m) != nil {
					return 3
				}
			}
		}
	}
}

// serveDemo runs the healthy demo server.
func serveDemo(p *fake) int {
	return demo.Serve(context.Background(), p.in, stream{p, executor.Stdout}, stream{p, executor.Stderr}, demo.Options{})
}

type stream struct {
	p  *fake
	to executor.Stream
}

func (s stream) Write(b []byte) (int, error) {
	s.p.Journal.Output(s.to, append([]byte(nil), b...))
	return len(b), nil
}

// A bench is a session with a fake server.
type bench struct {
	*session.Session
	t   *testing.T
	log *recordings.File
}

// open opens a session for a scenario.
func open(t *testing.T, serve func(p *fake) int, s *scenario.Scenario, vars *scenario.Vars, change func(*session.Config)) *bench {
	t.Helper()
	log, err := recordings.Create(recordings.Options{NoRecord: true, Header: session.Header{Tool: "test"}})
	require.NoError(t, err)
	exec := &fakeExecutor{serve: serve}
	cfg := session.Config{Executor: exec, Log: log, ClientName: "test", ClientVersion: "0", Command: executor.Command{Argv: []string{"fake"}}}
	if change != nil {
		change(&cfg)
	}
	s.Configure(&cfg, vars)
	b := &bench{Session: session.New(cfg), t: t, log: log}
	t.Cleanup(func() {
		_, err := b.Close(context.Background())
		require.NoError(t, err)
		for _, p := range exec.started {
			p.over.Wait()
		}
		require.NoError(t, log.Close())
	})
	require.NoError(t, b.Open(t.Context()))
	return b
}

// notes returns the notes in the log.
func (b *bench) notes() []string { return b.entries(session.KindNote) }

// entries returns the texts of the entries of a kind.
func (b *bench) entries(kind session.Kind) []string {
	b.t.Helper()
	rows := make([]session.Row, b.log.Len())
	var texts []string
	for _, row := range rows[:b.log.Rows(0, rows)] {
		if row.Kind != kind {
			continue
		}
		e, err := b.log.Entry(row, 0)
		require.NoError(b.t, err)
		texts = append(texts, session.Describe(&e))
	}
	return texts
}

// outcomes summarizes a result: the status and the problems of each step.
func outcomes(r *scenario.Result) []string {
	var lines []string
	for _, s := range r.Steps {
		lines = append(lines, string(s.Status)+" "+s.Name)
		for _, p := range s.Problems {
			lines = append(lines, "  "+p.Text)
		}
	}
	return lines
}
