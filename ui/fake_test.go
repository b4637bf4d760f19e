package ui

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/recordings"
	"mcpdbg/session"
	"mcpdbg/session/executor"
)

// A fakeExecutor runs a function as the server, so that a whole session runs in
// a synctest bubble.
type fakeExecutor struct {
	serve func(p *fakeProcess, m message)

	mu      sync.Mutex
	started []*fakeProcess
	refuse  error
}

func (x *fakeExecutor) Start(_ context.Context, cmd executor.Command) (executor.Process, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.refuse != nil {
		return nil, &executor.StartError{Code: executor.StartNotFound, Err: x.refuse, Hint: "look for it"}
	}
	in, stdin := io.Pipe()
	p := &fakeProcess{id: fmt.Sprintf("mcp-stdio-%d", len(x.started)+1), in: in, steps: make(chan executor.Step, 8)}
	p.journal = executor.NewJournal(executor.JournalOptions{})
	p.stdin = executor.NewStdin(stdin, nil, p.journal.Emit)
	x.started = append(x.started, p)
	p.ended.Go(func() { p.run(x.serve) })
	return p, nil
}

func (x *fakeExecutor) Process(string) executor.Process { panic("not used") }
func (x *fakeExecutor) Close() error                    { return nil }

// latest is the process that runs.
func (x *fakeExecutor) latest() *fakeProcess {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.started[len(x.started)-1]
}

type fakeProcess struct {
	id      string
	in      *io.PipeReader
	journal *executor.Journal
	stdin   *executor.Stdin
	steps   chan executor.Step // TERM and INT, which it ignores
	stays   bool               // it does not end when its stdin does
	holds   bool               // its streams stay open after its end
	once    sync.Once
	ended   sync.WaitGroup
}

type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
}

// run shakes hands and leaves the rest to serve.
func (p *fakeProcess) run(serve func(*fakeProcess, message)) {
	in := bufio.NewReader(p.in)
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			break
		}
		var m message
		_ = json.Unmarshal([]byte(line), &m) // tests also send what is no JSON
		switch m.Method {
		case "server/discover":
			p.out(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"unknown method"}}`, m.ID)
		case "initialize":
			p.out(`{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"fake","version":"1"}}}`, m.ID)
		default:
			if serve != nil {
				serve(p, m)
			}
		}
	}
	if !p.stays {
		p.exit(executor.Exit{Kind: executor.ExitCode})
	}
}

func (p *fakeProcess) out(format string, args ...any) {
	p.journal.Output(executor.Stdout, fmt.Appendf(nil, format+"\n", args...))
}

func (p *fakeProcess) err(line string) { p.journal.Output(executor.Stderr, []byte(line+"\n")) }

func (p *fakeProcess) exit(exit executor.Exit) {
	p.once.Do(func() {
		p.journal.Exited(exit)
		_ = p.in.Close()
		p.stdin.Abort()
		if !p.holds {
			p.journal.EOF(executor.Stdout)
			p.journal.EOF(executor.Stderr)
		}
	})
}

func (p *fakeProcess) ID() string { return p.id }

func (p *fakeProcess) Info() executor.Info {
	info := executor.Info{ID: p.id, PID: 4121, Placement: "local"}
	p.journal.Fill(&info)
	return info
}

func (p *fakeProcess) Subscribe(o executor.SubscribeOptions) (*executor.Subscription, error) {
	return p.journal.Subscribe(o)
}

func (p *fakeProcess) Read(ctx context.Context, after uint64, limit int, wait time.Duration) (executor.ReadResult, error) {
	return p.journal.Read(ctx, after, limit, wait)
}

func (p *fakeProcess) Write(ctx context.Context, id string, b []byte) (executor.WriteResult, error) {
	return p.stdin.Write(ctx, id, b)
}

func (p *fakeProcess) CloseStdin() executor.WriteStatus { return p.stdin.Close() }

func (p *fakeProcess) Stop(_ context.Context, step executor.Step, _ executor.Scope) (executor.StopReport, error) {
	if step == executor.StepCloseStdin {
		p.stdin.Close()
	} else {
		p.steps <- step
	}
	return executor.StopReport{}, nil
}

func (p *fakeProcess) Terminate(context.Context) (executor.StopReport, error) {
	running := p.Info().State == executor.StateRunning
	p.exit(executor.Exit{Kind: executor.ExitSignal, Signal: "KILL"})
	p.journal.EOF(executor.Stdout)
	p.journal.EOF(executor.Stderr)
	return executor.StopReport{Running: running}, nil
}

func (p *fakeProcess) Tree(context.Context) ([]executor.Descendant, error) { return nil, nil }

// newLog returns a log without a name.
func newLog(t testing.TB) *recordings.File {
	t.Helper()
	log, err := recordings.Create(recordings.Options{NoRecord: true, Header: session.Header{Argv: []string{"fake-server"}}})
	require.NoError(t, err)
	t.Cleanup(func() {
		require.NoError(t, log.Close())
		require.NoError(t, log.Release())
	})
	return log
}

// newSession returns a session over a fake server.
func newSession(t testing.TB, log session.Log, serve func(*fakeProcess, message)) (*session.Session, *fakeExecutor) {
	t.Helper()
	x := &fakeExecutor{serve: serve}
	s := session.New(session.Config{
		Executor: x, Log: log, ClientName: "test", ClientVersion: "0", Command: executor.Command{Argv: []string{"fake-server"}},
	})
	t.Cleanup(func() {
		_, err := s.Close(context.Background())
		require.NoError(t, err)
		for _, p := range x.started {
			p.ended.Wait()
		}
	})
	return s, x
}
