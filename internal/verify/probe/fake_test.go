package probe_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/verify"
	"mcpdbg/internal/verify/probe"
	"mcpdbg/recordings"
	"mcpdbg/session"
	"mcpdbg/session/exectest"
	"mcpdbg/session/executor"
	"mcpdbg/session/mcp"
)

// A world is a set of hosts with fake servers, for tests with a fake clock.
type world struct {
	t       testing.TB
	hosts   map[string]*host
	running atomic.Int32 // servers
	env     []executor.EnvVar
	era     mcp.Era
}

// A host is a host on which a fake server is started.
type host struct {
	steps  []step        // steps of each start before the command; nil: only the start itself
	down   []error       // errors of the first starts; nil entries succeed
	serve  func(p *fake) // nil: a healthy server
	notice []executor.Notice
	room   chan struct{} // one entry for each simultaneous connection; nil: no limit
	tries  atomic.Int32
	starts atomic.Int32 // starts that reached the command
}

// A step is a step of a start and its duration.
type step struct {
	name string
	took time.Duration
}

var overSSH = []step{{"resolve", 1}, {"connect", 10}, {"host-key", 20}, {"login", 40}, {"start", 5}}

func newWorld(t testing.TB) *world { return &world{t: t, hosts: map[string]*host{}, era: mcp.Legacy} }

// add adds a host and returns it.
func (w *world) add(name string, h *host) *host {
	w.hosts[name] = h
	return h
}

// options returns options with one server on each of the hosts.
func (w *world) options(hosts ...string) probe.Options {
	targets := make([]verify.Target, len(hosts))
	for i, name := range hosts {
		targets[i] = verify.Target{Host: name, Server: "fake"}
	}
	return probe.Options{Targets: targets, FailOn: verify.FailOn{Error: true}, Make: func(_ context.Context, target int, _ probe.Process, configure func(*session.Config)) (*verify.Made, error) {
		return w.make(hosts[target], configure)
	}}
}

func (w *world) make(name string, configure func(*session.Config)) (*verify.Made, error) {
	log, err := recordings.Create(recordings.Options{NoRecord: true, Header: session.Header{Tool: "test"}})
	if err != nil {
		return nil, err
	}
	cfg := session.Config{
		Executor: &fakeExecutor{world: w, host: w.hosts[name]}, Log: log, ClientName: "test", ClientVersion: "0", Era: w.era,
		Command: executor.Command{Argv: []string{"fake"}, Env: append([]executor.EnvVar{{Name: "TOKEN", Value: "sesame-open"}}, w.env...)},
	}
	configure(&cfg)
	s := session.New(cfg)
	return &verify.Made{Session: s, Close: func(ctx context.Context) (session.ShutdownReport, error) {
		report, err := s.Close(ctx)
		require.NoError(w.t, log.Close())
		return report, err
	}, Release: func() { require.NoError(w.t, log.Release()) }}, nil
}

type fakeExecutor struct {
	world *world
	host  *host
}

func (x *fakeExecutor) Start(ctx context.Context, cmd executor.Command) (executor.Process, error) {
	n := int(x.host.tries.Add(1))
	steps := x.host.steps
	if steps == nil {
		steps = []step{{"start", 0}}
	}
	fails := n <= len(x.host.down) && x.host.down[n-1] != nil
	if err := x.host.enter(ctx, cmd); err != nil {
		return nil, err
	}
	for _, s := range steps {
		if fails && s.name == "start" {
			break
		}
		p := executor.Phase{Name: s.name, Begin: time.Now()}
		cmd.OnBegin(p)
		timer := time.NewTimer(s.took * time.Millisecond)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
		}
		if ctx.Err() != nil {
			return nil, &executor.StartError{Code: executor.StartCancelled, Hop: "h", Phase: s.name, Err: context.Cause(ctx)}
		}
		p.End = time.Now()
		cmd.OnPhase(p)
	}
	if fails {
		return nil, x.host.down[n-1]
	}
	x.host.starts.Add(1)
	p := &fake{exit: executor.Exit{Kind: executor.ExitCode}, Fake: exectest.NewFake(fmt.Sprintf("mcp-stdio-%d", n), cmd), notices: x.host.notice,
		termed: make(chan struct{}), ended: make(chan struct{})}
	p.in = bufio.NewReader(p.In)
	x.world.running.Add(1)
	go func() {
		serve := x.host.serve
		if serve == nil {
			serve = func(p *fake) { p.each(nil) }
		}
		serve(p)
		x.world.running.Add(-1)
		p.end(p.exit)
		x.host.leave()
	}()
	return p, nil
}

