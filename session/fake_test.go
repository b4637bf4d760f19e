package session_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/recordings"
	"mcpdbg/session"
	"mcpdbg/session/exectest"
	"mcpdbg/session/executor"
)

// A fakeExecutor runs a function as the server, over the same Journal and Stdin
// as real executors, so that tests can run in a synctest bubble.
type fakeExecutor struct {
	serve func(p *fakeProcess) int
	// reach, if set, is called at a start before there is a process.
	reach func(ctx context.Context, cmd executor.Command) error
	// place, if set, is where processes run.
	place executor.Info

	mu      sync.Mutex
	started []*fakeProcess
}

func (x *fakeExecutor) Start(ctx context.Context, cmd executor.Command) (executor.Process, error) {
	if x.reach != nil {
		if err := x.reach(ctx, cmd); err != nil {
			return nil, err
		}
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	fake := exectest.NewFake(fmt.Sprintf("mcp-stdio-%d", len(x.started)+1), cmd)
	p := &fakeProcess{Fake: fake, place: x.place, in: bufio.NewReader(fake.In), killed: make(chan struct{}), subscribed: make(chan struct{}), signals: make(chan executor.Step, 8)}
	x.started = append(x.started, p)
	if cmd.OnPhase != nil {
		cmd.OnPhase(executor.Phase{Name: "spawn", Begin: time.Now(), End: time.Now()})
	}
	p.ended.Add(1)
	go func() {
		defer p.ended.Done()
		p.exit(x.serve(p))
	}()
	return p, nil
}

func (x *fakeExecutor) Process(string) executor.Process { panic("not used") }
func (x *fakeExecutor) Close() error                    { return nil }

type fakeProcess struct {
	*exectest.Fake
	place      executor.Info
	ends       atomic.Int32 // calls of Terminate
	in         *bufio.Reader
	signals    chan executor.Step // TERM and INT
	killed     chan struct{}
	ended      sync.WaitGroup
	subscribed chan struct{} // closed when the session's collector has subscribed
	held       bool          // a descendant keeps the streams open after the exit

	late    bool          // it has ended when a step is taken, but is still reported as running
	killing chan struct{} // if set, how long Terminate takes

	mu      sync.Mutex
	notices []executor.Notice     // that came after the start
	left    []executor.Descendant // leaked processes
	report  executor.StopReport   // other parts of Terminate's report
	tree    []executor.Descendant
	treeErr error
}

func (p *fakeProcess) out(line string) { p.Journal.Output(executor.Stdout, []byte(line)) }
func (p *fakeProcess) err(line string) { p.Journal.Output(executor.Stderr, []byte(line)) }

func (p *fakeProcess) exit(code int) {
	p.End(executor.Exit{Kind: executor.ExitCode, Code: code})
	if !p.held {
		p.EOF()
	}
}

// notice emits a notice after the start.
func (p *fakeProcess) notice(n executor.Notice) {
	p.mu.Lock()
	p.notices = append(p.notices, n)
	p.mu.Unlock()
	p.Journal.Emit(executor.Event{Kind: executor.Noticed, Notice: &n})
}

// lose simulates the loss of the connection to the process.
func (p *fakeProcess) lose(cause error) {
	p.Journal.Fail(cause)
	_ = p.In.Close() // never fails
}

func (p *fakeProcess) Info() executor.Info {
	info := p.Fake.Info()
	info.Env = p.place.Env
	if p.place.Link != nil {
		info.Placement, info.Link, info.Notices = p.place.Placement, p.place.Link, p.place.Notices
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	info.Notices = append(slices.Clone(info.Notices), p.notices...)
	return info
}

func (p *fakeProcess) Subscribe(o executor.SubscribeOptions) (*executor.Subscription, error) {
	defer close(p.subscribed) // a session subscribes once
	return p.Fake.Subscribe(o)
}

func (p *fakeProcess) Stop(_ context.Context, step executor.Step, _ executor.Scope) (executor.StopReport, error) {
	running := p.Info().State == executor.StateRunning && !p.late
	if step == executor.StepCloseStdin {
		p.CloseStdin()
	} else {
		p.signals <- step
	}
	return executor.StopReport{Running: running}, nil
}

func (p *fakeProcess) Terminate(context.Context) (executor.StopReport, error) {
	p.ends.Add(1)
	if p.killing != nil {
		<-p.killing
	}
	running := p.Info().State == executor.StateRunning
	if p.End(executor.Exit{Kind: executor.ExitSignal, Signal: "KILL"}) {
		close(p.killed)
	}
	p.EOF()
	p.mu.Lock()
	defer p.mu.Unlock()
	left := p.left
	p.left = nil
	report := p.report
	p.report = executor.StopReport{}
	report.Running, report.Signalled = running, left
	return report, nil
}

// A message is a message that a scripted server reads.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  json.RawMessage `json:"error"`
	raw    string
}

// each calls f with every line that the server reads, until stdin ends; then it
// returns 0, which makes it a complete well-behaved server.
func (p *fakeProcess) each(f func(m message)) int {
	for {
		line, err := p.in.ReadString('\n')
		if err != nil {
			return 0
		}
		m := message{raw: strings.TrimSuffix(line, "\n")}
		_ = json.Unmarshal([]byte(line), &m) // tests also send invalid JSON
		f(m)
	}
}

func (p *fakeProcess) result(m message, result string) {
	p.out(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`+"\n", m.ID, result))
}

func (p *fakeProcess) fail(m message, code int, more string) {
	p.out(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":"no"%s}}`+"\n", m.ID, code, more))
}

