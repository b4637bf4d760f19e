package probe_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/verify"
	"mcpdbg/internal/verify/probe"
	"mcpdbg/recordings"
	"mcpdbg/session"
	"mcpdbg/session/exectest"
	"mcpdbg/session/executor"
)

// A world makes processes of one fake server.
type checkWorld struct {
	t      testing.TB
	serve  func(p *checkFake) // nil: a healthy server
	leaves []executor.Descendant
	doubts []string
	unsure string // why it is unknown how the processes end

	outside bool // the guard ends the processes

	mu      sync.Mutex
	names   []string // of the processes
	running int
	most    int // that ran at once
}

func (w *checkWorld) exit() executor.Exit {
	if w.unsure != "" {
		return executor.Exit{Why: w.unsure}
	}
	if w.outside {
		return executor.Exit{Kind: executor.ExitSignal, Signal: "TERM", By: executor.EndedByGuard, Why: "its channel was closed"}
	}
	return executor.Exit{Kind: executor.ExitCode}
}

// begin counts a process, and returns how many run.
func (w *checkWorld) begin() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.running++
	w.most = max(w.most, w.running)
	return w.running
}

// count returns how many processes run.
func (w *checkWorld) count() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.running
}

func (w *checkWorld) end() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.running--
}

func (w *checkWorld) options() probe.Options {
	return probe.Options{Targets: []verify.Target{{Host: verify.Local, Server: "fake", Source: "conf.json"}}, Make: w.make, Check: new(probe.Check)}
}

func (w *checkWorld) make(_ context.Context, _ int, p probe.Process, configure func(*session.Config)) (*verify.Made, error) {
	w.mu.Lock()
	w.names = append(w.names, p.Name)
	w.mu.Unlock()
	log, err := recordings.Create(recordings.Options{NoRecord: true, Header: session.Header{Tool: "test"}})
	if err != nil {
		return nil, err
	}
	cfg := session.Config{
		Executor: &checkExecutor{checkWorld: w}, Log: log, ClientName: "test", ClientVersion: "0",
		Command: executor.Command{Argv: []string{"fake"}, Env: []executor.EnvVar{{Name: "TOKEN", Value: "sesame-open"}}},
	}
	configure(&cfg)
	s := session.New(cfg)
	return &verify.Made{Session: s, Close: func(ctx context.Context) (session.ShutdownReport, error) {
		report, err := s.Close(ctx)
		require.NoError(w.t, log.Close())
		return report, err
	}, Release: func() { require.NoError(w.t, log.Release()) }}, nil
}

type checkExecutor struct{ checkWorld *checkWorld }

func (x *checkExecutor) Start(_ context.Context, cmd executor.Command) (executor.Process, error) {
	p := &checkFake{Fake: exectest.NewFake("mcp-stdio-1", cmd), checkWorld: x.checkWorld, termed: make(chan struct{}), ended: make(chan struct{})}
	p.in = bufio.NewReader(p.In)
	p.beside = x.checkWorld.begin() - 1
	go func() {
		serve := x.checkWorld.serve
		if serve == nil {
			serve = func(p *checkFake) { p.each(nil) }
		}
		serve(p)
		p.end(x.checkWorld.exit())
	}()
	return p, nil
}

func (x *checkExecutor) Process(string) executor.Process { panic("not used") }
func (x *checkExecutor) Close() error                    { return nil }

// A fake is a process of a fake server.
type checkFake struct {
	*exectest.Fake
	checkWorld *checkWorld
	in         *bufio.Reader
	deaf       bool // ignores SIGTERM
	beside     int  // other processes that ran when it was started
	termed     chan struct{}
	ended      chan struct{}
	over       sync.Once
}

func (p *checkFake) end(exit executor.Exit) {
	if p.End(exit) {
		p.checkWorld.end()
		p.EOF()
		close(p.ended)
	}
}

func (p *checkFake) Stop(_ context.Context, step executor.Step, _ executor.Scope) (executor.StopReport, error) {
	report := executor.StopReport{Running: p.Info().State == executor.StateRunning}
	switch step {
	case executor.StepCloseStdin:
		p.CloseStdin()
	case executor.StepTerm:
		p.over.Do(func() { close(p.termed) })
		if !p.deaf {
			exit := p.checkWorld.exit()
			if exit.Kind != executor.ExitUnknown && !p.checkWorld.outside {
				exit = executor.Exit{Kind: executor.ExitSignal, Signal: "TERM"}
			}
			p.end(exit)
		}
	}
	return report, nil
}

func (p *checkFake) Terminate(context.Context) (executor.StopReport, error) {
	running := p.Info().State == executor.StateRunning
	p.end(executor.Exit{Kind: executor.ExitSignal, Signal: "KILL"})
	return executor.StopReport{Running: running, Signalled: p.checkWorld.leaves, CannotTell: p.checkWorld.doubts}, nil
}

type checkMessage struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		Version   string          `json:"protocolVersion"`
		Cursor    string          `json:"cursor"`
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
		RequestID json.RawMessage `json:"requestId"`
	} `json:"params"`
}

const safeHints = `"annotations":{"readOnlyHint":true,"openWorldHint":false}`

// answers are the responses of a healthy legacy server, by method.
var checkAnswers = map[string]string{
	"initialize":     `{"protocolVersion":"2025-11-25","capabilities":{"tools":{},"resources":{}},"serverInfo":{"name":"fake","version":"1"}}`,
	"tools/list":     `{"tools":[{"name":"one","inputSchema":{"type":"object"},` + safeHints + `},{"name":"two","inputSchema":{"type":"object"}}]}`,
	"resources/list": `{"resources":[]}`, "ping": `{}`, "tools/call": `{"content":[]}`,
}

// each responds to requests until stdin ends: with what change does for a method, or
// else like a healthy server. A change that returns false ends the server.
func (p *checkFake) each(change map[string]func(m checkMessage) bool) {
	for {
		line, err := p.in.ReadString('\n')
		if err != nil {
			return
		}
		var m checkMessage
		if json.Unmarshal([]byte(line), &m) != nil {
			m.Method = "bad line"
		}
		if f := change[m.Method]; f != nil {
			if f(m) {
				continue
			}
			return
		}
		switch answer, ok := checkAnswers[m.Method]; {
		case m.Params.Cursor != "":
			p.answer(m, `"error":{"code":-32602,"message":"bad cursor"}`)
		case ok:
			p.answer(m, `"result":`+answer)
		case m.ID != nil:
			p.answer(m, `"error":{"code":-32601,"message":"unknown method"}`)
		}
	}
}

// with returns a server that differs from a healthy one.
func with(change func(p *checkFake) map[string]func(m checkMessage) bool) func(p *checkFake) {
	return func(p *checkFake) { p.each(maps.Clone(change(p))) }
}

func (p *checkFake) answer(m checkMessage, member string) {
	p.Journal.Output(executor.Stdout, fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,%s}`+"\n", m.ID, member))
}

// says returns a change that answers with a member.
func (p *checkFake) says(member string) func(m checkMessage) bool {
	return func(m checkMessage) bool { p.answer(m, member); return true }
}