// enter waits until the host has room for a connection, as a dialer does; leave
// frees it.
func (h *host) enter(ctx context.Context, cmd executor.Command) error {
	if h.room == nil {
		return nil
	}
	select {
	case h.room <- struct{}{}:
		return nil
	default:
	}
	p := executor.Phase{Name: "wait", Begin: time.Now()}
	cmd.OnBegin(p)
	resume := executor.Pause(ctx)
	defer resume()
	select {
	case h.room <- struct{}{}:
		p.End = time.Now()
		cmd.OnPhase(p)
		return nil
	case <-ctx.Done():
		return &executor.StartError{Code: executor.StartCancelled, Hop: "h", Phase: "wait", Err: context.Cause(ctx)}
	}
}

func (h *host) leave() {
	if h.room != nil {
		<-h.room
	}
}

func (x *fakeExecutor) Process(string) executor.Process { panic("not used") }
func (x *fakeExecutor) Close() error                    { return nil }

// A fake is a fake server.
type fake struct {
	*exectest.Fake
	in      *bufio.Reader
	notices []executor.Notice
	left    []executor.Descendant // processes that Terminate finds
	spared  []executor.Descendant
	doubts  []string
	exit    executor.Exit // when it has served
	termed  chan struct{} // closed by SIGTERM
	ended   chan struct{} // closed at the end
	over    sync.Once
}

func (p *fake) Info() executor.Info {
	info := p.Fake.Info()
	info.Notices = p.notices
	return info
}

func (p *fake) end(exit executor.Exit) {
	if p.End(exit) {
		p.EOF()
		close(p.ended)
	}
}

// lose simulates a lost connection.
func (p *fake) lose() {
	p.Journal.Fail(&executor.LostError{Code: executor.LostReset, Hop: "h", Err: fmt.Errorf("connection reset")})
	_ = p.In.Close()
}

func (p *fake) Stop(_ context.Context, step executor.Step, _ executor.Scope) (executor.StopReport, error) {
	report := executor.StopReport{Running: p.Info().State == executor.StateRunning}
	switch step {
	case executor.StepCloseStdin:
		p.CloseStdin()
	case executor.StepTerm:
		p.over.Do(func() { close(p.termed) })
	}
	return report, nil
}

func (p *fake) Terminate(context.Context) (executor.StopReport, error) {
	running := p.Info().State == executor.StateRunning
	p.end(executor.Exit{Kind: executor.ExitSignal, Signal: "KILL"})
	return executor.StopReport{Running: running, Signalled: p.left, Spared: p.spared, CannotTell: p.doubts}, nil
}

type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
}

// answers are the responses of a healthy server, by method.
var answers = map[string]string{
	"initialize": `{"protocolVersion":"2025-11-25","capabilities":{"tools":{},"resources":{}},"serverInfo":{"name":"fake","version":"1"}}`,
	"tools/list": `{"tools":[{"name":"one","inputSchema":{"type":"object"}}]}`, "resources/list": `{"resources":[]}`, "ping": `{}`,
}

// each responds to requests until stdin ends: with the response in change for
// the method, or else like a healthy server. change may also delay the server,
// or end it with the error "end".
func (p *fake) each(change map[string]func(m message) bool) {
	for {
		line, err := p.in.ReadString('\n')
		if err != nil {
			return
		}
		var m message
		_ = json.Unmarshal([]byte(line), &m)
		if f := change[m.Method]; f != nil {
			if f(m) {
				continue
			}
			return
		}
		switch answer, ok := answers[m.Method]; {
		case ok:
			p.answer(m, `"result":`+answer)
		case m.ID != nil:
			p.answer(m, `"error":{"code":-32601,"message":"unknown method"}`)
		}
	}
}

func (p *fake) answer(m message, member string) {
	p.Journal.Output(executor.Stdout, fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,%s}`+"\n", m.ID, member))
}