const initResult = `{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"fake","version":"1"}}`

// legacy is a server that refuses the probe, handles the handshake and passes
// the rest to f.
func legacy(f func(p *fakeProcess, m message)) func(p *fakeProcess) int {
	return func(p *fakeProcess) int {
		return p.each(func(m message) {
			switch m.Method {
			case "server/discover":
				p.fail(m, -32601, "")
			case "initialize":
				p.result(m, initResult)
			case "notifications/initialized":
			default:
				if f != nil {
					f(p, m)
				}
			}
		})
	}
}

// A harness is a session over a fake server with a log without a name.
type harness struct {
	*session.Session
	t    *testing.T
	log  *recordings.File
	exec *fakeExecutor
}

func newHarness(t *testing.T, serve func(p *fakeProcess) int, change func(*session.Config)) *harness {
	t.Helper()
	log, err := recordings.Create(recordings.Options{NoRecord: true, Header: session.Header{Tool: "test"}})
	require.NoError(t, err)
	h := &harness{t: t, log: log, exec: &fakeExecutor{serve: serve}}
	cfg := session.Config{Executor: h.exec, Log: log, ClientName: "test", ClientVersion: "0", Command: executor.Command{Argv: []string{"fake"}}}
	if change != nil {
		change(&cfg)
	}
	h.Session = session.New(cfg)
	t.Cleanup(func() {
		_, err := h.Close(context.Background())
		require.NoError(t, err)
		for _, p := range h.exec.started {
			p.ended.Wait()
		}
		require.NoError(t, log.Close())
	})
	return h
}

func open(t *testing.T, serve func(p *fakeProcess) int, change func(*session.Config)) *harness {
	t.Helper()
	h := newHarness(t, serve, change)
	require.NoError(t, h.Open(t.Context()))
	return h
}

// entries returns the log as "kind text" lines for the given kinds, or for all
// of them.
func (h *harness) entries(kinds ...session.Kind) []string {
	h.t.Helper()
	rows := make([]session.Row, h.log.Len())
	var lines []string
	for i := range rows[:h.log.Rows(0, rows)] {
		e, err := h.log.Entry(rows[i], 0)
		require.NoError(h.t, err)
		wanted := len(kinds) == 0
		for _, k := range kinds {
			wanted = wanted || k == e.Kind
		}
		if wanted {
			lines = append(lines, e.Kind.String()+" "+session.Describe(&e))
		}
	}
	return lines
}

// row returns the row of the first entry whose payload holds text.
func (h *harness) row(kind session.Kind, text string) session.Row {
	h.t.Helper()
	rows := make([]session.Row, h.log.Len())
	for _, row := range rows[:h.log.Rows(0, rows)] {
		e, err := h.log.Entry(row, 0)
		require.NoError(h.t, err)
		if e.Kind == kind && strings.Contains(string(e.Payload), text) {
			return row
		}
	}
	h.t.Fatalf("no %s entry with %q in\n%s", kind, text, strings.Join(h.entries(), "\n"))
	return session.Row{}
}

// rowOf returns the row of the first entry of a kind.
func (h *harness) rowOf(kind session.Kind) session.Row {
	h.t.Helper()
	return h.row(kind, "")
}
