package ui

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/recordings"
	"mcpdbg/session"
	"mcpdbg/session/exectest"
	"mcpdbg/session/executor"
)

// modernMeta is the _meta of every result of a server of the modern era.
const modernMeta = `"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"fake","version":"1"}}`

// A fakeExecutor runs a function as the server, so that a whole session runs in
// a synctest bubble.
type fakeExecutor struct {
	serve func(p *fakeProcess, m message)

	// way, if set, runs in a start before there is a process.
	way func(ctx context.Context, cmd executor.Command) error

	mu      sync.Mutex
	started []*fakeProcess
	refuse  error
	info    executor.Info // further information that each process returns

	capabilities string        // declared by the server, "" for those of most servers
	modern       bool          // it speaks the modern era
	startup      time.Duration // delay before it reads its first message
}

func (x *fakeExecutor) Start(ctx context.Context, cmd executor.Command) (executor.Process, error) {
	if x.way != nil {
		if err := x.way(ctx, cmd); err != nil {
			return nil, err
		}
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.refuse != nil {
		return nil, &executor.StartError{Code: executor.StartNotFound, Err: x.refuse, Hint: "look for it"}
	}
	about := x.info
	if about.Link != nil {
		link := *about.Link
		about.Link = &link
	}
	p := &fakeProcess{Fake: exectest.NewFake(fmt.Sprintf("mcp-stdio-%d", len(x.started)+1), cmd), about: about, capabilities: cmp.Or(x.capabilities, `{"prompts":{},"resources":{},"tools":{}}`), modern: x.modern, startup: x.startup, steps: make(chan executor.Step, 8)}
	x.started = append(x.started, p)
	p.ended.Go(func() { p.run(x.serve) })
	return p, nil
}

func (x *fakeExecutor) Process(string) executor.Process { panic("not used") }
func (x *fakeExecutor) Close() error                    { return nil }

// latest returns the running process.
func (x *fakeExecutor) latest() *fakeProcess {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.started[len(x.started)-1]
}

type fakeProcess struct {
	*exectest.Fake
	about executor.Info      // Placement, Link and Notices, if there is a Link
	steps chan executor.Step // TERM and INT, which it ignores
	stays bool               // it keeps running when its stdin is closed
	holds bool               // its streams stay open after it exits
	ended sync.WaitGroup

	capabilities string
	modern       bool
	startup      time.Duration
	tree         func(*fakeProcess) []executor.Descendant
	killed       []int    // one by one
	cannotTell   []string // why the shutdown may have missed processes
}

type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
}

// run performs the handshake and leaves other messages to serve.
func (p *fakeProcess) run(serve func(*fakeProcess, message)) {
	time.Sleep(p.startup)
	in := bufio.NewReader(p.In)
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			break
		}
		var m message
		_ = json.Unmarshal([]byte(line), &m) // tests also send invalid JSON
		switch m.Method {
		case "server/discover":
			if p.modern {
				p.out(`{"jsonrpc":"2.0","id":%s,"result":{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":%s,"ttlMs":0,"cacheScope":"private",`+modernMeta+`}}`, m.ID, p.capabilities)
				continue
			}
			p.out(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"unknown method"}}`, m.ID)
		case "initialize":
			p.out(`{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-11-25","capabilities":%s,"serverInfo":{"name":"fake","version":"1"}}}`, m.ID, p.capabilities)
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

func (p *fakeProcess) Info() executor.Info {
	info := p.Fake.Info()
	info.Env.Named = []string{"TOKEN"}
	if p.about.Link != nil {
		link := *p.about.Link
		info.Placement, info.Link, info.Notices = p.about.Placement, &link, p.about.Notices
	}
	return info
}

func (p *fakeProcess) out(format string, args ...any) {
	p.Journal.Output(executor.Stdout, fmt.Appendf(nil, format+"\n", args...))
}

func (p *fakeProcess) err(line string) { p.Journal.Output(executor.Stderr, []byte(line+"\n")) }

func (p *fakeProcess) exit(exit executor.Exit) {
	if p.End(exit) && !p.holds {
		p.EOF()
	}
}

func (p *fakeProcess) Stop(_ context.Context, step executor.Step, _ executor.Scope) (executor.StopReport, error) {
	report := executor.StopReport{Running: p.Info().State == executor.StateRunning}
	if step == executor.StepCloseStdin {
		p.CloseStdin()
	} else {
		p.steps <- step
	}
	return report, nil
}

func (p *fakeProcess) Terminate(context.Context) (executor.StopReport, error) {
	running := p.Info().State == executor.StateRunning
	p.exit(executor.Exit{Kind: executor.ExitSignal, Signal: "KILL"})
	p.EOF()
	return executor.StopReport{Running: running, CannotTell: p.cannotTell}, nil
}

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
	return newSessionWith(t, log, serve, func(*session.Config) {})
}

// newSessionWith is newSession with a changed config.
func newSessionWith(t testing.TB, log session.Log, serve func(*fakeProcess, message), configure func(*session.Config)) (*session.Session, *fakeExecutor) {
	t.Helper()
	x := &fakeExecutor{serve: serve}
	cfg := session.Config{
		Executor: x, Log: log, ClientName: "test", ClientVersion: "0", Command: executor.Command{Argv: []string{"fake-server"}, Env: []executor.EnvVar{{Name: "TOKEN", Value: "sesame"}}},
	}
	configure(&cfg)
	s := session.New(cfg)
	t.Cleanup(func() {
		_, err := s.Close(context.Background())
		require.NoError(t, err)
		for _, p := range x.started {
			p.ended.Wait()
		}
	})
	return s, x
}

func (p *fakeProcess) Tree(context.Context) ([]executor.Descendant, error) {
	if p.tree == nil {
		return nil, nil
	}
	return p.tree(p), nil
}

func (p *fakeProcess) KillOne(_ context.Context, pid int) (executor.Descendant, error) {
	p.killed = append(p.killed, pid)
	return executor.Descendant{PID: pid}, nil
}
